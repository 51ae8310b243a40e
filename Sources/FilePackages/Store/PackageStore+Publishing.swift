import DurableIO
import SystemPackage

// How what is committed comes to where other programs see it.
extension PackageStore {
  /// Waits until other programs see what was saved; does nothing where they do.
  ///
  /// - Throws: what the system refuses. The save then stays in the journal, where it survives a power cut and
  ///   where our own readers see it, and is tried again by the next save, by `close()` and by the next opening.
  public func publish() throws(FilePackageError) {
    do throws(FilePackageError) {
      note(try publishPending())
      newConflicts = []
    } catch {
      throw error.during(.publish)
    }
  }

  /// Takes note of conflicts that no report tells of.
  func note(_ publisher: Publisher?) {
    guard let publisher, !publisher.conflicts.isEmpty else { return }
    newConflicts += publisher.conflicts
    recoveryConflicts = Set(recoveryConflicts).union(publisher.conflicts).sorted()
  }

  /// (1)
  @discardableResult
  func publishPending() throws(FilePackageError) -> Publisher? {
    guard let pending else { return nil }
    do throws(FilePackageError) {
      // Without the lock, others may have written since, and saved.
      let isLate = pending.problem != nil || session?.hidden.isLocked != true
      var publisher: Publisher?
      if let session, session.hidden.isLocked {
        publisher = try session.publish(isRecovery: pending.problem != nil, wait)
      } else {
        // (2) Somebody else may have done it meanwhile; or it was superseded after all.
        _ = try openSession()
        if self.pending == nil { return nil }
      }
      newConflicts += publisher?.conflicts ?? []
      try settlePublished(pending, isLate: isLate)
      finishPublishing()
      return publisher
    } catch {
      self.pending?.problem = error
      session?.hidden.unlock()
      throw error
    }
  }

  /// Does what is left once other programs see a save. Nobody waits for it, and an error is none of the save: what is
  /// not noted is found again by the next one.
  private func finishPublishing() {
    scheduleCheckpoint()
    // Where that takes a flush, it has time.
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
    guard session === self.session, pending == nil else { return }
    try? session.finish()
    session.hidden.unlock()
  }

  /// Makes a save that is published the state that the next one starts from.
  ///
  /// - Parameter isLate: whether others may have written over what was published, or saved, before this is called.
  func settlePublished(_ pending: Pending, isLate: Bool = false) throws(FilePackageError) {
    // Those that are on disk were read again with the lock.
    let isOthers = isLate && pending.metadata != nil && knownMetadata?.revision != pending.metadata?.revision
    let metadata: (metadata: PackageMetadata, status: FileStatus)?
    let package: FileStatus
    // The directory that was opened, wherever it is by now.
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
    self.pending = nil
    othersWroteValues =
      isOthers && knownMetadata?.applicationValues != pending.metadata?.applicationValues
    var saved = Unsettled(pending.tree, pending.snapshot, in: package, metadata)
    saved.isLate = isLate
    if let session { saved.isElsewhere = isElsewhere(session) }
    adopt(saved)
    for path in newConflicts { pending.tree.disown(PackagePath(path), saved: pending.snapshot.root) }
    newConflicts = []
  }

  /// Publishes soon. The save is done; an error of publishing is for whoever waits for that.
  func schedulePublishing() {
    guard let delay = delays.publishing, publishing == nil else { return }
    publishing = Task {
      try? await Task.sleep(for: delay)
      publishing = nil
      try? publish()
    }
  }

  // MARK: Checkpoints

  /// A while after the last save, when nobody waits for anything, what was noted in memory only is put on the
  /// medium.
  private func scheduleCheckpoint() {
    guard let delay = delays.checkpoint else { return }
    checkpoint?.cancel()
    checkpoint = Task { [weak self] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      await self?.makeCheckpoint()
    }
  }

  private func makeCheckpoint() {
    guard pending == nil, let session else { return }
    // Without it, the next opening after a power cut compares some files with the journal, and finds them right.
    guard (try? session.hidden.lock(LockWait(limit: 0))) != nil else { return }
    try? session.checkpoint()
    session.hidden.unlock()
    thinIfDue()
  }

  /// Ends what saving began: publishes, removes the journal and what else is needed only while a store is open.
  /// The store can be used again; its next save begins anew. A store that is given up without this does it
  /// then, as far as no error comes in between.
  ///
  /// - Throws: what the system refuses; nothing is lost, and the next opening does the rest.
  public func close() throws(FilePackageError) {
    try publish()
    checkpoint?.cancel()
    thinIfDue()
    guard let session else { return }
    do throws(FilePackageError) {
      // Where the package was moved, its journal is ended there.
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

  /// Ends what saving began, as `close()` does, after a save whose report this is.
  ///
  /// - Returns: the report, with a warning for what could not be done. It is saved in any case.
  public func close(after report: SaveReport) -> SaveReport { closing(after: report).report }

  /// Does that, and gives what could not be done as an error, too.
  package func closing(after report: SaveReport) -> (report: SaveReport, failure: FilePackageError?) {
    var report = report
    var failure: FilePackageError?
    // The disk that counts is the session's, which ends.
    let (disk, told) = (session?.disk as? CountingDisk, synchronizationsReported)
    do throws(FilePackageError) {
      try close()
    } catch {
      failure = error
    }
    report.isClosed(failure)
    if let disk {
      let total = disk.counts.synchronizations
      report.synchronizations += total - told
      if session != nil { synchronizationsReported = total }
    }
    return (report, failure)
  }

  /// Ends what saving began, as `close()` does, and adds a warning for what could not be done.
  public func close(noting warnings: inout [SaveWarning]) {
    do throws(FilePackageError) {
      try close()
    } catch {
      warnings.append(SaveWarning(closing: error))
    }
  }
}
