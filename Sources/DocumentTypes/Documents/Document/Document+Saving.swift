public import FilePackages
public import FoundationEssentials

extension Document: AutosavingDocument {
  /// Saves the present content.
  ///
  /// After the return, the content of the moment when the save began is durable, and other programs see it. Later edits
  /// stay unsaved.
  ///
  /// Cost: the changed children for a package; the whole file for a flat file.
  ///
  /// - Throws: `closed`; `content` if the document type refuses; `file` if the file system refuses; `deleted` if the
  ///   document is gone from its place. After `deleted`, the document is closed. After `content` and `file`, the edits
  ///   are in memory, the state has `savingError`, and `recoveryCopy` has their place on disk.
  @discardableResult
  public func save() async throws(DocumentError) -> SaveReport {
    try await saveCoordinated(isPublishing: true)
  }

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

  /// Saves the document if it has unsaved edits.
  ///
  /// - Throws: as `save()`.
  public func autosave() async throws(DocumentError) {
    guard isOpen else { throw error(.closed, .save) }
    if hasUnsavedChanges { try await save() }
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

  /// Saves the present content, and tells the outcome.
  @discardableResult
  package func write(isPublishing: Bool = true) async throws(DocumentError) -> SaveReport {
    guard isOpen else { throw error(.closed, .save) }
    begin(.saving)
    do throws(DocumentError) {
      let report = try await writePresent(
        isPublishing ? options.savingOptions : options.savingOptions.union(.returnsAtCommit))
      await noteSave(report)
      return report
    } catch {
      throw await noteFailure(error)
    }
  }

  private func writePresent(
    _ saving: PackageStore.SavingOptions
  ) async throws(DocumentError) -> SaveReport {
    var attempts = 0
    while true {
      guard let storage = lifecycle.opened?.storage else { throw error(.closed, .save) }
      try await makeConflictVersion()
      do {
        return try await write(to: storage, saving)
      } catch let failure as FilePackageError where failure.code == .changedOnDisk && attempts < 3 {
        // Another program's change stands in the way: the save takes it in first (D3).
        attempts += 1
        if try await mergeExternalChanges(.save) == .nothing { throw DocumentError(failure, .save, fileURL) }
      } catch {
        throw DocumentError(error, .save, fileURL)
      }
    }
  }

  private func write(
    to storage: any DocumentStorage, _ saving: PackageStore.SavingOptions
  ) async throws -> SaveReport {
    let (report, content, revision) = try await coordinated(.write, at: fileURL) {
      // No `await` may come between these two and the beginning of the save.
      guard let content = lifecycle.opened?.content else { throw error(.closed, .save) }
      let revision = changes.current
      autosaver.saveBegins()
      return (try await storage.save(content, options: saving), content, revision)
    }
    changes.save(revision)
    lifecycle.opened?.base = content
    let facts = await storage.facts()
    lifecycle.opened?.facts = facts
    if report.strategy != .none, let date = facts.modified { lifecycle.opened?.disk = .asSaved(date) }
    return report
  }

  private func noteSave(_ report: SaveReport) async {
    autosaver.saveEnds()
    await removeUsedCopies()
    lifecycle.opened?.hasFailed = false
    if lifecycle.facts?.hasNewConflicts == true || !report.conflicts.isEmpty {
      lifecycle.opened?.noteConflict()
    }
    end()
    options.eventHandler?(.saved(report))
  }

  private func noteFailure(_ error: DocumentError) async -> DocumentError {
    var error = error
    if let opened = lifecycle.opened { error.note(opened.disk) }
    error = await withRecoveryCopy(error)
    lifecycle.opened?.hasFailed = true
    end()
    autosaver.saveFails(at: clock.now())
    startAutosaving()
    return report(error)
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
      lifecycle.make(content, facts, in: made)
      fileURL = url
      hear(watcher)
      changes.save(revision)
      autosaver.saveEnds()
      end()
      noteChange()
      options.eventHandler?(.saved(report))
      return report
    } catch {
      lifecycle.opened?.hasFailed = true
      end()
      throw report(DocumentError(error, .save, url))
    }
  }
}
