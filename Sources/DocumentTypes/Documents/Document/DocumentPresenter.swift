package import FoundationEssentials
import Synchronization

/// An object that hears of single children of an open package.
package protocol ChildObserver: AnyObject, Sendable {
  /// Another program is about to delete or replace a child. An error stops that program.
  func accommodateDeletion(ofChildAt url: URL) async throws
  /// Another program has moved a child.
  func childDidMove(from oldURL: URL, to newURL: URL)
}

/// The presenter of an open document. It does not keep the document alive.
package final class DocumentPresenter: FilePresenter {
  package struct Methods: Sendable {
    package var makeWay: @Sendable () async -> Reacquirer?
    package var save: @Sendable () async throws -> Void
    package var accommodateDeletion: @Sendable () async throws -> Void
    package var move: @Sendable (URL) async -> Void
    package var change: @Sendable () async -> Void

    package init(
      makeWay: @escaping @Sendable () async -> Reacquirer?, save: @escaping @Sendable () async throws -> Void,
      accommodateDeletion: @escaping @Sendable () async throws -> Void,
      move: @escaping @Sendable (URL) async -> Void, change: @escaping @Sendable () async -> Void
    ) {
      (self.makeWay, self.save, self.accommodateDeletion) = (makeWay, save, accommodateDeletion)
      (self.move, self.change) = (move, change)
    }
  }

  private struct Weak: Sendable {
    weak var observer: (any ChildObserver)?
  }

  private let url: Mutex<URL>
  private let methods: Methods
  private let weak = Mutex(Weak())

  package init(_ url: URL, _ methods: Methods) {
    self.url = Mutex(url)
    self.methods = methods
  }

  package var presentedItemURL: URL? { url.withLock { $0 } }

  /// The observer hears of children from now on.
  package func observe(_ observer: any ChildObserver) { weak.withLock { $0.observer = observer } }

  private var observer: (any ChildObserver)? { weak.withLock { $0.observer } }

  package func go(to newURL: URL) { url.withLock { $0 = newURL } }

  package func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  package func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  package func savePresentedItemChanges() async throws { try await methods.save() }
  package func accommodatePresentedItemDeletion() async throws { try await methods.accommodateDeletion() }
  package func presentedItemDidMove(to newURL: URL) async { await methods.move(newURL) }
  package func presentedItemDidChange() async { await methods.change() }

  // MARK: Children

  package var presenterCapabilities: FilePresenterCapabilities { .presentedSubitems }

  package func accommodatePresentedSubitemDeletion(at url: URL) async throws {
    try await observer?.accommodateDeletion(ofChildAt: url)
  }

  package func presentedSubitemDidChange(at url: URL) async { await methods.change() }
  package func presentedSubitemDidAppear(at url: URL) async { await methods.change() }

  package func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {
    await methods.change()
    observer?.childDidMove(from: oldURL, to: newURL)
  }
}
