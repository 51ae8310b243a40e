public import Documents
import FilePackages
import FoundationEssentials
import GRDB

extension ManagedDocument: AutosavingDocument {
  /// Saves all edits so far.
  ///
  /// After the return they survive a power cut, rows and files alike. Other programs see the files under their names
  /// some hundredths of a second later; `synchronize()` waits for that. Edits are possible meanwhile, and later ones
  /// stay unsaved. The report names the files that publishing will write and remove, and its `isPublished` is false.
  /// The event `published` has the report of publishing, with the conflicts.
  ///
  /// Cost: one flush of the write-ahead log, whatever the number of rows.
  ///
  /// - Throws: `closed`; `deleted` if the document is not in its place any more; `file` if the disk refuses. The edits
  ///   are then still in the document, and its state has `savingError`.
  @discardableResult
  public func save() async throws(DocumentError) -> SaveReport {
    try await saveCoordinated(isPublishing: false)
  }

  /// Saves the document if it has unsaved edits.
  ///
  /// - Throws: as `save()`.
  public func autosave() async throws(DocumentError) {
    guard isOpen else { throw error(.closed, .save) }
    if hasUnsavedChanges { try await save() }
  }

  /// Saves within an access (MD2), and tells the outcome. The publisher follows a moment later.
  package func write(isPublishing: Bool = false) async throws(DocumentError) -> SaveReport {
    guard isOpen else { throw error(.closed, .save) }
    accesses.activity = .saving
    tellState()
    autosaver.saveBegins()
    do {
      let (report, head) = try await store.commit()
      autosaver.saveEnds()
      end { $0.note(saved: head) }
      noteUnsavedChanges()
      publishSoon()
      await notePlace()
      options.eventHandler?(.saved(report))
      return report
    } catch {
      var failure = failure(of: error, .save)
      if failure.fileError?.code == .noSuchFile { failure.code = .deleted }
      failure.hasUnsavedChanges = hasUnsavedChanges
      end { $0.hasFailed = true }
      autosaver.saveFails(at: clock.now())
      startAutosaving()
      if failure.code == .deleted { await leaveRemoved() }
      throw report(failure)
    }
  }

  private func end(_ change: (inout Phase.Opened) -> Void) {
    if case .open(var opened) = phase {
      change(&opened)
      phase = .open(opened)
    }
    accesses.activity = nil
    tellState()
  }

  // MARK: Autosaving

  /// Tells the autosaver of a transaction.
  func noteUnsavedChanges() {
    guard hasUnsavedChanges else { return autosaver.nothingToSave() }
    autosaver.edited(at: clock.now())
    startAutosaving()
  }

  // MARK: Closing

  /// Saves unsaved edits, publishes them, and closes the document. A closed document does nothing.
  ///
  /// The package then has the database as one whole file, which any SQLite program reads.
  ///
  /// - Parameter discardingChanges: whether to restore the last save instead, as `revertToSaved()` does.
  /// - Throws: as `save()`; the document then stays open, with all edits. If it discards, as `revertToSaved()`; the
  ///   document is closed then, and the next opening has the edits as unsaved changes.
  public func close(discardingChanges: Bool = false) async throws(DocumentError) {
    guard isOpen else { return await closeRemoved() }
    await endEditing()
    defer { enableEditing() }
    let outcome = await accesses.enqueue { await self.closeInTurn(discarding: discardingChanges) }.value
    try outcome.get()
  }

  /// Closes within an access (MD4).
  private func closeInTurn(discarding: Bool) async -> Result<Void, DocumentError> {
    guard isOpen else { return .success(()) }
    var outcome: Result<Void, DocumentError> = .success(())
    if hasUnsavedChanges {
      do throws(DocumentError) {
        if discarding {
          try await takeBackUnsaved()
        } else {
          _ = try await write()  // The event handler gets the report.
        }
      } catch {
        outcome = .failure(error)
        if !discarding { return outcome }
      }
    }
    await stopPublishingSoon()
    // The save is durable, and the next opening publishes it.
    do { try await publish() } catch {}
    autosaver.stop()
    watching?.cancel()
    phase = .closed
    do {
      try await folder.close()
    } catch {
      // All edits are saved.
      report(failure(of: error, .close))
    }
    await coordination.stopPresenting()
    tellState()
    return outcome
  }
}

extension ManagedDocument.Phase.Opened {
  /// Notes a save. Edits since then have made a newer position.
  fileprivate mutating func note(saved: DocumentHead) {
    hasFailed = false
    disk = .asSaved(Environment.current.now().date)
    if !saved.isOlder(than: head) {
      head = saved
    } else if saved.savedChange > head.savedChange {
      (head.savedState, head.savedChange) = (saved.savedState, saved.savedChange)
    }
  }
}
