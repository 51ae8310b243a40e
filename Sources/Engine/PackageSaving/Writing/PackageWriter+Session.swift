import DurableIO
package import FileTrees
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
    let session: PackageSession
    var step = HiddenFolder.OpeningStep.openFolder
    do {
      if let known = self.session {
        try known.hidden.lock(wait)
        session = known
      } else {
        session = try PackageSession.open(location, wait, logCapacity: logCapacity, &step)
        self.session = session
      }
      guard let package = try session.hidden.statusInPlace(),
        package.identity.isSameNode(as: baseline.status.identity)
      else {
        throw FilePackageError(
          .changedOnDisk, .save, node, reason: "another package is in its place now")
      }
      session.seen.package = package
    } catch {
      throw failure(of: error, at: step)
    }
    do throws(FilePackageError) {
      try refresh(session)
      if session.live != nil && !superseding {
        note(try session.publish(isRecovery: true, wait))
        try session.finish()
        try refresh(session)
      }
      try recoverUncertain(session)
      return session
    } catch {
      session.hidden.unlock()
      if error.code == .logDamaged { state.damage(by: error) }
      throw error.during(.save)
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
    if case .committed = state { return }
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

  /// Finds out whether a save that failed as indeterminate was committed all the same.
  ///
  /// It was if the state on disk is the one that it made: this store published it just now, or another store did.
  private func recoverUncertain(_ session: PackageSession) throws(FilePackageError) {
    guard let doubt = state.doubt else { return }
    let isDone: Bool
    if let metadata = doubt.save.metadata {
      isDone = baseline.metadata.known?.revision == metadata.revision
    } else {
      isDone = session.isCarriedOut(doubt.record)
    }
    if isDone { try rebase(ontoPublished: doubt.save, isLate: true) } else { state.resume() }
  }

  private func failure(
    of error: any Error, at step: HiddenFolder.OpeningStep
  ) -> FilePackageError {
    guard let error = error as? SystemError else {
      return FilePackageError(any: error, .save, node)
    }
    switch (error.code, step) {
    case (.wouldBlock, _):
      return FilePackageError(.busy, .save, node, reason: "another program is still saving it")
    case (.noSuchFileOrDirectory, .openPackage):
      return FilePackageError(.changedOnDisk, .save, node, reason: "it is no longer in its place")
    case (.notDirectory, .openPackage):
      return FilePackageError(
        .changedOnDisk, .save, node, reason: "another item is in its place now")
    case (.permissionDenied, .makeFolder):
      return FilePackageError(
        error, .save, node, activity: "making '\(PackageLayout.hidden.display)' in it, which every save needs"
      )
    case (.notDirectory, _), (.tooManySymbolicLinkLevels, _):
      return FilePackageError(
        .wrongKind, .save, node,
        reason: "'\(PackageLayout.hidden.display)' in it is not this library's folder")
    default: return FilePackageError(error, .save, node, activity: "opening its hidden folder")
    }
  }

  /// Forgets the session: its directory is gone, or belongs to another state.
  func dropSession() {
    session?.abandon()
    session = nil
  }
}

extension PackageWriter {
  /// Prevents other programs from publishing while the caller holds the returned lock.
  ///
  /// If the file system has no locks, it prevents nothing.
  ///
  /// - Returns: nil if another program published since this writer opened the package.
  package func lockForReading() throws(FilePackageError) -> OpenNode? {
    do {
      let package = try location.openDirectory(.root)
      _ = try wait.take(.shared, of: package, on: location.disk)
      guard try location.disk.status(of: package).identity.isSameNode(as: baseline.status.identity)
      else {
        return nil
      }
      let plist = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: package)
      if case .present(_, let known?) = baseline.metadata,
        plist.map({ !$0.isUnchanged(since: known) }) ?? true
      {
        return nil
      }
      // This writer's own view of a save that cannot be published is as whole as any.
      if state.waiting == nil && state.damage == nil,
        case .log(let log) = try SaveLog.find(of: location),
        log.live != nil
      {
        return nil
      }
      return OpenNode(package)
    } catch {
      if error.code == .wouldBlock { throw FilePackageError(.busy, .open, node) }
      throw FilePackageError(error, .open, node)
    }
  }
}
