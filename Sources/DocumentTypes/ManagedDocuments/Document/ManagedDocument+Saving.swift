public import Documents
import FilePackages
import FoundationEssentials
import GRDB

extension ManagedDocument {
  /// Saves all edits so far: they survive a power cut, rows and files alike (MD2).
  ///
  /// The report names the files that publishing will write and remove, and its `isPublished` is false. The event
  /// `published` has the report of publishing, with the conflicts.
  public func commit(isPublishing: Bool, in turn: DocumentTurn) async throws -> SaveReport {
    core.autosaver.saveBegins()
    let (report, head) = try await store.commit()
    if case .open(var opened) = phase {
      opened.note(saved: head, isWritten: report.strategy != .none)
      phase = .open(opened)
    }
    noteChange()
    publishSoon()
    await notePlace()
    return report
  }

  /// Returns the error of a save that failed. A document that is gone from its place is closed.
  public func failure(ofSave error: any Error, in turn: DocumentTurn) async -> DocumentError {
    var failure = failure(of: error, .save)
    failure.hasUnsavedChanges = hasUnsavedChanges
    if failure.fileError?.code == .noSuchFile {
      failure.code = .deleted
      await leaveRemoved()
    }
    return failure
  }

  /// Saves unsaved edits, publishes them, and brings the write-ahead log into the database's own file: another program
  /// is about to read the document.
  ///
  /// - Throws: as `save()` and `synchronize()`.
  public func savePresentedItemChanges() async throws(DocumentError) {
    guard isOpen else { return }
    try await autosave()
    try await synchronize()
    do {
      try await folder.checkpoint()
    } catch {
      throw report(failure(of: error, .save))
    }
  }

  // MARK: Closing

  /// Publishes the last save, and closes the database (MD4).
  public func shut(
    discardingChanges: Bool, after report: SaveReport?, in turn: DocumentTurn
  ) async throws(DocumentError) -> SaveReport? {
    guard isOpen else {
      await closeRemoved()
      return report
    }
    var refusal: DocumentError?
    if discardingChanges && hasUnsavedChanges {
      do throws(DocumentError) { try await takeBackUnsaved() } catch { refusal = error }
    }
    await stopPublishingSoon()
    // The save is durable, and the next opening publishes it.
    do { try await publish() } catch {}
    await leave {
      phase = .closed
      do {
        try await folder.close()
      } catch {
        // All edits are saved.
        self.report(failure(of: error, .close))
      }
    }
    if let refusal { throw refusal }
    return report
  }
}

extension ManagedDocument.Phase.Opened {
  /// Notes a save. Edits since then have made a newer position.
  fileprivate mutating func note(saved: DocumentHead, isWritten: Bool) {
    if isWritten { disk = .asSaved(Environment.current.now().date) }
    if !saved.isOlder(than: head) {
      head = saved
    } else if saved.savedChange > head.savedChange {
      (head.savedState, head.savedChange) = (saved.savedState, saved.savedChange)
    }
  }
}
