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

  /// - Parameter owner: the document, which need not have a place yet.
  init(_ owner: NSDocument) {
    self.owner = owner
    super.init(fileURL: URL(fileURLWithPath: "/dev/null"))
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

  override func presentedItemDidMove(to newURL: URL) {
    owner?.fileURL = newURL
    owner?.presentedItemDidMove(to: newURL)
  }

  override func presentedItemDidChange() { owner?.presentedItemDidChange() }

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
    let result = Result {
      let collected = CollectedContents()
      collecting = collected
      defer { collecting = nil }
      try owner.writeSafely(to: url, ofType: typeName, for: owner.operation)
      return try collected.result().tree
    }
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
