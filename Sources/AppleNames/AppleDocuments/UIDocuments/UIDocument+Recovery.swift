public import Documents

// UIKit has no recovery copies: an edit that cannot be saved is in memory alone.

extension UIDocument {
  /// The recovery copies that the opening found: edits that an earlier document could not save.
  ///
  /// It is empty while the document is closed. While this document is open, no other document lists them.
  public var recoveryCopies: [RecoveryCopy] {
    get async { await file.engine?.recoveryCopies ?? [] }
  }

  /// Loads the edits of a recovery copy, over the document as it is on disk. Returns whether the model has them.
  ///
  /// It first saves unsaved changes by `autosave`, and discards the undo manager's actions. The loaded edits are an
  /// unsaved change. The next save removes the copy. If another program saved the document since the copy was made, its
  /// state of the same children becomes a conflict version. A failure leaves the document and the copy as they are, and
  /// `handleError` gets the reason.
  ///
  /// A subclass that overrides `read(from:)` reads the disk, which does not have the edits. It reads the files of the
  /// copy at `RecoveryCopy.url` instead.
  @discardableResult
  public func recover(_ copy: RecoveryCopy) async -> Bool {
    guard await autosave() else { return false }
    return await withEngine { try await self.file.recover(copy, in: $0) }
  }

  /// Removes a recovery copy that the user does not want. Returns whether it is removed.
  @discardableResult
  public func discard(_ copy: RecoveryCopy) async -> Bool {
    await withEngine { try await $0.discard(copy) }
  }

  /// Calls `body` with the engine in its turn; false if there is none.
  private func withEngine(_ body: @escaping @MainActor (ModelFile.Engine) async throws -> Void) async -> Bool
  {
    await answer { completionHandler in
      enqueue(completionHandler) { [self] in
        guard let engine = file.engine else { return false }
        return await attempt { try await body(engine) }
      }
    }
  }
}
