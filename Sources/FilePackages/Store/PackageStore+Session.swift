import DurableIO
import SystemPackage

// The session that a store holds from its first save on.
extension PackageStore {
  /// Opens the hidden folder, takes the writer's lock and publishes the commits that other programs left.
  ///
  /// - Throws: `changedOnDisk` if the package is no longer in its place; `busy`; the system's reason.
  ///
  /// - Parameter superseding: whether the waiting record in the journal is this store's, and the next one supersedes
  ///   it.
  func openSession(superseding: Bool = false) throws(FilePackageError) -> PackageSession {
    if let damage = state.damage { throw damage.during(.save) }
    let node = StoredNode(location: location, path: .root)
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
      guard try session.hidden.isInPlace(),
        session.hidden.packageStatus.identity.isSameNode(as: baseline.status.identity)
      else {
        throw FilePackageError(
          .changedOnDisk, .save, node, reason: "another package stands in its place by now")
      }
    } catch {
      endFailedSession()
      throw failure(of: error)
    }
    do throws(FilePackageError) {
      try reloadMetadata(session)
      try session.refresh(knownMetadata)
      if session.live != nil && !superseding {
        note(try session.publish(isRecovery: true, wait))
        try session.finish()
        try reloadMetadata(session)
        try session.refresh(knownMetadata)
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
      isDone = knownMetadata?.revision == metadata.revision
    } else {
      isDone = session.isCarriedOut(doubt.record)
    }
    if isDone { try settlePublished(doubt.save, isLate: true) } else { state.resume() }
  }

  private func failure(of error: any Error) -> FilePackageError {
    let node = StoredNode(location: location, path: .root)
    guard let error = error as? SystemError else {
      return error as? FilePackageError ?? FilePackageError(.inputOutput, .save, node)
    }
    switch error.code {
    case .wouldBlock:
      return FilePackageError(.busy, .save, node, reason: "another program has been saving it all the time")
    case .noSuchFileOrDirectory where error.call == "open":
      return FilePackageError(.changedOnDisk, .save, node, reason: "it is no longer in its place")
    case .notDirectory where error.call == "open":
      return FilePackageError(
        .changedOnDisk, .save, node, reason: "something else stands in its place by now")
    case .notDirectory, .tooManySymbolicLinkLevels:
      return FilePackageError(
        .wrongKind, .save, node, reason: "'\(PackageLayout.hidden.display)' in it is not a folder of ours")
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

  var knownMetadata: PackageMetadata? {
    if case .present(let metadata, _) = baseline.metadata { metadata } else { nil }
  }

  /// `Metadata.plist` as it was when it was last read or written.
  var knownPlist: FileStatus? {
    if case .present(_, let status) = baseline.metadata { status } else { nil }
  }

  /// Reads the metadata again if another program wrote it.
  private func reloadMetadata(_ session: PackageSession) throws(FilePackageError) {
    let now: FileStatus?
    do {
      now = try session.disk.statusIfPresent(
        of: PackageLayout.metadata, in: session.hidden.root.descriptor)
    } catch {
      throw FilePackageError(error, .save, StoredNode(location: location, path: .root))
    }
    if case .present(_, let known?) = baseline.metadata, let now, now.isUnchanged(since: known) { return }
    if case .none = baseline.metadata, now == nil { return }
    let before = knownMetadata
    loadMetadata()
    if let before, before.applicationValues != knownMetadata?.applicationValues {
      baseline.othersWroteValues = true
    }
  }
}
