import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage

/// The presenters of this process, which coordinators ask and tell.
final class PresenterTable: Sendable {
  struct Entry: Sendable {
    var number: UInt64
    var presenter: any FilePresenter
    var place: ItemPlace
    var isPackage: Bool

    /// Makes the entry of a presenter at its present URL; nil if the URL leads to no place.
    init?(_ number: UInt64, _ presenter: any FilePresenter) {
      guard let url = presenter.presentedItemURL, let path = try? FilePath(of: url, for: .open),
        let place = try? ItemPlace(path)
      else { return nil }
      (self.number, self.presenter, self.place) = (number, presenter, place)
      isPackage = FolderSigns(place)?.showPackage() ?? false
    }
  }

  private struct State {
    /// The presenters, each with its entry if it presents an item.
    var presenters: [ObjectIdentifier: (number: UInt64, presenter: any FilePresenter, entry: Entry?)] = [:]
    var last: UInt64 = 0

    var entries: [Entry] { presenters.values.compactMap(\.entry) }
  }

  private let state = Mutex(State())

  var presenters: [any FilePresenter] { state.withLock { $0.presenters.values.map(\.presenter) } }

  /// Adds a presenter, or looks up again what it presents.
  ///
  /// - Returns: the presenter's number and entry; the entry is nil if it presents no item.
  func add(_ presenter: any FilePresenter) -> (number: UInt64, entry: Entry?) {
    let number = state.withLock { state in
      if let known = state.presenters[ObjectIdentifier(presenter)] { return known.number }
      state.last += 1
      state.presenters[ObjectIdentifier(presenter)] = (state.last, presenter, nil)
      return state.last
    }
    let entry = Entry(number, presenter)
    state.withLock { $0.presenters[ObjectIdentifier(presenter)]?.entry = entry }
    return (number, entry)
  }

  /// - Returns: the number that the presenter had.
  func remove(_ presenter: ObjectIdentifier) -> UInt64? {
    state.withLock { $0.presenters.removeValue(forKey: presenter)?.number }
  }

  var isEmpty: Bool { state.withLock { $0.presenters.isEmpty } }
  var entries: [Entry] { state.withLock { $0.entries } }

  func isPresenting(_ presenter: any FilePresenter) -> Bool {
    state.withLock { $0.presenters[ObjectIdentifier(presenter)] != nil }
  }

  // MARK: Asking

  private func entries(
    concernedBy request: AccessRequest, except initiator: ObjectIdentifier?
  ) -> [Entry] {
    entries.filter {
      ObjectIdentifier($0.presenter) != initiator
        && request.concern($0.place, isPackage: $0.isPackage) == .asked
    }
  }

  func numbers(concernedBy request: AccessRequest, except initiator: ObjectIdentifier?) -> Set<UInt64> {
    Set(entries(concernedBy: request, except: initiator).map(\.number))
  }

  /// Returns whether no other presenter here presents the same item, or one in it or around it.
  ///
  /// Cost: a look at each presenter.
  func isOnly(_ presenter: any FilePresenter) -> Bool {
    state.withLock { state in
      let entries = state.entries
      if entries.count < 2 { return true }
      guard let own = state.presenters[ObjectIdentifier(presenter)]?.entry else { return false }
      return entries.allSatisfy { other in
        other.number == own.number || !other.place.overlaps(own.place)
      }
    }
  }

  /// Asks all presenters that the access concerns to relinquish the item, and waits for them.
  ///
  /// - Parameter initiator: the presenter that makes the access; it is not asked.
  /// - Throws: the error of a presenter; the other presenters then reacquire their items.
  func ask(_ request: AccessRequest, except initiator: ObjectIdentifier?) async throws -> Relinquishment {
    let asked = entries(concernedBy: request, except: initiator)
    let answers = await withTaskGroup(of: (FilePresenter.Reacquirer?, (any Error)?).self) { group in
      for entry in asked { group.addTask { await entry.ask(request) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let relinquishment = Relinquishment(answers.compactMap(\.0))
    if let error = answers.lazy.compactMap(\.1).first {
      await relinquishment.reacquire()
      throw error
    }
    return relinquishment
  }

  // MARK: Telling

  /// Tells all presenters that a write concerns.
  func tell(_ request: AccessRequest, moves: [ItemMove], except initiator: ObjectIdentifier?) async {
    let told = entries.filter { ObjectIdentifier($0.presenter) != initiator }
    await withTaskGroup(of: Void.self) { group in
      for entry in told { group.addTask { await entry.tell(request, moves) } }
    }
  }
}

/// The closures that presenters run after an access.
struct Relinquishment: Sendable {
  private let reacquirers: [FilePresenter.Reacquirer]

  init(_ reacquirers: [FilePresenter.Reacquirer]) { self.reacquirers = reacquirers }

  func reacquire() async {
    await withTaskGroup(of: Void.self) { group in
      for reacquirer in reacquirers { group.addTask { await reacquirer() } }
    }
  }
}

extension PresenterTable.Entry {
  fileprivate func ask(_ request: AccessRequest) async -> (FilePresenter.Reacquirer?, (any Error)?) {
    let reacquirer =
      request.kind == .read
      ? await presenter.relinquishPresentedItem(toReader: request.holder)
      : await presenter.relinquishPresentedItem(toWriter: request.holder)
    do {
      if request.writingOptions.removesItem {
        if place.encloses(request.item) {
          try await presenter.accommodatePresentedSubitemDeletion(at: request.itemURL)
        } else {
          try await presenter.accommodatePresentedItemDeletion()
        }
      } else if request.asksToSave {
        try await presenter.savePresentedItemChanges()
      }
      return (reacquirer, nil)
    } catch {
      return (reacquirer, error)
    }
  }

  fileprivate func tell(_ request: AccessRequest, _ moves: [ItemMove]) async {
    var isTold = false
    for move in moves {
      if let new = place.moved(from: move.old, to: move.new) {
        await presenter.presentedItemDidMove(to: URL(new, isDirectory: isPackage))
        isTold = true
      } else if place.encloses(move.old) {
        isTold = true
        await presenter.presentedSubitem(
          at: URL(move.old, isDirectory: false), didMoveTo: URL(move.new, isDirectory: false))
      }
    }
    if isTold || request.concern(place, isPackage: isPackage) == .none { return }
    if !place.encloses(request.item) {
      await presenter.presentedItemDidChange()
    } else if request.item.isThere {
      await presenter.presentedSubitemDidChange(at: request.itemURL)
    } else {
      await presenter.presentedSubitemDidAppear(at: request.itemURL)
    }
  }
}

extension AccessRequest {
  var itemURL: URL { URL(item, isDirectory: false) }

  /// Whether presenters save unsaved changes first.
  var asksToSave: Bool {
    kind == .read ? !readingOptions.contains(.withoutChanges) : writingOptions.contains(.forMerging)
  }

  /// Whether the access asks any presenter.
  var asksPresenters: Bool {
    !readingOptions.contains(.immediatelyAvailableMetadataOnly)
      && !writingOptions.contains(.contentIndependentMetadataOnly)
  }
}
