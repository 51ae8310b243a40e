import DurableIO
import FileTrees
package import PackageFormat
import SystemPackage

// How the writer publishes committed saves.
extension PackageWriter {
  /// Notes conflicts that no report contains.
  func note(_ publisher: Publisher?) {
    guard let publisher, !publisher.conflicts.isEmpty else { return }
    conflicts.unrebased += publisher.conflicts
    conflicts.unreported = Set(conflicts.unreported).union(publisher.conflicts).sorted()
  }

  /// Publishes the save that is committed and not published, if there is one (W1).
  @discardableResult
  func publishPending() throws(FilePackageError) -> Publisher? {
    guard let pending = state.waiting else { return nil }
    do throws(FilePackageError) {
      if let session, session.hidden.isLocked {
        let publisher = try session.publish(isRecovery: state.problem != nil, wait)
        conflicts.unrebased += publisher?.conflicts ?? []
        try rebase(ontoPublished: pending, isLate: state.problem != nil)
        finishPublishing()
        return publisher
      }
      // Without the lock, another store may have published the save meanwhile (W2).
      try withPackageLock { _ throws(FilePackageError) in
        if state.waiting == nil { return }
        try rebase(ontoPublished: pending, isLate: true)
        finishPublishing()
      }
      return nil
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
    due.insert(.checkpoint)
    guard let session else { return }
    if !session.isUnfinished {
      session.hidden.unlock()
    } else if finishesAtOnce {
      finishPublished()
    } else {
      due.insert(.finishing)
    }
  }

  /// Marks the published save in the log, and releases the lock.
  package func finishPublished() {
    guard let session, state.waiting == nil else { return }
    // Without the marks, recovery finds the published files right.
    try? session.finish()
    session.hidden.unlock()
  }

  /// Makes a checkpoint, so that recovery has nothing to compare; thins the history if that is due.
  package func makeCheckpoint() {
    guard state.waiting == nil, let session else { return }
    // Without a checkpoint, the next opening after a power cut compares some files with the log, and finds them
    // right.
    guard (try? session.hidden.lock(LockWait(limit: 0))) != nil else { return }
    // Without a checkpoint, the next opening compares more files.
    try? session.checkpoint()
    session.hidden.unlock()
    thinHistoryIfDue()
  }

  /// Makes a published save the baseline of the next one.
  ///
  /// - Parameter isLate: whether other programs may have saved, or written over the published children, before this
  ///   call.
  package func rebase(
    ontoPublished pending: CommittedSave, isLate: Bool = false
  ) throws(FilePackageError) {
    // The store read the metadata on disk again with the lock held.
    let isOthers =
      isLate && pending.metadata != nil && baseline.metadata.known?.revision != pending.metadata?.revision
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
      throw FilePackageError(error, .save, node, activity: "checking the published children")
    }
    baseline.othersWroteValues =
      isOthers && baseline.metadata.known?.applicationValues != pending.metadata?.applicationValues
    let way = session.map(isElsewhere) == true ? PublishedSave.Way.elsewhere : .inPlace
    var saved = PublishedSave(pending.tree, pending.snapshot, in: package, metadata, way)
    saved.isLate = isLate
    rebase(onto: saved)
    for path in conflicts.unrebased { pending.tree.disown(PackagePath(path), saved: pending.snapshot.root) }
    conflicts.unrebased = []
  }
}
