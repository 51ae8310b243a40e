public import FilePackages

extension LiveDocument {
  /// Saves the present content.
  ///
  /// After the return, the content of the moment when the save began is durable. Later edits stay unsaved. Other
  /// programs see a save of a `Document` then. They see that of a `ManagedDocument` some hundredths of a second later,
  /// and `synchronize()` waits for that.
  ///
  /// Cost: the changed children for a package; the whole file for a flat file; for a database one flush of the
  /// write-ahead log.
  ///
  /// - Throws: `closed`; `content` if the document type refuses; `file` if the file system refuses; `deleted` if the
  ///   document is gone from its place. After `deleted`, the document is closed. After `content` and `file`, the edits
  ///   are in the document, and the state has `savingError`. `recoveryCopy` has the place of a value's edits on disk.
  @discardableResult
  public func save() async throws(DocumentError) -> SaveReport { try await save(isPublishing: true) }

  /// Saves the document if it has unsaved edits.
  ///
  /// - Throws: as `save()`.
  public func autosave() async throws(DocumentError) {
    // The save of a closed document throws.
    if hasUnsavedChanges || !isOpen { try await save() }
  }

  /// Saves after the accesses before, together with the callers that wait for the same save.
  private func save(isPublishing: Bool) async throws(DocumentError) -> SaveReport {
    try await core.turns.enqueueSave(isPublishing: isPublishing) { begins in await self.writeNow(begins) }
      .value.get()
  }

  private func writeNow(_ begins: @Sendable () -> Bool) async -> Result<SaveReport, DocumentError> {
    // No `await` may come between this and the beginning of the save.
    await outcome { document throws(DocumentError) in try await document.write(isPublishing: begins()) }
  }

  /// Saves within an access, and tells the outcome.
  @discardableResult
  package func write(isPublishing: Bool = true) async throws(DocumentError) -> SaveReport {
    guard isOpen else { throw error(.closed, .save) }
    begin(.saving)
    do {
      let report = try await commit(isPublishing: isPublishing, in: DocumentTurn())
      core.autosaver.saveEnds()
      core.hasFailed = false
      end()
      core.behaviour.eventHandler?(.saved(report))
      return report
    } catch {
      let failure = await failure(ofSave: error, in: DocumentTurn())
      core.hasFailed = true
      end()
      core.autosaver.saveFails(at: core.clock.now())
      startAutosaving()
      throw report(failure)
    }
  }

  // MARK: Autosaving

  /// Begins to wait for the next autosave. The waiting task keeps the document alive.
  func startAutosaving() {
    guard isOpen, hasUnsavedChanges, core.autosaver.needsTask else { return }
    core.autosaver.wait(in: Task { await autosaveWhileChanged() })
  }

  private func autosaveWhileChanged() async {
    while !Task.isCancelled, hasUnsavedChanges, let due = core.autosaver.due {
      if core.clock.now() < due {
        await core.clock.sleep(due)
      } else {
        // `write()` reports an error to the state and the error handler, and the autosaver has the next attempt.
        // No caller waits until other programs see the save.
        _ = try? await save(isPublishing: false)
      }
    }
    core.autosaver.endsWaiting()
  }

  // MARK: Closing

  /// Saves unsaved edits, waits until other programs see them, and closes the document.
  ///
  /// The document refuses edits meanwhile. Does nothing if the document is closed. The package of a `ManagedDocument`
  /// then has the database as one whole file, which any SQLite program reads.
  ///
  /// - Parameter discardingChanges: whether to give up unsaved edits. A recovery copy of them stays. A `ManagedDocument`
  ///   restores the last save, as `revertToSaved()` does.
  /// - Throws: as `save()`; the document then stays open, with all edits. If a `ManagedDocument` cannot restore the last
  ///   save, it is closed, and the next opening has the edits as unsaved changes.
  public func close(discardingChanges: Bool = false) async throws(DocumentError) {
    // The event handler got the report of the save.
    _ = try await close(discardingChanges: discardingChanges, after: nil)
  }

  /// Closes the document after the save of this report, as `close()` does.
  ///
  /// - Returns: the report, or that of another save if the user edited since, with a warning for each step that failed.
  /// - Throws: as `close()`; nothing if the user edited nothing since that save.
  package func close(after report: SaveReport) async throws(DocumentError) -> SaveReport {
    try await close(discardingChanges: false, after: report) ?? report
  }

  private func close(
    discardingChanges: Bool, after report: SaveReport?
  ) async throws(DocumentError) -> SaveReport? {
    disableEditing()
    defer { enableEditing() }
    await finishEdits(in: DocumentTurn())
    return try await attempt { document throws(DocumentError) in
      var report = report
      // Only the caller may drop edits (D2). A model may count changes during a save.
      while !discardingChanges && document.hasUnsavedChanges { report = try await document.write() }
      return try await document.shut(
        discardingChanges: discardingChanges, after: report, in: DocumentTurn())
    }
  }

  /// Ends every tie of the document to the disk.
  ///
  /// - Parameter change: closes the content. Then the state is told, before other programs may go on.
  package func leave(_ change: () async -> Void) async {
    core.autosaver.stop()
    core.watching?.cancel()
    await change()
    end()
    await stopPresenting()
  }
}
