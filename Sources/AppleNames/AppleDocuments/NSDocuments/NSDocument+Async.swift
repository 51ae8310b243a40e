public import Foundation

/// A subclass of `NSDocument` whose objects `duplicate()` can make.
///
/// A final class with `override init()`, or without an initialiser of its own, conforms by `extension Note:
/// DuplicableDocument {}`.
@MainActor
public protocol DuplicableDocument: NSDocument {
  /// Makes a document without a place.
  init()
}

// The forms that wait.

extension NSDocument {
  /// Saves the contents of this moment to `url`, as `save(to:ofType:for:completionHandler:)` does.
  ///
  /// - Throws: the reason of a failure.
  public func save(to url: URL, ofType typeName: String, for saveOperation: SaveOperationType) async throws {
    try await finish { save(to: url, ofType: typeName, for: saveOperation, completionHandler: $0) }
  }

  /// Saves the document if it has unsaved changes and a place.
  ///
  /// - Throws: the reason of a failure.
  public func autosave(withImplicitCancellability autosavingIsImplicitlyCancellable: Bool) async throws {
    try await finish {
      autosave(withImplicitCancellability: autosavingIsImplicitlyCancellable, completionHandler: $0)
    }
  }

  /// Moves the document's file to `url`, as `move(to:completionHandler:)` does.
  ///
  /// - Throws: the reason of a failure.
  public func move(to url: URL) async throws {
    try await finish { move(to: url, completionHandler: $0) }
  }

  /// Calls `body`, and throws the error that its completion handler gets.
  private func finish(_ body: (@escaping ((any Error)?) -> Void) -> Void) async throws {
    if let error: any Error = await answer(body) { throw error }
  }

  /// Closes the document as `close()` does, and waits for the end. Apple's class has no such method.
  ///
  /// - Returns: false if the document could not be saved.
  @discardableResult
  public func finishClosing() async -> Bool {
    close()
    return await closing?.value ?? true
  }
}
