import DurableIO
import SystemPackage

// (1) Before it saves anything else, the store publishes a save that is committed and not published, or the next save
//     supersedes it. The superseding save has the same baseline on disk, and contains all changes of the first one.
// (2) The store publishes the commits that other programs left before it commits one of its own.
// (3) The store carries out a plan that it made with the lock held, over the state that other programs left.

extension PackageStore {
  /// A save that is committed and that other programs do not see yet.
  struct Pending {
    let tree: FileWrapper
    let snapshot: PackageSnapshot
    /// The metadata of the save.
    let metadata: PackageMetadata?
    /// The error of the last attempt to publish it.
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

  /// Supersedes a save that is not published yet: only the newest bytes get their visible names. (1)
  ///
  /// - Returns: nil if the store cannot supersede it.
  func saveOverPending(
    _ tree: FileWrapper, _ options: SavingOptions
  ) throws(FilePackageError) -> SaveReport? {
    // The tree's baseline is still the state on disk, so the plan contains the waiting changes, too.
    guard let pending, pending.tree === tree, pending.problem == nil, !options.contains(.staged),
      session?.canSupersede == true
    else { return nil }
    let made = try makePlan(tree)
    if made.plan.since(pending.snapshot, made.snapshot).isEmpty {
      // If nothing is new and the caller wants other programs to see the save, `save()` publishes it. If the edit only
      // takes a change back, `save()` publishes, too, so that the next plan contains that edit.
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
  /// - Parameter made: the plan, valid if no other program has saved meanwhile.
  func saveInJournal(
    _ tree: FileWrapper, _ made: MadePlan, _ options: SavingOptions
  ) throws(FilePackageError) -> SaveReport {
    let (metadataBefore, wasCertain) = (knownPlist, uncertain == nil)
    let session = try openSession(superseding: pending != nil)
    if merge?.isUnaccounted == true { session.manifest = nil }
    // Publishing since the last report is no part of this save.
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
        // Files that were about to move had a second name for a while.
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
      count(in: &report, metadataSize: saving.maker.madeMetadata?.plist.count ?? 0)
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

  /// Settles the waiting save after the save that should have superseded it failed.
  ///
  /// If the session gave up its journal, it had published the waiting save before.
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

  /// Updates the statuses of files whose second names a failed save left behind.
  ///
  /// The session has removed these names. That gives the files another status, which is no edit of another program.
  ///
  /// - Returns: whether there was anything to do.
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

  /// Adds the package's place to the report if another program moved the package during the save.
  ///
  /// - Throws: `noSuchFile` if another program removed it.
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
      // The package is saved, wherever it is.
      return report.note(SaveWarning(.moved, reason: ""))
    }
    throw FilePackageError(.noSuchFile, .save, node, reason: "another program removed it meanwhile")
  }

  /// Fills in the figures of the whole document that are known without a look at the disk.
  ///
  /// - Parameter metadataSize: the bytes of the metadata, which the sums do not count.
  private func count(in report: inout SaveReport, metadataSize: Int) {
    report.synchronizations = synchronizations()
    guard let metadata = pending?.metadata else { return }
    let files = report.written.count { $0 != PackageLayout.metadata.string }
    report.reused = max(0, metadata.fileCount - files)
    let written = report.bytesWritten - UInt64(metadataSize)
    report.bytesReused = metadata.byteCount > written ? metadata.byteCount - written : 0
  }
}
