import DurableIO
import SystemPackage

// The session that a writer holds from its first save on.
extension PackageWriter {
  /// Opens the hidden folder, takes the writer's lock and publishes the commits that other programs left.
  ///
  /// - Throws: `changedOnDisk` if the package is no longer in its place; `busy`; the system's reason.
  ///
  /// - Parameter superseding: whether the waiting record in the journal is this store's, and the next one supersedes
  ///   it.
  func openSession(superseding: Bool = false) throws(FilePackageError) -> PackageSession {
    if let damage = state.damage { throw damage.during(.save) }
    if baseline.metadata.known?.databasePath != nil {
      throw FilePackageError(
        .unsupported, .save, node,
        reason: "it is a document with a database, whose files change with the database")
    }
    let session: PackageSession
    do {
      if let known = self.session {
        try known.hidden.lock(wait)
        session = known
      } else {
        session = try PackageSession.open(
          location, on: CountingDisk(location.disk), wait, journalCapacity: journalCapacity)
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
      endFailedSession()
      throw failure(of: error)
    }
    do throws(FilePackageError) {
      session.seen.metadata = try baseline.reloadMetadata(
        in: session.hidden.root, on: session.disk, at: location)
      try session.refresh(baseline.metadata.known)
      if session.live != nil && !superseding {
        note(try session.publish(isRecovery: true, wait))
        try session.finish()
        session.seen.metadata = try baseline.reloadMetadata(
          in: session.hidden.root, on: session.disk, at: location)
        try session.refresh(baseline.metadata.known)
      }
      try settleUncertain(session)
      return session
    } catch {
      session.hidden.unlock()
      endFailedSession()
      if error.code == .journalDamaged { state.damage(by: error) }
      throw error.during(.save)
    }
  }

  /// Finds out whether a save that failed as indeterminate was committed all the same.
  ///
  /// It was if the state on disk is the one that it made: this store published it just now, or another store did.
  private func settleUncertain(_ session: PackageSession) throws(FilePackageError) {
    guard let doubt = state.doubt else { return }
    let isDone: Bool
    if let metadata = doubt.save.metadata {
      isDone = baseline.metadata.known?.revision == metadata.revision
    } else {
      isDone = session.isCarriedOut(doubt.record)
    }
    if isDone { try settlePublished(doubt.save, isLate: true) } else { state.resume() }
  }

  private func failure(of error: any Error) -> FilePackageError {
    guard let error = error as? SystemError else {
      return FilePackageError(any: error, .save, node)
    }
    switch error.code {
    case .wouldBlock:
      return FilePackageError(.busy, .save, node, reason: "another program is still saving it")
    case .noSuchFileOrDirectory where error.call == "open":
      return FilePackageError(.changedOnDisk, .save, node, reason: "it is no longer in its place")
    case .notDirectory where error.call == "open":
      return FilePackageError(
        .changedOnDisk, .save, node, reason: "another item is in its place now")
    case .notDirectory, .tooManySymbolicLinkLevels:
      return FilePackageError(
        .wrongKind, .save, node,
        reason: "'\(PackageLayout.hidden.display)' in it is not this library's folder")
    default: return FilePackageError(error, .save, node, activity: "opening its hidden folder")
    }
  }

  /// Releases everything that a failed save opened.
  func endFailedSession() {
    guard state.waiting == nil else { return }
    if let ending = session, ending.journal == nil {
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
