package import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat
import SystemPackage

// W1 Before it plans or saves anything else, the writer publishes a save that is committed and not published.
// W2 The writer publishes the commits that other programs left before it commits one of its own.
// W3 The writer carries out a plan that it made with the lock held, over the state that other programs left.
// W4 Opening a package writes nothing and locks nothing, if it was closed in good order or no committed save waits.
// W5 Opening never needs space on disk: the writer reads an unpublishable save from the log.
// W6 The writer reports a damaged log, and changes nothing in the package.

/// The work that a call left for later.
package struct DueWork: OptionSet {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// To publish a save that returned at its commit.
  package static let publishing = DueWork(rawValue: 1)
  /// To make a checkpoint, some time after the last save.
  package static let checkpoint = DueWork(rawValue: 2)
  /// To mark the published save in the log, and to release the lock.
  package static let finishing = DueWork(rawValue: 4)
}

/// The writer of one open package: plans, commits, publishes and rebases its saves.
///
/// One `PackageStore` owns it and calls it on its own executor. Every method returns with its work done, apart from
/// `due`, which the store does later.
package final class PackageWriter {
  package let location: Location
  /// The size in bytes of records at which a new log takes the place of a long one.
  let logCapacity: Int
  /// Whether a published save is finished before the call returns, and not noted in `due`.
  let finishesAtOnce: Bool
  /// The time for which the writer waits for other programs.
  let wait = LockWait()

  /// The tree of the document, with its unsaved edits.
  package var tree: FileWrapper
  /// The state of the disk from which the tree tells its changes.
  package var baseline: StoreBaseline
  /// The rest of the last save. See `SaveState.swift` for all states and the ways between them.
  package var state = SaveState.clean
  /// The session; nil before the first save.
  package var session: PackageSession?
  /// The conflicts that publishing found.
  package var conflicts = FoundConflicts()
  /// The work that is left for later.
  package var due: DueWork = []
  /// The program that saves, for the metadata.
  package var program = SavingProgram.current
  /// The number of versions that this writer has removed from the history.
  package var removedVersions = 0
  /// The clock for the dates in the metadata and for the ages of versions.
  package var clock: @Sendable () -> Date = { Environment.current.now().date }

  /// The children that other programs changed before a save was published.
  package struct FoundConflicts {
    /// All that no report of a save names.
    ///
    /// That save was cut short, or returned at its commit. The package has both contents, one of them in the hidden
    /// folder.
    package var unreported: [String] = []
    /// Those since the last save was rebased: another program's content may stand there, and a save must not replace
    /// it unseen.
    var unrebased: Set<String> = []
  }

  /// - Parameter tree: the tree of the document; nil for a new one.
  package init(
    _ node: StoredNode, status: FileStatus, tree: FileWrapper? = nil, logCapacity: Int = SaveLog.capacity,
    finishesAtOnce: Bool = true
  ) {
    location = node.location
    self.logCapacity = logCapacity
    self.finishesAtOnce = finishesAtOnce
    location.isPackage = true
    self.tree = tree ?? FileWrapper(node)
    baseline = StoreBaseline(status)
  }

  /// The package at this moment, for reading.
  package var package: OpenPackage {
    OpenPackage(location: location, tree: tree, baseline: baseline, state: state)
  }

  package var node: StoredNode { StoredNode(location: location, path: .root) }

  // MARK: Saving

  /// Brings the package on disk to the state of the request's tree: see `PackageStore.save(_:options:)`.
  package func save(_ request: SaveRequest) throws(FilePackageError) -> SaveReport {
    do throws(FilePackageError) {
      try settle()
      // Only a plan tells whether there is anything to save. A save without changes takes no lock, and leaves no trace.
      let early = try plan(request)
      if early.plan.isEmpty {
        adoptIdentical(early, of: request.tree)
        return SaveReport(strategy: .none)
      }
      let known = (metadata: baseline.metadata.status, isCertain: state.isCertain)
      return try withPackageLock { session throws(FilePackageError) in
        var planned = early
        if session.removedLeftovers {
          // The second names of files that a failed save was about to move are gone.
          baseline.stale = trees(with: request.tree)
          try rebase()
        }
        // Another program may have saved before this store took the lock (W3).
        if session.removedLeftovers || !known.isCertain || baseline.metadata.status != known.metadata {
          planned = try plan(request)
        }
        guard !planned.plan.isEmpty else { return SaveReport(strategy: .none) }
        return try save(planned, of: request, session)
      }
    } catch {
      throw error.during(.save)
    }
  }

  /// Makes edits part of the baseline if the disk already has the same bytes: they are no edits any more.
  private func adoptIdentical(_ planned: PlannedSave, of tree: FileWrapper) {
    let saved = planned.snapshot.root
    guard tree === self.tree, case .directory(let changes) = saved.content, !changes.isEmpty else { return }
    let root = StoredNode(location: location, path: .root, status: baseline.status)
    // If the disk cannot be looked at, they stay edits.
    if (try? tree.rebase(onto: root, saved, isInPlace: true)) != nil {
      tree.disown(changedSince: planned.plan.identical, saved: saved)
    }
  }

  private func save(
    _ planned: PlannedSave, of request: SaveRequest, _ session: PackageSession
  ) throws(FilePackageError) -> SaveReport {
    let (options, merge) = (request.options, request.merge)
    if merge?.isUnaccounted == true { session.table = nil }
    // Publishing since the last report is no part of this save.
    _ = session.takeSynchronizations()
    // A save begins a history if there is none, unless that was ended.
    let beginsHistory = options.contains(.keepsHistory) && baseline.metadata.known?.keepsNoHistory != true
    var draft = try SaveDraft(
      planned.plan, in: session, options: .init(options), metadata: planned.draft,
      keepsVersion: merge?.isUnaccounted != true && (session.keepsHistory || beginsHistory))
    if let merge {
      if let recounted = merge.recounted { draft.changes.recount(recounted) }
      draft.takeOver(merge.changes)
    } else {
      draft.takeOverReadFiles { hasCopyOfMetadata }
    }
    let save = try commit(&draft, of: request.tree, planned.snapshot, in: session)
    var report = draft.report
    report.count(save.metadata, besides: draft.written)
    if options.contains(.returnsAtCommit) {
      report.isPublished = false
      due.insert(.publishing)
    } else {
      do throws(FilePackageError) {
        report.conflicts = try publishPending().sorted()
      } catch {
        report.isUnpublished(because: error)
      }
      try refuseRemoved(session)
    }
    report.synchronizations = session.takeSynchronizations()
    return report
  }

  /// Whether a synchronising program may have left a copy of the metadata, so that the children may be of several
  /// versions.
  private var hasCopyOfMetadata: Bool {
    // A folder that cannot be listed may have one.
    guard let listing = tree.knownListing ?? (try? node.list()) else { return true }
    return listing.fileNames.contains(where: ConflictName.mayCopyMetadata)
  }

  /// Commits a save, which waits from then on.
  @discardableResult
  func commit(
    _ draft: inout SaveDraft, of tree: FileWrapper, _ snapshot: PackageSnapshot,
    in session: PackageSession
  ) throws(FilePackageError) -> CommittedSave {
    var committed: CommittedSave {
      CommittedSave(
        tree: tree, snapshot: snapshot, metadata: draft.record.metadata, identical: draft.plan.identical)
    }
    do throws(FilePackageError) {
      try draft.stage()
      do throws(FilePackageError) {
        try session.commit(&draft.record)
      } catch {
        if error.code != .indeterminate { draft.removeStaged() }
        throw error
      }
      let save = committed
      state = .waiting(save, because: nil)
      return save
    } catch {
      // Files that were about to move had a second name for a while.
      baseline.stale = trees(with: tree)
      if error.code == .indeterminate { state = .inDoubt(committed, draft.record) }
      throw error
    }
  }

  /// Returns the trees that have statuses of the disk: the store's own and `tree`.
  private func trees(with tree: FileWrapper) -> [FileWrapper] {
    tree === self.tree ? [tree] : [tree, self.tree]
  }

  /// Checks, after the commit, that the package still exists.
  ///
  /// If another program moved it during the save, the save is in the directory that was opened, wherever that is now.
  ///
  /// - Throws: `noSuchFile` if another program removed it.
  private func refuseRemoved(_ session: PackageSession) throws(FilePackageError) {
    if state.isRebased { return }
    // If it cannot be looked at, the package is saved all the same.
    if let now = try? location.disk.status(of: session.hidden.root.descriptor), now.links == 0 {
      throw FilePackageError(.noSuchFile, .save, node, reason: "another program removed it meanwhile")
    }
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
  fileprivate init(_ options: SavingOptions) {
    self.init()
    overwritesReadOnly = options.contains(.overwritesReadOnly)
    isCancellable = options.contains(.cancellable)
  }
}
