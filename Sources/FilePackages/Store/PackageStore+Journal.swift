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
    if made.plan.since(pending.snapshot, made.snapshot).isEmpty {
      // If nothing is new, a save that is to be seen is published. If a change is only taken back, it is published, too, so
      // that the next plan tells of it.
      guard options.contains(.returnsAtCommit), pending.snapshot.revised(in: made.snapshot).isEmpty else {
        return nil
      }
      var report = SaveReport(strategy: "none")
      report.isPublished = false
      return report
    }
    return try saveInJournal(tree, made, options)
  }

  /// Saves in place.
  ///
  /// - Parameter made: the plan as it is if nobody else has saved by now.
  func saveInJournal(
    _ tree: FileWrapper, _ made: MadePlan, _ options: SavingOptions
  ) throws(FilePackageError) -> SaveReport {
    let (metadataBefore, wasCertain) = (knownPlist, uncertain == nil)
    let session = try openSession(superseding: pending != nil)
    if merge?.isUnaccounted == true { session.manifest = nil }
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
        plan, in: session, options: .init(options), metadata: draft, isRelaxed: options.contains(.relaxed),
        keepsVersion: !session.hasDamagedHistory && merge?.isUnaccounted != true
          && (session.keepsHistory || options.contains(.keepsHistory)))
      if let merge { saving.account(for: merge) }
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
        try noteMove(in: &report, session)
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
      report.isUnpublished(because: error)
    }
    report.synchronizations += synchronizations()
  }

  /// Says where the package is if another program moved it while it was saved.
  ///
  /// - Throws: `noSuchFile` where it was removed.
  private func noteMove(
    in report: inout SaveReport, _ session: PackageSession
  ) throws(FilePackageError) {
    guard unsettled?.isElsewhere == true || !report.isPublished && isElsewhere(session) else { return }
    do {
      let root = session.hidden.root
      if try location.disk.status(of: root.descriptor).links > 0 {
        let path = try location.disk.place(of: root.descriptor)
        return report.note(SaveWarning(.moved, reason: path.map { FileName($0).string } ?? ""))
      }
    } catch {
      // It is saved, wherever it is.
      return report.note(SaveWarning(.moved, reason: ""))
    }
    throw FilePackageError(.noSuchFile, .save, node, reason: "another program removed it meanwhile")
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
}
