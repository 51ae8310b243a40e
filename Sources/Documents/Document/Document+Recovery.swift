import FilePackages
import FoundationEssentials

extension Document {
  /// Takes the edits of a recovery copy into the content, over the document as it is on disk.
  ///
  /// It saves unsaved edits first. The result is unsaved; the document removes the copy after its next save. If another
  /// program saved the document since the copy was made, its state of the same children becomes a conflict version.
  ///
  /// - Throws: `closed`; `file` and `content` if the copy or the document cannot be read. The document is then as it
  ///   was before.
  public func recover(_ copy: RecoveryCopy) async throws(DocumentError) {
    disableEditing()
    defer { enableEditing() }
    try await attempt { document throws(DocumentError) in try await document.takeIn(copy) }
  }

  private func takeIn(_ copy: RecoveryCopy) async throws(DocumentError) {
    if hasUnsavedChanges { try await write() }
    guard let storage, let shelf else { throw error(.closed, .recover) }
    begin(.reverting)
    do {
      let edits = try await BlockingThread().run { try shelf.changes(of: copy) }
      let isOfThisState = copy.record.baseRevision != nil && copy.record.baseRevision == facts?.revision
      let paths = isOfThisState ? [] : try edits.paths()
      // The base of a later merge is the content on disk, without the edits.
      start(with: try await storage.reload(as: Content.self))
      let content = try await storage.apply(edits, as: Content.self)
      present = content
      changes.change()
      changes.forgetSaved()
      adoptedCopies.append(copy)
      recoveryCopies.removeAll { $0.id == copy.id }
      if !paths.isEmpty {
        unkeptConflict = paths
        try await keepConflict()
      }
      end { if !paths.isEmpty { $0.insert(.inConflict) } }
      noteChange()
    } catch {
      end { _ in }
      throw report(DocumentError(error, .recover, fileURL))
    }
  }

  /// Removes a recovery copy that the user does not want.
  ///
  /// - Throws: `file` when it cannot be removed.
  public func discard(_ copy: RecoveryCopy) async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      do {
        try await document.remove(copy)
      } catch {
        throw document.report(DocumentError(error, .recover, document.fileURL))
      }
    }
  }

  // MARK: Within an access

  func remove(_ copy: RecoveryCopy) async throws {
    guard let shelf else { return }
    try await BlockingThread().run { try shelf.remove(copy) }
    copyLocks[copy.id] = nil
    recoveryCopies.removeAll { $0.id == copy.id }
  }

  /// Returns the copies of edits that other documents at this place could not save.
  func recoveryCopies(of facts: DocumentStorage.Facts) async -> [RecoveryShelf.Taken] {
    guard let shelf else { return [] }
    let (document, disk) = (newRecord(.edits, of: facts), medium.disk)
    do {
      return try await BlockingThread().run { try shelf.copies { $0.isOf(document, documentsOn: disk) } }
    } catch {
      report(DocumentError(error, .recover, fileURL))
      return []
    }
  }

  func keep(_ copies: [RecoveryShelf.Taken]) {
    recoveryCopies = copies.map(\.copy)
    for (copy, lock) in copies { copyLocks[copy.id] = lock }
  }

  /// Makes a recovery copy of the unsaved edits, and returns the error with its URL.
  func keepingCopy(_ error: DocumentError) async -> DocumentError {
    var error = error
    guard let storage, let content = present, changes.hasUnsavedChanges else { return error }
    error.hasUnsavedChanges = true
    // A content that cannot be written has no copy either, unless it writes by URL: then the disk may be the reason.
    guard let shelf, error.code != .content || Content.self is any URLDocumentContent.Type else {
      return error
    }
    let revision = changes.current
    if ownCopy?.revision != revision {
      let record = newRecord(.edits, of: facts)
      do {
        let edits = try await storage.unsavedChanges(of: content)
        let name = recoveryName
        let (copy, lock) = try await BlockingThread().run { try shelf.keep(edits, record, as: name) }
        ownCopy = (copy, revision)
        copyLocks[copy.id] = lock
      } catch let second {
        // The caller throws the first error; the edits are in memory.
        report(DocumentError(second, .recover, fileURL))
        return error
      }
    }
    error.recoveryCopy = ownCopy?.copy.url
    return error
  }

  private func newRecord(
    _ kind: RecoveryCopy.Kind, of facts: DocumentStorage.Facts?
  ) -> RecoveryCopy.Record {
    RecoveryCopy.Record(
      kind: kind, document: fileURL.standardized.path, identifier: facts?.identifier,
      contentType: (facts?.contentType ?? fileType).identifier, baseRevision: facts?.revision, saved: Date(),
      removed: [])
  }

  /// Copies the other program's state of a flat file to the recovery copies.
  func keepConflict(of store: FlatFileStore) async throws {
    guard let shelf else { return }
    let record = newRecord(.conflict, of: facts)
    let theirs = try await store.everything()
    recoveryCopies.append(
      try await BlockingThread().run { try shelf.keep(theirs, record, as: UUID().uuidString).copy })
  }

  /// Removes the copies whose edits are saved.
  func removeUsedCopies() async {
    let used = adoptedCopies + (ownCopy.map { [$0.copy] } ?? [])
    guard !used.isEmpty else { return }
    (adoptedCopies, ownCopy) = ([], nil)
    for copy in used {
      do {
        try await remove(copy)
      } catch {
        // The next opening offers the copy again, and no edit is lost.
        report(DocumentError(error, .recover, fileURL))
      }
    }
  }
}
