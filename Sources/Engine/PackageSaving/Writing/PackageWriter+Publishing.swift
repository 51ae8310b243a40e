import DurableIO
import FileTrees
package import PackageFormat
import Synchronization
import SystemPackage

// How the writer publishes committed saves, makes them the baseline of the next save, and ends the session.
extension PackageWriter {
  /// Publishes the last save, and makes it the baseline of the next one (W1).
  func settle() throws(FilePackageError) {
    note(try publishPending())
    conflicts.unrebased = []
    try rebase()
  }

  /// Waits until other programs see the last save; does nothing if they do.
  package func publish() throws(FilePackageError) {
    do throws(FilePackageError) {
      note(try publishPending())
      conflicts.unrebased = []
    } catch {
      throw error.during(.publish)
    }
  }

  /// Notes conflicts that no report contains.
  func note(_ found: Set<String>) {
    if !found.isEmpty { conflicts.unreported = found.union(conflicts.unreported).sorted() }
  }

  /// Publishes the save that is committed and not published, if there is one (W1).
  ///
  /// - Returns: the children that other programs changed before that, unless the package lock noted them.
  @discardableResult
  func publishPending() throws(FilePackageError) -> Set<String> {
    guard let pending = state.waiting else { return [] }
    let isLate = state.problem != nil
    do throws(FilePackageError) {
      var found: Set<String> = []
      if let session, session.hidden.isLocked {
        let publisher = try session.publish(isRecovery: isLate, wait)
        found = publisher?.conflicts ?? []
        conflicts.unrebased.formUnion(found)
        try rebase(onto: pending, isLate: isLate, publisher?.record.changes.rows ?? [])
        finishPublishing(session)
      } else {
        // Without the lock, another store may have published the save meanwhile (W2).
        try withPackageLock { session throws(FilePackageError) in
          try requireRecord(of: pending, in: session)
          try rebase(onto: pending, isLate: true)
          finishPublishing(session)
        }
      }
      return found
    } catch {
      if case .waiting = state { state = .waiting(pending, because: error) }
      session?.hidden.unlock()
      throw error
    }
  }

  /// Throws `changedOnDisk` if the log and the metadata know nothing of the save that waited: its record is gone.
  private func requireRecord(
    of pending: CommittedSave, in session: PackageSession
  ) throws(FilePackageError) {
    guard let revision = pending.metadata?.revision, baseline.metadata.known?.revision != revision,
      session.log?.ledger.revisions.contains(revision) != true
    else { return }
    // The tree still tells its edits from the disk.
    state = .clean
    throw FilePackageError(
      .changedOnDisk, .save, node, reason: "its log has lost the last save; the edits are in memory")
  }

  /// Does the rest of a save that other programs see.
  ///
  /// No caller waits for it, and an error here is no error of the save: the next save repeats every step that was not
  /// noted.
  private func finishPublishing(_ session: PackageSession) {
    due.insert(.checkpoint)
    if session.isUnfinished && !finishesAtOnce { due.insert(.finishing) } else { finishPublished() }
  }

  /// Marks the published save in the log, and releases the lock.
  package func finishPublished() {
    // After an error of its lock, the next save finds the published files right.
    guard let session, session.hidden.isLocked, state.waiting == nil else { return }
    // Removed files that could not be kept for their wrappers stay: the next save keeps them. Without the marks,
    // recovery finds the published files right.
    if state.isRebased { try? session.finish() }
    session.hidden.unlock()
  }

  /// Makes a checkpoint, so that recovery has nothing to compare; thins the history if that is due.
  package func makeCheckpoint() {
    guard state.waiting == nil, let session else { return }
    // Without a checkpoint, the next opening after a power cut compares some files with the log, and finds them
    // right.
    guard (try? session.hidden.lock(LockWait(limit: 0))) != nil else { return }
    try? session.checkpoint()  // As above.
    session.hidden.unlock()
    thinHistoryIfDue()
  }

  // MARK: The baseline

  /// Makes a save the baseline of the next one, while its statuses on disk are known to be its own.
  ///
  /// - Parameters:
  ///   - isLate: whether other programs may have saved, or written over the published children, before this call.
  ///   - rows: the published rows, if it is not late.
  func rebase(
    onto save: CommittedSave, isLate: Bool, _ rows: [Change] = []
  ) throws(FilePackageError) {
    // The store read the metadata on disk again with the lock held.
    let isOthers =
      isLate && save.metadata != nil && baseline.metadata.known?.revision != save.metadata?.revision
    let saved = try node.attempt(.save, "checking the published children") {
      // The directory that was opened, wherever it stands.
      let directory = try session?.hidden.root ?? OpenNode(location.openDirectory(.root))
      let package = try location.disk.status(of: directory.descriptor)
      let metadata = try (isOthers ? nil : save.metadata).map {
        let status = try location.disk.status(of: PackageLayout.metadata, in: directory.descriptor)
        // One that another program has written since is read before the next save.
        let isTheirs = rows.contains { PackageLayout.isOurs($0.path) && $0.isTheirs(status) }
        return ($0, isTheirs ? nil : status)
      }
      return PublishedSave(save, in: package, metadata, isLate: isLate)
    }
    baseline.othersWroteValues =
      isOthers && baseline.metadata.known?.applicationValues != save.metadata?.applicationValues
    rebase(onto: saved)
    for path in conflicts.unrebased { save.tree.disown(PackagePath(path), saved: save.snapshot.root) }
    conflicts.unrebased = []
    // Until the tree has the published statuses, none of them tells whose node it is.
    guard state.isRebased else { return }
    for row in rows where !PackageLayout.isOurs(row.path) {
      save.tree.disown(row.path, saved: save.snapshot.root, if: row.isTheirs)
    }
    save.tree.disown(changedSince: save.identical, saved: save.snapshot.root)
  }

