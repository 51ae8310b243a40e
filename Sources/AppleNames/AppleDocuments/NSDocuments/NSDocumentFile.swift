import Documents
import FilePackages
import Foundation

/// The file of an `NSDocument`: a `UIDocument` whose model is the owner.
final class NSDocumentFile: UIDocument {
  private weak var owner: NSDocument?
  /// The type that the next save writes; nil for that of the document.
  var typeToSave: String?
  /// The running close; nil if there is none.
  private(set) var closing: Task<Bool, Never>?
  /// The reason why the last move failed; nil if it succeeded.
  private var moveFailure: (any Error)?

  /// - Parameter owner: the document, which need not have a place yet.
  init(_ owner: NSDocument) {
    self.owner = owner
    super.init(fileURL: URL(fileURLWithPath: "/dev/null"))
    owner.note(relay)
    if !type(of: owner).autosavesInPlace { autosavePolicy = nil }
  }

  // MARK: The model

  override var fileType: String? { owner?.fileType ?? super.fileType }
  override var savingFileType: String? { typeToSave ?? fileType }

  override func read(from url: URL) throws {
    try owner?.read(from: url, ofType: fileType ?? UTType.data.identifier)
  }

  // A save is to the place that its caller gives.
  override func fileNameExtension(forType typeName: String?, saveOperation: SaveOperation) -> String { "" }

  // The owner gives its tree when it is asked to write.
  override func contents(forType typeName: String) throws -> Any { typeName }

  override func writeContents(
    _ contents: Any, andAttributes additionalFileAttributes: [AnyHashable: Any]?, safelyTo url: URL,
    for saveOperation: SaveOperation
  ) throws {
    guard let owner, let type = contents as? String else { throw CocoaError(.fileWriteUnknown) }
    try owner.writeSafely(to: url, ofType: type, for: owner.operation)
  }

  /// The owner's token, and the reason for the save.
  private struct Token {
    var value: Any
    var operation: NSDocument.SaveOperationType
  }

  override func changeCountToken(for saveOperation: SaveOperation) -> Any {
    owner.map { Token(value: $0.changeCountToken(for: $0.operation), operation: $0.operation) }
      ?? super.changeCountToken(for: saveOperation)
  }

  override func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {
    guard let token = changeCountToken as? Token else { return }
    owner?.updateChangeCount(withToken: token.value, for: token.operation)
  }

