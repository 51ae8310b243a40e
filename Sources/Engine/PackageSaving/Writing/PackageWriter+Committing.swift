import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension PackageWriter {
  /// Takes the lock, and carries out a plan.
  ///
  /// - Parameter early: the plan, made without the lock. It is made again if another program has saved meanwhile.
  func carryOut(_ early: PlannedSave, of request: SaveRequest) throws(FilePackageError) -> SaveReport {
    let (metadataBefore, wasCertain) = (baseline.metadata.status, state.doubt == nil)
    return try withPackageLock { session throws(FilePackageError) in
      // Another program may have saved before this store took the lock (W3).
      let isSame =
        try !recoverLeftovers(request.tree, session) && wasCertain
        && baseline.metadata.status == metadataBefore
      let planned = isSame ? early : try plan(request)
      guard !planned.plan.isEmpty else { return SaveReport(strategy: .none) }
      return try saveInPlace(planned, of: request, session)
    }
  }

  /// Makes edits part of the baseline if the disk already has the same bytes: they are no edits any more.
  func rebaseOntoIdentical(_ planned: PlannedSave, of tree: FileWrapper) -> SaveReport {
    let report = SaveReport(strategy: .none)
    guard tree === self.tree, case .directory(let changes) = planned.snapshot.root.content, !changes.isEmpty
    else {
      return report
    }
    let saved = PublishedSave(tree, planned.snapshot, in: baseline.status, nil, .nothingWritten)
    if case .clean = state { rebase(onto: saved) } else { try? makeBaseline(of: saved) }
    return report
  }

  private func saveInPlace(
    _ planned: PlannedSave, of request: SaveRequest, _ session: PackageSession
  ) throws(FilePackageError) -> SaveReport {
    let (options, merge) = (request.options, request.merge)
    if merge?.isUnaccounted == true { session.forgetTable() }
    // Publishing since the last report is no part of this save.
    _ = session.takeSynchronizations()
    do throws(FilePackageError) {
      var draft = try SaveDraft(
        planned.plan, in: session, options: .init(options), metadata: planned.draft,
        keepsVersion: merge?.isUnaccounted != true
          && (session.keepsHistory || beginsHistory(options)))
      if let merge {
        if let recounted = merge.recounted { draft.changes.recount(recounted) }
        draft.takeOver(merge.changes)
      } else {
        draft.takeOverReadFiles { hasCopyOfMetadata }
      }
      let save = try commit(&draft, of: request.tree, planned.snapshot, in: session)
      var report = draft.report
      report.synchronizations = session.takeSynchronizations()
      report.count(save.metadata, besides: draft.written)
      if options.contains(.returnsAtCommit) {
        report.isPublished = false
        due.insert(.publishing)
      } else {
        publish(into: &report, session)
        try refuseRemoved(report, session)
      }
      return report
    } catch {
      throw error.during(.save)
    }
  }

  /// Returns whether a save with these options begins a history if there is none.
  func beginsHistory(_ options: SavingOptions) -> Bool {
    options.contains(.keepsHistory) && baseline.metadata.known?.keepsNoHistory != true
  }

  /// Whether a synchronising program may have left a copy of the metadata, so that the children may be of several
  /// versions.
  var hasCopyOfMetadata: Bool {
    // A folder that cannot be listed may have one.
    guard let listing = tree.knownListing ?? (try? node.list()) else { return true }
    return (0..<listing.count).contains { ConflictName.mayCopyMetadata(listing.name(at: $0)) }
  }

  /// Commits a save; from then on the store is `committed`.
  func commit(
    _ draft: inout SaveDraft, of tree: FileWrapper, _ snapshot: PackageSnapshot,
    in session: PackageSession
  ) throws(FilePackageError) -> CommittedSave {
    do throws(FilePackageError) {
      try draft.stage()
      do throws(FilePackageError) {
        try session.commit(&draft.record)
      } catch {
        if error.code != .indeterminate { draft.removeStaged() }
        throw error
      }
      let save = CommittedSave(tree, snapshot, draft.record.metadata)
      state = .committed(save)
      return save
    } catch {
      // Files that were about to move had a second name for a while.
      baseline.stale = trees(with: tree)
      if error.code == .indeterminate {
        let save = CommittedSave(tree, snapshot, draft.record.metadata)
        state = .inDoubt(UncertainSave(save: save, record: draft.record))
      }
      throw error
    }
  }

  /// Returns the trees that have statuses of the disk: the store's own and `tree`.
  func trees(with tree: FileWrapper) -> [FileWrapper] { tree === self.tree ? [tree] : [tree, self.tree] }

  /// Updates the statuses of files whose second names a failed save left behind.
  ///
  /// The session has removed these names. That gives the files another status, which is no edit of another program.
  ///
  /// - Returns: whether there was anything to do.
  private func recoverLeftovers(
    _ tree: FileWrapper, _ session: PackageSession
  ) throws(FilePackageError) -> Bool {
    guard session.removedLeftovers else { return false }
    baseline.stale = trees(with: tree)
    try rebase()
    return true
  }

  // MARK: Reports

  private func publish(into report: inout SaveReport, _ session: PackageSession) {
    do {
      let publisher = try publishPending()
      report.conflicts = publisher?.conflicts.sorted() ?? []
    } catch {
      report.isUnpublished(because: error)
    }
    report.synchronizations += session.takeSynchronizations()
  }

  /// Checks, after the commit, that the package still exists.
  ///
  /// If another program moved it during the save, the save is in the directory that was opened, wherever that is now.
  ///
  /// - Throws: `noSuchFile` if another program removed it.
  private func refuseRemoved(_ report: SaveReport, _ session: PackageSession) throws(FilePackageError) {
    guard state.unrebased?.way == .elsewhere || !report.isPublished && isElsewhere(session) else { return }
    do {
      if try location.disk.status(of: session.hidden.root.descriptor).links > 0 { return }
    } catch {
      // The package is saved, wherever it is.
      return
    }
    throw FilePackageError(.noSuchFile, .save, node, reason: "another program removed it meanwhile")
  }
}

extension SaveReport {
  /// Fills in the figures of the whole document that are known without a look at the disk.
  ///
  /// - Parameter written: the files and links that the save made, which are among those that the metadata count.
  fileprivate mutating func count(
    _ metadata: PackageMetadata?, besides written: (count: Int, bytes: UInt64)
  ) {
    guard let metadata else { return }
    reused = max(0, metadata.fileCount - written.count)
    bytesReused = metadata.size > written.bytes ? metadata.size - written.bytes : 0
  }
}

extension StagedSave.Options {
  init(_ options: SavingOptions) {
    self.init()
    overwritesReadOnly = options.contains(.overwritesReadOnly)
    isCancellable = options.contains(.cancellable)
  }
}
