public import FilePackages
public import FoundationEssentials

// (1) A caller that asks for a save while another one waits gets the result of that one. It has all edits until it
//     begins.
// (2) If another program's change stands in the way of a save, the save takes that change in first.
// (3) A document that is saved elsewhere is there, and open, in one step: no call sees the one without the other.

extension Document {
  /// Saves the present content.
  ///
  /// After the return, the content of the moment when the save began is durable. Other programs see it some hundredths
  /// of a second later. Later edits stay unsaved.
  ///
  /// Cost: the changed children for a package; the whole file for a flat file.
  ///
  /// - Throws: `closed`; `deleted` if the document is not in its place any more, after which it is closed; `content` if
  ///   the document type refuses; `file` if the file system refuses. The edits are then in memory, the state has
  ///   `savingError`, and `recoveryCopy` has their place on disk.
  @discardableResult
  public func save() async throws(DocumentError) -> SaveReport {
    if isWithinAccess { return try await write() }
    // (1)
    if let waitingSave { return try await waitingSave.value.get() }
    let task = enqueue { document in
      document.waitingSave = nil
      return await Self.result { () throws(DocumentError) in try await document.write() }
    }
    waitingSave = task
    return try await task.value.get()
  }

  /// Saves the document to `url`.
  ///
  /// A save to the document's own place for overwriting is `save()`. Any other one makes a new document there, of the
  /// whole content with the unsaved edits, and goes on with that one. The document in the old place stays as it was
  /// last saved. A new package has an identifier of its own.
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
      guard let storage = document.storage else { throw document.error(.closed, .save) }
      do {
        try await storage.publish()
      } catch {
        throw DocumentError(error, .save, document.fileURL)
      }
    }
  }

  // MARK: Within an access

  @discardableResult
  func write() async throws(DocumentError) -> SaveReport {
    guard isOpen else { throw error(.closed, .save) }
    begin(.saving)
    do throws(DocumentError) {
      let report = try await writePresent()
      schedule?.saveEnds()
      await removeUsedCopies()
      let hasConflicts = facts?.hasNewConflicts == true || !report.conflicts.isEmpty
      end { state in
        state.remove(.savingError)
        if hasConflicts { state.insert(.inConflict) }
      }
      options.eventHandler?(.saved(report))
      return report
    } catch {
      let error = await keepingCopy(error)
      end { if isOpen { $0.insert(.savingError) } }
      schedule?.saveFails(at: clock.now())
      startAutosaving()
      throw report(error)
    }
  }

  private func writePresent() async throws(DocumentError) -> SaveReport {
    var attempts = 0
    while true {
      guard let storage else { throw error(.closed, .save) }
      try await keepConflict()
      do {
        let (report, content, revision) = try await inTurn(.write, at: fileURL) { document in
          // No `await` may come between these two and the beginning of the save.
          guard let content = document.present else { throw document.error(.closed, .save) }
          let revision = document.changes.current
          document.schedule?.saveBegins()
          return (try await storage.save(content, document.options.saving), content, revision)
        }
        changes.save(revision)
        base = content
        facts = await storage.facts()
        return report
      } catch let failure as FilePackageError where failure.code == .changedOnDisk && attempts < 3 {
        // (2)
        attempts += 1
        if try await takeIn(.save) == .nothing { throw DocumentError(failure, .save, fileURL) }
      } catch {
        throw DocumentError(error, .save, fileURL)
      }
    }
  }

  private func make(at url: URL) async throws(DocumentError) -> SaveReport {
    guard let content = present else { throw error(.closed, .save) }
    begin(.saving)
    let revision = changes.current
    do {
      let (made, report) = try await DocumentStorage.create(
        content, from: storage, at: url, writesMetadata: options.writesMetadata, on: medium)
      let madeFacts = await made.facts()
      await startPresenting(at: url)
      let watcher = await makeWatcher(of: made, at: url)
      await removeUsedCopies()
      // (3)
      (storage, fileURL, facts) = (made, url, madeFacts)
      hear(watcher)
      changes.save(revision)
      base = content
      unkeptConflict = []
      schedule?.saveEnds()
      end { $0.subtract([.closed, .savingError, .inConflict]) }
      noteChange()
      options.eventHandler?(.saved(report))
      return report
    } catch {
      end { if isOpen { $0.insert(.savingError) } }
      throw report(DocumentError(error, .save, url))
    }
  }

  private var isWithinAccess: Bool {
    runningAccess.map { FileAccess.enclosing.contains(ObjectIdentifier($0)) } ?? false
  }
}
