import DurableIO
import FileTrees
package import PackageFormat
import SystemPackage

// The session that a writer holds from its first save on.
extension PackageWriter {
  /// Runs `body` with the writer's lock held: the one way to change a package in place.
  ///
  /// Before `body` the writer opens the hidden folder, publishes the commits that other programs left, and finds out
  /// about a save in doubt. After it, the lock stays only while a committed save waits to be published or finished.
  ///
  /// - Parameter superseding: whether `body` gets a record that waits in the log, and writes one that supersedes it.
  /// - Throws: `changedOnDisk` if the package is no longer in its place; `busy`; the system's reason; the errors of
  ///   `body`.
  package func withPackageLock<Result>(
    superseding: Bool = false, _ body: (PackageSession) throws(FilePackageError) -> Result
  ) throws(FilePackageError) -> Result {
    defer { release() }
    return try body(lock(superseding: superseding))
  }

  private func lock(superseding: Bool) throws(FilePackageError) -> PackageSession {
    if let damage = state.damage { throw damage.during(.save) }
    if baseline.metadata.known?.databasePath != nil {
      throw FilePackageError(
        .unsupported, .save, node,
        reason: "it is a document with a database, whose files change with the database")
    }
    let session = try lockSession()
    do throws(FilePackageError) {
      try refresh(session)
      if session.live != nil && !superseding {
        let found = try session.publish(isRecovery: true, wait)?.conflicts ?? []
        conflicts.unrebased.formUnion(found)
        note(found)
        try session.finish()
        try refresh(session)
      }
      if case .inDoubt(let save, let record) = state {
        // It was committed all the same if the state on disk is the one that it made: this store published it just
        // now, or another store did.
        let isDone =
          if let made = save.metadata { baseline.metadata.known?.revision == made.revision } else {
            try session.isCarriedOut(record)
          }
        if isDone { try rebase(onto: save, isLate: true) } else { state = .clean }
      }
      return session
    } catch {
      session.hidden.unlock()
      if error.code == .logDamaged { state.damage(by: error) }
      throw error.during(.save)
    }
  }

  /// Opens the session if there is none, takes its lock, and looks whether the package is in its place.
  private func lockSession() throws(FilePackageError) -> PackageSession {
    do throws(SystemError) {
      let session: PackageSession
      if let known = self.session {
        try known.hidden.lock(wait)
        session = known
      } else {
        session = try PackageSession(location, wait, logCapacity: logCapacity)
        self.session = session
      }
      if let package = try session.hidden.statusInPlace(),
        package.identity.isSameNode(as: baseline.status.identity)
      {
        session.seen.package = package
        return session
      }
    } catch {
      throw failure(of: error)
    }
    throw FilePackageError(.changedOnDisk, .save, node, reason: "another package is in its place now")
  }

  private func failure(of error: SystemError) -> FilePackageError {
    let isPackage = error.name == FileName(location.path)
    switch error.code {
    case .wouldBlock:
      return FilePackageError(.busy, .save, node, reason: "another program is still saving it")
    case .noSuchFileOrDirectory where isPackage:
      return FilePackageError(.changedOnDisk, .save, node, reason: "it is no longer in its place")
    case .notDirectory where isPackage:
      return FilePackageError(.changedOnDisk, .save, node, reason: "another item is in its place now")
    case .permissionDenied where error.name == PackageLayout.hidden:
      return FilePackageError(
        error, .save, node,
        activity: "making or opening '\(PackageLayout.hidden.display)' in it, which every save needs")
    case .notDirectory, .tooManySymbolicLinkLevels:
      return FilePackageError(
        .wrongKind, .save, node,
        reason: "'\(PackageLayout.hidden.display)' in it is not this library's folder")
    default: return FilePackageError(error, .save, node, activity: "opening its hidden folder")
    }
  }

  private func refresh(_ session: PackageSession) throws(FilePackageError) {
    session.seen.metadata = try baseline.reloadMetadata(
      in: session.hidden.root, on: session.disk, at: location)
    try session.refresh(baseline.metadata.known)
  }

  /// Releases the lock, and a hidden folder that nothing needs.
  private func release() {
    // The log has a save of this store, which no other program publishes or finishes before this store does.
    if case .waiting(_, because: nil) = state { return }
    if due.contains(.finishing) { return }
    if let ending = session, ending.log == nil, state.waiting == nil {
      // The session ends here, and not when its last user releases it: the program may end before that. The next
      // session removes the files that this one cannot remove.
      try? ending.end(LockWait(limit: 100))
      session = nil
    } else {
      session?.hidden.unlock()
    }
  }

  /// Forgets the session: its directory is gone, or belongs to another state.
  func dropSession() {
    session?.abandon()
    session = nil
  }
}
