import DurableIO
import SystemPackage

// How the store publishes committed saves.
extension PackageStore {
  /// Waits until other programs see the last save; does nothing if they do.
  ///
  /// - Throws: the system's reason. The save then stays in the journal: it is durable, and readers that use this
  ///   library see it. The next save, `close()` and the next opening try again.
  public func publish() throws(FilePackageError) {
    do throws(FilePackageError) {
      note(try publishPending())
      newConflicts = []
    } catch {
      throw error.during(.publish)
    }
  }

  /// Notes conflicts that no report contains.
  func note(_ publisher: Publisher?) {
    guard let publisher, !publisher.conflicts.isEmpty else { return }
    newConflicts += publisher.conflicts
    recoveryConflicts = Set(recoveryConflicts).union(publisher.conflicts).sorted()
  }

  /// (1)
  @discardableResult
  func publishPending() throws(FilePackageError) -> Publisher? {
    guard let pending = state.waiting else { return nil }
    do throws(FilePackageError) {
      // Without the lock, other programs may have written or saved since.
      let isLate = state.problem != nil || session?.hidden.isLocked != true
      var publisher: Publisher?
      if let session, session.hidden.isLocked {
        publisher = try session.publish(isRecovery: state.problem != nil, wait)
      } else {
        // (2) Another store may have published the save meanwhile, or superseded it after all.
        _ = try openSession()
        if state.waiting == nil { return nil }
      }
      newConflicts += publisher?.conflicts ?? []
      try settlePublished(pending, isLate: isLate)
      finishPublishing()
      return publisher
    } catch {
      state.block(because: error)
      session?.hidden.unlock()
      throw error
    }
  }

  /// Does the rest of a save that other programs see.
  ///
  /// No caller waits for it, and an error here is no error of the save: the next save repeats every step that was not
  /// noted.
  private func finishPublishing() {
    scheduleCheckpoint()
    // If the rest takes a flush, it can wait.
    guard let session else { return }
    if !session.isUnfinished || session.isUnflushed {
      session.hidden.unlock()
    } else if delays.publishing == nil {
      finishNow(session)
    } else {
      Task { finishNow(session) }
    }
  }

  private func finishNow(_ session: PackageSession) {
    guard session === self.session, state.waiting == nil else { return }
    try? session.finish()
    session.hidden.unlock()
  }

  /// Makes a published save the baseline of the next one.
  ///
  /// - Parameter isLate: whether other programs may have saved, or written over the published children, before this
  ///   call.
  func settlePublished(_ pending: CommittedSave, isLate: Bool = false) throws(FilePackageError) {
    // The store read the metadata on disk again with the lock held.
    let isOthers = isLate && pending.metadata != nil && knownMetadata?.revision != pending.metadata?.revision
    let metadata: (metadata: PackageMetadata, status: FileStatus)?
    let package: FileStatus
    // The directory that was opened, wherever it stands.
    let directory: OpenNode
    do {
      if let session {
        directory = session.hidden.root
      } else {
        directory = OpenNode(try location.openDirectory(.root))
      }
      package = try location.disk.status(of: directory.descriptor)
      if let known = pending.metadata, !isOthers {
        metadata = (known, try location.disk.status(of: PackageLayout.metadata, in: directory.descriptor))
      } else {
        metadata = nil
      }
    } catch {
      throw FilePackageError(
        error, .save, StoredNode(location: location, path: .root), activity: "looking at what is published")
    }
    baseline.othersWroteValues =
      isOthers && knownMetadata?.applicationValues != pending.metadata?.applicationValues
    var saved = PublishedSave(pending.tree, pending.snapshot, in: package, metadata)
    saved.isLate = isLate
    if let session { saved.isElsewhere = isElsewhere(session) }
    adopt(saved)
    for path in newConflicts { pending.tree.disown(PackagePath(path), saved: pending.snapshot.root) }
    newConflicts = []
  }

  /// Publishes after the delay. The save itself succeeded; `publish()` reports an error of publishing to its callers.
  func schedulePublishing() {
    guard let delay = delays.publishing, maintenance.publishing == nil else { return }
    maintenance.publishing = Task {
      try? await Task.sleep(for: delay)
      maintenance.publishing = nil
      try? publish()
    }
  }

  // MARK: Checkpoints

  /// Schedules a checkpoint for a while after the last save, when no caller waits.
  private func scheduleCheckpoint() {
    guard let delay = delays.checkpoint else { return }
    maintenance.checkpoint?.cancel()
    maintenance.checkpoint = Task { [weak self] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      await self?.makeCheckpoint()
    }
  }

  private func makeCheckpoint() {
    guard state.waiting == nil, let session else { return }
    // Without a checkpoint, the next opening after a power cut compares some files with the journal, and finds them
    // right.
    guard (try? session.hidden.lock(LockWait(limit: 0))) != nil else { return }
    try? session.checkpoint()
    session.hidden.unlock()
    thinIfDue()
  }

  /// Ends the session: publishes, and removes the journal and everything else that only an open store needs.
  ///
  /// The store can be used again; its next save begins a new session. A store that is released without this call ends
  /// its session then, unless an error prevents it.
  ///
  /// - Throws: the system's reason; nothing is lost, and the next opening does the rest.
  public func close() throws(FilePackageError) {
    try publish()
    maintenance.checkpoint?.cancel()
    thinIfDue()
    guard let session else { return }
    do throws(FilePackageError) {
      // If another program moved the package, `end()` ends the journal at its new place.
      if session.isUnfinished && !isElsewhere(session) {
        _ = try openSession()
        session.hidden.unlock()
      }
      do throws(SystemError) {
        try session.end()
      } catch {
        throw FilePackageError(
          error, .close, StoredNode(location: location, path: .root), activity: "removing its journal")
      }
    } catch {
      throw error.during(.close)
    }
    self.session = nil
  }

  /// Ends the session, as `close()` does, after the save that made this report.
  ///
  /// - Returns: the report, with a warning if the session could not end. The document is saved in any case.
  public func close(after report: SaveReport) -> SaveReport { closing(after: report).report }

  /// Ends the session, as `close()` does, and also returns the error if it could not end.
  package func closing(after report: SaveReport) -> (report: SaveReport, failure: FilePackageError?) {
    var report = report
    var failure: FilePackageError?
    // The session may end, and its syncs count all the same.
    let session = session
    do throws(FilePackageError) {
      try close()
    } catch {
      failure = error
    }
    report.isClosed(failure)
    report.synchronizations += session?.takeSynchronizations() ?? 0
    return (report, failure)
  }

  /// Ends the session, as `close()` does, and adds a warning if it could not end.
  public func close(noting warnings: inout [SaveWarning]) {
    do throws(FilePackageError) {
      try close()
    } catch {
      warnings.append(SaveWarning(closing: error))
    }
  }
}
