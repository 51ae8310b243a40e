import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization

// (1) A document presents its place from before its first read until its close. So a coordinated access elsewhere
//     either asks the document, or is there first and makes it wait.
// (2) A document that is alone reads and writes at once, and a later access elsewhere waits for that. If the document
//     has made way, or is not alone, it coordinates.
// (3) Making way waits for no step that may wait for another document: two documents that ask each other both get an
//     answer.
// (4) If other programs do not answer or do not end in time, the document goes on without them. No edit is lost, since
//     the package has locks of its own.

/// The presenter of an open document. It does not keep the document alive.
final class DocumentPresenter: FilePresenter {
  struct Methods: Sendable {
    var makeWay: @Sendable () async -> Reacquirer?
    var save: @Sendable () async throws -> Void
    var accommodateDeletion: @Sendable () async throws -> Void
    var move: @Sendable (URL) async -> Void
    var change: @Sendable () async -> Void
  }

  private let url: Mutex<URL>
  private let methods: Methods

  init(_ url: URL, _ methods: Methods) {
    self.url = Mutex(url)
    self.methods = methods
  }

  var presentedItemURL: URL? { url.withLock { $0 } }

  func go(to newURL: URL) { url.withLock { $0 = newURL } }

  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  func savePresentedItemChanges() async throws { try await methods.save() }
  func accommodatePresentedItemDeletion() async throws { try await methods.accommodateDeletion() }
  func presentedItemDidMove(to newURL: URL) async { await methods.move(newURL) }
  func presentedItemDidChange() async { await methods.change() }
}

/// The document's part in coordination.
struct DocumentTurns {
  /// The number of accesses elsewhere that the document makes way for.
  var given = 0
  /// The number of running accesses that the document did not coordinate. (2)
  var unclaimed = 0
  /// The callers that wait for the end of those.
  var waiting: [CheckedContinuation<Void, Never>] = []
}

extension Document {
  /// The document as a presenter, while it is open; nil if it takes no part in coordination. A `FileCoordinator` that
  /// is made with it neither asks nor tells the document.
  public var filePresenter: (any FilePresenter)? { presenter }

  // MARK: Presenting

  /// (1)
  func startPresenting(at url: URL) async {
    guard options.takesTurns, medium.disk is PosixDisk else { return }
    let new = presenter ?? makePresenter(url)
    new.go(to: url)
    presenter = new
    do {
      try await CoordinationRegistry.shared.add(new)
    } catch {
      presenter = nil
      report(DocumentError(.coordination, .open, url, cause: error))
    }
  }

  func stopPresenting() async {
    guard let presenter else { return }
    self.presenter = nil
    await CoordinationRegistry.shared.remove(ObjectIdentifier(presenter))
  }

  private func makePresenter(_ url: URL) -> DocumentPresenter {
    DocumentPresenter(
      url,
      .init(
        makeWay: { [weak self] in await self?.makeWay() },
        save: { [weak self] in try await self?.savePresentedItemChanges() },
        accommodateDeletion: { [weak self] in try await self?.accommodatePresentedItemDeletion() },
        move: { [weak self] in await self?.presentedItemDidMove(to: $0) },
        change: { [weak self] in await self?.presentedItemDidChange() }))
  }

  /// Saves unsaved edits, and waits until other programs see them: one of them is about to read the document.
  ///
  /// - Throws: as `save()`.
  public func savePresentedItemChanges() async throws(DocumentError) {
    guard isOpen else { return }
    try await autosave()
    try await synchronize()
  }

  /// (3)
  private func makeWay() async -> FilePresenter.Reacquirer? {
    turns.given += 1
    while turns.unclaimed > 0 { await withCheckedContinuation { turns.waiting.append($0) } }
    do {
      // Publishes committed children at once instead of a moment later.
      try await storage?.publish()
    } catch {
      report(DocumentError(error, .save, fileURL))
    }
    return { [weak self] in await self?.takeBack() }
  }

  private func takeBack() { turns.given -= 1 }

  // MARK: Coordination

  /// Reads or writes in turn with other programs. (2)
  func inTurn<Result: Sendable>(
    _ kind: AccessRequest.Kind, at url: URL,
    _ body: @Sendable (isolated Document) async throws -> Result
  ) async throws -> Result {
    guard let presenter else { return try await body(self) }
    if turns.given == 0, (try? await CoordinationRegistry.shared.isAlone(presenter)) == true, turns.given == 0
    {
      return try await unclaimed(body)
    }
    let coordinator = FileCoordinator(filePresenter: presenter)
    var result: Swift.Result<Result, any Error>?
    do {
      try await coordinator.access(
        [kind == .read ? .readingIntent(with: url) : .writingIntent(with: url)],
        deadline: options.coordinationDeadline
      ) {
        do {
          result = .success(try await body(self))
          // No child may get its visible name after another program's turn began.
          if kind == .write { try await storage?.publish() }
        } catch {
          result = result ?? .failure(error)
        }
      }
    } catch {
      // (4)
      if result == nil {
        report(DocumentError(.coordination, kind == .read ? .open : .save, url, cause: error))
      }
    }
    guard let result else { return try await unclaimed(body) }
    return try result.get()
  }

  private func unclaimed<Result: Sendable>(
    _ body: @Sendable (isolated Document) async throws -> Result
  ) async throws -> Result {
    turns.unclaimed += 1
    defer {
      turns.unclaimed -= 1
      if turns.unclaimed == 0 { while let waiting = turns.waiting.popLast() { waiting.resume() } }
    }
    return try await body(self)
  }
}
