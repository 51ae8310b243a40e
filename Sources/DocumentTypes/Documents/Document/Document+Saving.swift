public import FilePackages
public import FoundationEssentials

extension Document {
  /// Saves the document to `url`.
  ///
  /// At the document's own place, `forOverwriting` is the same as `save()`. Any other call makes a new document at
  /// `url`, of the whole content with the unsaved edits, and this object then is that document. The document in the old
  /// place stays as it was last saved. A new package has an identifier of its own.
  ///
  /// - Throws: as `save()`; `closed` if there is no content; `file` with `fileExists` if another `url` is taken. Unlike
  ///   Apple's method, this one does not replace that file. The document then stays where it was.
  @discardableResult
  public func save(
    to url: URL, for operation: DocumentSaveOperation
  ) async throws(DocumentError) -> SaveReport {
    if operation == .forOverwriting && isOwnPlace(url) { return try await save() }
    return try await attempt { document throws(DocumentError) in try await document.make(at: url) }
  }

  /// Waits until other programs see the last save.
  ///
  /// - Throws: `closed`; `file` if the save cannot be published. The save is durable all the same.
  public func synchronize() async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      guard let storage = document.lifecycle.opened?.storage else { throw document.error(.closed, .save) }
      do {
        try await storage.publish()
      } catch {
        throw DocumentError(error, .save, document.fileURL)
      }
    }
  }

  // MARK: Within an access

  /// Makes committed changes visible; reports an error.
  public func publish(in turn: DocumentTurn) async {
    do {
      try await lifecycle.opened?.storage.publish()
    } catch {
      report(DocumentError(error, .save, fileURL))
    }
  }

  /// Saves the content, after it has taken in what other programs did.
  public func commit(isPublishing: Bool, in turn: DocumentTurn) async throws -> SaveReport {
    let saving = isPublishing ? options.savingOptions : options.savingOptions.union(.returnsAtCommit)
    var attempts = 0
    while true {
      guard let storage = lifecycle.opened?.storage else { throw error(.closed, .save) }
      do {
        let report = try await write(to: storage, saving)
        await removeUsedCopies()
        if lifecycle.facts?.hasNewConflicts == true || !report.conflicts.isEmpty {
          lifecycle.opened?.noteConflict()
        }
        return report
      } catch let failure as FilePackageError where failure.code == .changedOnDisk && attempts < 3 {
        // Another program's change stands in the way: the save takes it in first (D3).
        attempts += 1
        if try await mergeExternalChanges(.save) == .nothing { throw failure }
      }
    }
  }

  /// Returns the error of a save that failed, with the state on disk and the recovery copy of the edits.
  public func failure(ofSave error: any Error, in turn: DocumentTurn) async -> DocumentError {
    var error = DocumentError(error, .save, fileURL)
    if let opened = lifecycle.opened { error.note(opened.disk) }
    return await withRecoveryCopy(error)
  }

  private func write(
    to storage: any DocumentStorage, _ saving: PackageStore.SavingOptions
  ) async throws -> SaveReport {
    let (report, content, revision) = try await coordinated(.writingIntent(with: fileURL)) {
      // The owner may have given its edits back while this save waited for its turn (D3).
      try await makeConflictVersion()
      // No `await` may come between these two and the beginning of the save.
      guard let content = lifecycle.opened?.content else { throw error(.closed, .save) }
      let revision = changes.current
      core.autosaver.saveBegins()
      return (try await storage.save(content, options: saving), content, revision)
    } publish: {
      // No child may get its visible name after another program's turn began.
      try await storage.publish()
    }
    changes.save(revision)
    lifecycle.opened?.base = content
    let facts = await storage.facts()
    lifecycle.opened?.facts = facts
    if report.strategy != .none, let date = facts.modified { lifecycle.opened?.disk = .asSaved(date) }
    return report
  }

  /// Makes a document of the content in another place, and goes on there.
  private func make(at url: URL) async throws(DocumentError) -> SaveReport {
    guard let content = lifecycle.content else { throw error(.closed, .save) }
    begin(.saving)
    let revision = changes.current
    do {
      let (made, report) = try await storageEnvironment.create(
        content, from: lifecycle.opened?.storage, at: url, writesMetadata: options.writesMetadata)
      let facts = await made.facts()
      await startPresenting(at: url)
      let watcher = await makeWatcher(of: made, at: url)
      await removeUsedCopies()
      // The document is there, and open, in one step: no call sees the one without the other.
      core.fileURL = url
      core.hasFailed = false
      lifecycle.make(content, facts, in: made)
      hear(watcher)
      changes.save(revision)
      core.autosaver.saveEnds()
      end()
      noteChange()
      options.eventHandler?(.saved(report))
      return report
    } catch {
      core.hasFailed = true
      end()
      throw report(DocumentError(error, .save, url))
    }
  }
}
