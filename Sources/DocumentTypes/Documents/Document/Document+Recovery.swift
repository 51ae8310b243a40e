import FilePackages
import FoundationEssentials

extension Document {
  /// The recovery copies that the opening found: edits that an earlier document could not save. While this document is
  /// open, no other document lists them. `errorHandler` gets the error of a copy that cannot be read.
  public var recoveryCopies: [RecoveryCopy] { recovery?.offered ?? [] }

  /// Applies the edits of a recovery copy to the document as it is on disk.
  ///
  /// The document saves unsaved edits first. The result is unsaved, and the document removes the copy after its next
  /// save. If another program saved the document since the copy was made, its state of the same children becomes a
  /// conflict version.
  ///
  /// - Throws: `closed`; `file` and `content` if the copy or the document cannot be read. The document is then as it
  ///   was before.
  public func recover(_ copy: RecoveryCopy) async throws(DocumentError) {
    disableEditing()
    defer { enableEditing() }
    try await attempt { document throws(DocumentError) in try await document.mergeExternalChanges(copy) }
  }

  private func mergeExternalChanges(_ copy: RecoveryCopy) async throws(DocumentError) {
    if hasUnsavedChanges { try await write() }
    guard let opened = lifecycle.opened, let recovery else { throw error(.closed, .recover) }
    begin(.reverting)
    do {
      let edits = try await recovery.edits(of: copy)
      let edited = try edits.paths()
      // The base of a later merge is the content on disk, without the edits.
      let base = try await opened.storage.reload(as: Content.self)
      let facts = await opened.storage.facts()
      let isOfThisState = copy.record.baseRevision != nil && copy.record.baseRevision == facts.revision
      adopt(base, facts, in: opened.storage)
      if !isOfThisState && !edited.isEmpty {
        // First: if it fails, the document is as on disk, and the copy is still offered.
        try await opened.storage.makeConflictVersion(of: edited)
        lifecycle.opened?.conflict = .stored
      }
      let content = try await opened.storage.reload(as: Content.self, with: edits)
      lifecycle.opened?.content = content
      changes.change()
      changes.forgetSaved()
      recovery.adopt(copy)
      end()
      noteChange()
    } catch {
      end()
      throw report(DocumentError(error, .recover, fileURL))
    }
  }

  /// Offers the recovery copies again whose edits a model has refused. No save removes them then.
  package func offerAgain() { recovery?.offerAgain() }

  /// Removes a recovery copy that the user does not want.
  ///
  /// - Throws: `file` if it cannot be removed.
  public func discard(_ copy: RecoveryCopy) async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      do {
        try await document.recovery?.remove(copy)
      } catch {
        throw document.report(DocumentError(error, .recover, document.fileURL))
      }
    }
  }

  // MARK: Within an access

  /// Returns the copies of edits that other documents at this place could not save.
  func findRecoveryCopies(_ facts: StorageFacts) async -> [RecoveryStore.Taken] {
    guard let recovery else { return [] }
    do {
      let found = try await recovery.copies(of: newRecord(of: facts), documentsOn: storageEnvironment.disk)
      // They may hold edits of this document.
      for problem in found.problems { report(DocumentError(problem, .recover, fileURL)) }
      return found.copies
    } catch {
      report(DocumentError(error, .recover, fileURL))
      return []
    }
  }

  /// Makes a recovery copy of the unsaved edits, and returns the error with its URL.
  func withRecoveryCopy(_ error: DocumentError) async -> DocumentError {
    var error = error
    guard let opened = lifecycle.opened, changes.hasUnsavedChanges else { return error }
    error.hasUnsavedChanges = true
    // A content that cannot be written has no copy either.
    guard let recovery, error.code != .content else { return error }
    do {
      var record = newRecord(of: opened.facts)
      // Another program's state that is no conflict version yet becomes one when the copy is loaded (D3).
      if case .pending = opened.conflict { record.baseRevision = nil }
      error.recoveryCopy = try await recovery.store(changes.current, record) {
        try await opened.storage.unsavedChanges(of: opened.content)
      }
    } catch let second {
      // The caller throws the first error; the edits are in memory.
      report(DocumentError(second, .recover, fileURL))
    }
    return error
  }

  func newRecord(of facts: StorageFacts?) -> RecoveryCopy.Record {
    RecoveryCopy.Record(
      document: fileURL.standardized.path, identifier: facts?.identifier,
      contentType: (facts?.contentType ?? fileType).identifier, baseRevision: facts?.revision, saved: Date(),
      removed: [])
  }

  /// Removes the copies whose edits are saved.
  func removeUsedCopies() async {
    for error in await recovery?.removeUsed() ?? [] { report(DocumentError(error, .recover, fileURL)) }
  }
}
