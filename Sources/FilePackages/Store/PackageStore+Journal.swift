import DurableIO
import SystemPackage

// (1) A save that is committed and not yet published is published before anything else is saved, or the next one
//     takes its place: that is made over the same state of the disk, and has all that it had.
// (2) What others committed and did not publish is published before anything of ours.
// (3) The plan that is carried out was made with the lock held, over what the others left.

extension PackageStore {
  /// A save that survives a power cut and that other programs do not see yet.
  struct Pending {
    let tree: FileWrapper
    let snapshot: PackageSnapshot
    /// The metadata that comes with it.
    let metadata: PackageMetadata?
    /// Why it could not be published so far.
    var problem: FilePackageError?

    init(
      _ tree: FileWrapper, _ snapshot: PackageSnapshot, _ metadata: PackageMetadata?,
      problem: FilePackageError? = nil
    ) {
      self.tree = tree
      self.snapshot = snapshot
      self.metadata = metadata
      self.problem = problem
    }
  }

  // MARK: Saving

  /// Saves over a save that is not published yet: only the newest bytes come to their names. Nil where that cannot
  /// be. (1)
  func saveOverPending(
    _ tree: FileWrapper, _ options: SavingOptions
  ) throws(FilePackageError) -> SaveReport? {
    // The tree still tells its changes from the state on disk; so the plan has what waits, too.
    guard let pending, pending.tree === tree, pending.problem == nil, !options.contains(.staged),
      session?.canSupersede == true
    else { return nil }
    let made = try makePlan(tree)
    return made.plan.isEmpty ? nil : try saveInJournal(tree, made, options)
  }

  /// Saves in place.
  ///
  /// - Parameter made: the plan as it is if nobody else has saved by now.
  func saveInJournal(
    _ tree: FileWrapper, _ made: MadePlan, _ options: SavingOptions
  ) throws(FilePackageError) -> SaveReport {
    let (metadataBefore, wasCertain) = (knownPlist, uncertain == nil)
    let session = try openSession(superseding: pending != nil)
    // What was published since the last report is no part of this save.
    _ = synchronizations()
    do throws(FilePackageError) {
      // (3)
      let isSame = try !settleLeftovers(tree, session) && wasCertain && knownPlist == metadataBefore
      let (plan, snapshot, draft) = isSame ? made : try makePlan(tree)
      guard !plan.isEmpty else {
        endFailedSession()
        return SaveReport(strategy: "none")
      }
      var saving = try JournaledSave(
        plan, in: session, options: .init(options), metadata: draft, isRelaxed: options.contains(.relaxed))
      do throws(FilePackageError) {
        try saving.commit()
      } catch {
        // Files that were to move had a second name for a while.
        stale = tree === self.tree ? [tree] : [tree, self.tree]
        try settleSuperseded(session, error)
        if error.code == .indeterminate {
          uncertain = (Pending(tree, snapshot, saving.maker.madeMetadata?.metadata), saving.record)
        }
        throw error
      }
      uncertain = nil
      pending = Pending(tree, snapshot, saving.maker.madeMetadata?.metadata)
      var report = saving.maker.report
      count(in: &report)
      if options.contains(.returnsAtCommit) {
        report.isPublished = false
        schedulePublishing()
      } else {
        publish(into: &report)
      }
      return report
    } catch {
      endFailedSession()
      throw error.during(.save)
    }
  }

  /// After a save failed that was to take the place of one that waits: where its journal was given up, that one was
  /// published before.
  private func settleSuperseded(
    _ session: PackageSession, _ error: FilePackageError
  ) throws(FilePackageError) {
    guard let pending else { return }
    if error.code == .indeterminate {
      self.pending?.problem = error
      session.hidden.unlock()
    } else if session.journal == nil {
      try settlePublished(pending)
    }
  }

  /// Publishes soon. The save is done; an error of publishing is for whoever waits for that.
  private func schedulePublishing() {
    guard let delay = delays.publishing, publishing == nil else { return }
    publishing = Task {
      try? await Task.sleep(for: delay)
      publishing = nil
      try? publish()
    }
  }

  /// What an earlier save could not remove when it failed were second names of files, and without them these files
  /// have another status, which is nobody's edit.
  ///
  /// - Returns: whether there was anything to be done.
  @discardableResult
  func settleLeftovers(_ tree: FileWrapper, _ session: PackageSession?) throws(FilePackageError) -> Bool {
    guard session?.removedLeftovers == true else { return false }
    stale = tree === self.tree ? [tree] : [tree, self.tree]
    try settle()
    return true
  }

  private func publish(into report: inout SaveReport) {
    do {
      let publisher = try publishPending()
      report.conflicts = publisher?.conflicts.sorted() ?? []
      report.fallbacks += publisher?.fallbacks.sorted() ?? []
    } catch {
      report.isPublished = false
      report.problem = error.reason ?? error.code.words
    }
    report.synchronizations += synchronizations()
  }

  /// What is known of the whole document without looking at it.
  private func count(in report: inout SaveReport) {
    report.synchronizations = synchronizations()
    guard let metadata = pending?.metadata else { return }
    let files = report.written.count { $0 != PackageLayout.metadata.string }
    report.reused = max(0, metadata.fileCount - files)
    report.bytesReused =
      metadata.byteCount >= report.bytesWritten ? metadata.byteCount - report.bytesWritten : 0
  }

  // MARK: Publishing