  /// Makes a published save the baseline of the next one.
  ///
  /// If the disk cannot be looked at, the save has not failed; the store looks at it before the next save.
  package func rebase(onto saved: PublishedSave) {
    state = .published(saved)
    tree = saved.tree
    // The next save tries again.
    try? rebase()
  }

  /// Makes the state of the last save the baseline, if it is not yet.
  package func rebase() throws(FilePackageError) {
    try rebaseStale()
    guard case .published(var saved) = state else { return }
    do throws(FilePackageError) {
      // Another package may stand in its place.
      if !saved.isNew, try !isInPlace(saved.made) {
        throw FilePackageError(.changedOnDisk, .save, node, reason: "it is no longer in its place")
      }
      let root = StoredNode(location: location, path: .root, status: saved.made)
      let removed = try saved.tree.rebase(onto: root, saved.snapshot.root, isInPlace: !saved.isNew)
      do throws(FilePackageError) {
        try session?.keep(removed)
      } catch {
        // A full disk refuses no save for ever: at the second time, or if the save was published late, the wrappers
        // lose their files.
        if !saved.isLate { throw error }
      }
      if let status = saved.metadata?.status { rebaseMetadata(status, in: saved.tree) }
    } catch {
      saved.isLate = true
      state = .published(saved)
      throw error.during(.save)
    }
    if saved.isLate { saved.snapshot.root.disown() }
    tree = saved.tree
    baseline.status = saved.made
    if let plist = saved.metadata { baseline.metadata = .present(plist.metadata, plist.status) }
    state = .clean
  }

  private func rebaseStale() throws(FilePackageError) {
    let root = StoredNode(location: location, path: .root, status: baseline.status)
    while let tree = baseline.stale.last {
      do throws(FilePackageError) {
        if try isInPlace(baseline.status) { try tree.rebase(onto: root) }
      } catch {
        throw error.during(.save)
      }
      baseline.stale.removeLast()
    }
  }

  /// Makes a `Metadata.plist` in the tree, of whatever origin, the one on disk.
  private func rebaseMetadata(_ plist: FileStatus, in tree: FileWrapper) {
    tree.list(PackageLayout.metadata)
    let child = tree.state.withLock { state in state.withDirectory { $0.children[PackageLayout.metadata] } }
    guard let child, child.isRegularFile else { return }
    child.reread(
      at: StoredNode(location: location, path: PackagePath([PackageLayout.metadata]), status: plist))
  }

  /// Throws `changedOnDisk` if another package, or none, stands in this one's place.
  func requirePlace() throws(FilePackageError) {
    if try isInPlace(baseline.status) { return }
    throw FilePackageError(
      .changedOnDisk, .save, node, reason: "another package is in its place now")
  }

  /// Returns whether the directory of that status has the package's name.
  private func isInPlace(_ package: FileStatus) throws(FilePackageError) -> Bool {
    do {
      let now = try StoredNode.look(at: location.path, following: false, on: location.disk).status
      return now?.identity.isSameNode(as: package.identity) == true
    } catch {
      if error.code == .noSuchFile { return false }
      throw error.during(.save)
    }
  }

  // MARK: Ending

  /// Publishes, and ends the session: see `PackageStore.close()`.
  package func close() throws(FilePackageError) {
    try publish()
    due.remove(.checkpoint)
    thinHistoryIfDue()
    guard let session else { return }
    do throws(FilePackageError) {
      // If another program moved the package, `end()` ends the log at its new place.
      if session.isUnfinished, (try? isInPlace(session.hidden.packageStatus)) != false {
        try withPackageLock { _ in }
      }
      try node.attempt(.close, "ending its log") { try session.end() }
    } catch {
      throw error.during(.close)
    }
    self.session = nil
  }

  /// Forgets the package: a save that is committed and not published stays in the log for the next opening.
  package func relinquish() {
    state = .clean
    baseline.stale = []
    dropSession()
    tree = FileWrapper(directoryWithFileWrappers: [:])
  }
}

extension Change {
  /// Returns whether the node that stands in the place of the published one is another program's.
  fileprivate func isTheirs(_ now: FileStatus) -> Bool {
    guard puts, let new, new.inode != Entry.noInode else { return false }
    return !new.isSame(as: now)
  }
}