  override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
    guard let owner else { return }
    owner.lastError = error
    if owner.runningSaves == 0 { owner.presentError(error) }
  }

  func report(_ error: any Error, to owner: NSDocument) {
    owner.lastError = error
    owner.presentError(error)
  }

  // MARK: Other programs

  // The owner's methods run on its own queue.

  override func presentedItemDidMove(to newURL: URL) {
    owner?.fileURL = newURL
    owner?.tell { $0.presentedItemDidMove(to: newURL) }
  }

  override func presentedItemDidChange() { owner?.tell { $0.presentedItemDidChange() } }

  override func presentedItemDidGain(_ version: NSFileVersion) {
    owner?.tell { $0.presentedItemDidGain(version) }
  }

  override func presentedItemDidResolveConflict(_ version: NSFileVersion) {
    owner?.tell { $0.presentedItemDidResolveConflict(version) }
  }

  override func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void) {
    // The file is gone already, so that nobody waits for the owner's answer.
    owner?.tell { $0.accommodatePresentedItemDeletion { _ in } }
    completionHandler(nil)
  }

  override func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping ((any Error)?) -> Void
  ) {
    guard let owner else { return completionHandler(nil) }
    Task { @MainActor in
      let error: (any Error)? = await withCheckedContinuation { continuation in
        let once = Once(continuation)
        owner.tell { $0.accommodatePresentedSubitemDeletion(at: url) { once.resume($0) } }
      }
      completionHandler(error)
    }
  }

  override func presentedSubitemDidAppear(at url: URL) {
    owner?.tell { $0.presentedSubitemDidAppear(at: url) }
  }

  override func presentedSubitemDidChange(at url: URL) {
    owner?.tell { $0.presentedSubitemDidChange(at: url) }
  }

  override func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
    owner?.tell { $0.presentedSubitem(at: oldURL, didMoveTo: newURL) }
  }

  // MARK: Files

  /// Goes on with the document at `url`, whose contents the owner has read from `wrapper`.
  func follow(_ url: URL, isAsIn wrapper: FileWrapper) {
    enqueue(nil) { document in
      await document.adopt(url) { wrapper.matchesContents(of: url) }
    }
  }

  /// Writes a copy of the contents of this moment.
  func saveCopy(to url: URL, ofType typeName: String, _ completionHandler: @escaping (Bool) -> Void) {
    guard let owner else { return completionHandler(false) }
    let result = Result { try collectContents(of: owner, to: url, ofType: typeName) }
    enqueue(completionHandler) { [owner] _ in
      do {
        let tree = try result.get()
        try await BlockingThread().run { try tree.write(to: url, options: .atomic, originalContentsURL: nil) }
        return true
      } catch {
        owner.lastError = error
        return false
      }
    }
  }

  private func collectContents(
    of owner: NSDocument, to url: URL, ofType typeName: String
  ) throws -> FileWrapper {
    let collected = CollectedContents()
    collecting = collected
    defer { collecting = nil }
    try owner.writeSafely(to: url, ofType: typeName, for: owner.operation)
    return try collected.result().tree
  }

  /// Gives a new document the contents of this moment.
  ///
  /// The new document reads a temporary copy, which stays as long as it needs a part of it.
  func copyContents(to new: NSDocument) throws {
    guard let owner else { return }
    let type = fileType ?? UTType.data.identifier
    let name = owner.fileURL?.lastPathComponent ?? owner.displayName ?? owner.defaultDraftName()
    let files = try WrittenFiles.folder(beside: nil)
    let place = URL(fileURLWithPath: "\(files.path)/\(name)")
    owner.operation = .saveToOperation
    defer { owner.operation = .autosaveInPlaceOperation }
    try files.write(try collectContents(of: owner, to: place, ofType: type), as: name)
    let copy = try files.read(name)
    new.file.loading = copy
    defer { new.file.loading = nil }
    try new.read(from: place, ofType: type)
    (new.fileType, new.displayName, new.isDraft) = (type, "\(owner.displayName ?? name) copy", true)
    new.updateChangeCount(.changeReadOtherContents)
  }

  /// Moves the file, and continues with it there.
  func move(to url: URL, _ completionHandler: @escaping ((any Error)?) -> Void) {
    enqueue({ [self] _ in completionHandler(moveFailure) }) { [self] _ in
      moveFailure = nil
      do {
        try await moveNow(to: url)
      } catch {
        moveFailure = error
      }
      return moveFailure == nil
    }
  }

  private func moveNow(to url: URL) async throws {
    guard let engine = opened?.engine else {
      owner?.fileURL = url
      return
    }
    try await engine.synchronize()
    let (old, presenter) = (fileURL, await engine.filePresenter)
    let result = await engine.performAsynchronousFileAccess {
      await Result<Void, any Error>.catching {
        let coordinator = FileCoordinator(filePresenter: presenter)
        try await coordinator.coordinate(
          writingItemAt: old, options: .forMoving, writingItemAt: url, options: .forReplacing
        ) { old, new in
          try FileManager.default.moveItem(at: old, to: new)
          try await coordinator.item(at: old, didMoveTo: new)
        }
        await engine.presentedItemDidMove(to: url)
      }
    }
    try result.get()
    await refresh()
    owner?.fileURL = url
  }

  /// Begins to close the document as its owner's class wants, unless it closes already.
  func beginClosing() {
    guard closing == nil, let owner else { return }
    closing = Task {
      // The owner stays until it is closed.
      defer { withExtendedLifetime(owner) {} }
      if !type(of: owner).autosavesInPlace {
        forgetUndo()
        updateChangeCount(.cleared)
      }
      return await withCheckedContinuation { continuation in
        close { [self] isClosed in
          closing = nil
          continuation.resume(returning: isClosed)
        }
      }
    }
  }
}

extension Result where Success == Void, Failure == any Error {
  /// Returns the outcome of `body`.
  fileprivate static func catching(_ body: () async throws -> Void) async -> Self {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