  /// Waits until other programs see what was saved; does nothing where they do.
  ///
  /// - Throws: what the system refuses. The save then stays in the journal, where it survives a power cut and
  ///   where our own readers see it, and is tried again by the next save, by `close()` and by the next opening.
  public func publish() throws(FilePackageError) {
    note(try publishPending())
  }

  /// Takes note of conflicts that no report tells of.
  private func note(_ publisher: Publisher?) {
    guard let publisher, !publisher.conflicts.isEmpty else { return }
    recoveryConflicts = Set(recoveryConflicts).union(publisher.conflicts).sorted()
  }

  /// (1)
  @discardableResult
  func publishPending() throws(FilePackageError) -> Publisher? {
    guard let pending else { return nil }
    do throws(FilePackageError) {
      var publisher: Publisher?
      if let session, session.hidden.isLocked {
        publisher = try session.publish(isRecovery: pending.problem != nil, wait)
      } else {
        // (2) Somebody else may have done it meanwhile; or it was superseded after all.
        _ = try openSession()
        if self.pending == nil { return nil }
      }
      try settlePublished(pending)
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

  private func settlePublished(_ pending: Pending) throws(FilePackageError) {
    let metadata: (metadata: PackageMetadata, status: FileStatus)?
    let package: FileStatus
    do {
      let directory = try location.openDirectory(.root)
      package = try location.disk.status(of: directory)
      if let known = pending.metadata {
        metadata = (known, try location.disk.status(of: PackageLayout.metadata, in: directory))
      } else {
        metadata = nil
      }
    } catch {
      throw FilePackageError(
        error, .save, StoredNode(location: location, path: .root), activity: "looking at what is published")
    }
    self.pending = nil
    othersWroteValues = false
    adopt(Unsettled(pending.tree, pending.snapshot, in: package, metadata))
  }

  // MARK: The session

  /// Opens the hidden folder, takes the writer's lock and brings everything up to what others have left.
  ///
  /// - Throws: `changedOnDisk` when the package is no longer in its place; `busy`; the system's reason.
  ///
  /// - Parameter superseding: whether what waits in the journal is this store's, and the next record takes its place.
  func openSession(superseding: Bool = false) throws(FilePackageError) -> PackageSession {
    if let damage { throw damage.during(.save) }
    let node = StoredNode(location: location, path: .root)
    let session: PackageSession
    do {
      if let known = self.session {
        try known.hidden.lock(wait)
        session = known
      } else {
        session = try PackageSession.open(
          location, on: CountingDisk(location.disk), wait, journalCapacity: journalCapacity)
        synchronizationsReported = 0
        self.session = session
      }
      guard try session.hidden.isInPlace(),
        session.hidden.packageStatus.identity.isSameNode(as: status.identity)
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
      if error.code == .journalDamaged { damage = error }
      throw error.during(.save)
    }
  }

  /// Finds out what became of a save that may have been committed although it failed: it was published just now,
  /// or by another store, if the state on disk is the one that it made.
  private func settleUncertain(_ session: PackageSession) throws(FilePackageError) {
    guard let (saved, record) = uncertain else { return }
    let isDone: Bool
    if let metadata = saved.metadata {
      isDone = knownMetadata?.revision == metadata.revision
    } else {
      isDone = session.isCarriedOut(record)
    }
    if isDone { try settlePublished(saved) }
    uncertain = nil
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

  /// After a failure nothing is kept open that was not open before a save.
  func endFailedSession() {
    guard pending == nil else { return }
    if session?.journal == nil {
      session = nil
    } else {
      session?.hidden.unlock()
    }
  }

  var knownMetadata: PackageMetadata? {
    if case .present(let metadata, _) = metadataState { metadata } else { nil }
  }

  /// `Metadata.plist` as it was when it was last read or written.
  private var knownPlist: FileStatus? {
    if case .present(_, let status) = metadataState { status } else { nil }
  }

  /// Reads the metadata again where another program wrote it.
  private func reloadMetadata(_ session: PackageSession) throws(FilePackageError) {
    let now: FileStatus?
    do {
      now = try session.disk.statusIfPresent(
        of: PackageLayout.metadata, in: session.hidden.root.descriptor)
    } catch {
      throw FilePackageError(error, .save, StoredNode(location: location, path: .root))
    }
    if case .present(_, let known?) = metadataState, let now, now.isUnchanged(since: known) { return }
    if case .none = metadataState, now == nil { return }
    let before = knownMetadata
    loadMetadata()
    if let before, before.applicationValues != knownMetadata?.applicationValues { othersWroteValues = true }
  }

  private func synchronizations() -> Int {
    guard let disk = session?.disk as? CountingDisk else { return 0 }
    let total = disk.counts[.synchronize] + disk.counts[.synchronizeData]
    defer { synchronizationsReported = total }
    return total - synchronizationsReported
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
  }

  /// Ends what saving began: publishes, removes the journal and what else is needed only while a store is open.
  /// The store can be used again; its next save begins anew. A store that is given up without this does it
  /// then, as far as no error comes in between.
  ///
  /// - Throws: what the system refuses; nothing is lost, and the next opening does the rest.
  public func close() throws(FilePackageError) {
    try publish()
    checkpoint?.cancel()
    guard let session else { return }
    if session.isUnfinished {
      _ = try openSession()
      session.hidden.unlock()
    }
    do {
      try session.end()
    } catch {
      throw FilePackageError(
        error, .save, StoredNode(location: location, path: .root), activity: "removing its journal")
    }
    self.session = nil
  }
}
