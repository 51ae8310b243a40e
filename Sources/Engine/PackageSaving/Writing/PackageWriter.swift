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
    var unrebased: [String] = []
  }

  package init(
    _ node: StoredNode, status: FileStatus, tree: FileWrapper, logCapacity: Int, finishesAtOnce: Bool
  ) {
    location = node.location
    self.logCapacity = logCapacity
    self.finishesAtOnce = finishesAtOnce
    location.isPackage = true
    self.tree = tree
    baseline = StoreBaseline(status)
  }

  /// Makes a writer with a new tree, which does nothing by itself.
  convenience init(_ node: StoredNode, status: FileStatus) {
    let name = node.location.path.lastComponent.map(FileName.init)
    self.init(
      node, status: status, tree: FileWrapper(state: FileWrapper.State(node, name: name)),
      logCapacity: SaveLog.capacity, finishesAtOnce: true)
  }

  /// The package at this moment, for reading.
  package var package: OpenPackage {
    OpenPackage(location: location, tree: tree, baseline: baseline, state: state)
  }

  package var node: StoredNode { StoredNode(location: location, path: .root) }

  // MARK: Saving

  /// Brings the package on disk to the state of the request's tree: see `PackageStore.save(_:options:)`.
  package func save(_ request: SaveRequest) throws(FilePackageError) -> SaveReport {
    try settle()
    // Only a plan tells whether there is anything to save. A save without changes takes no lock, and leaves no trace.
    let planned = try plan(request)
    if planned.plan.isEmpty { return rebaseOntoIdentical(planned, of: request.tree) }
    return try carryOut(planned, of: request)
  }

  /// Publishes the last save, and makes it the baseline of the next one (W1).
  func settle() throws(FilePackageError) {
    do throws(FilePackageError) {
      try publish()
    } catch {
      throw error.during(.save)
    }
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

  /// Publishes, and ends the session: see `PackageStore.close()`.
  package func close() throws(FilePackageError) {
    try publish()
    due.remove(.checkpoint)
    thinHistoryIfDue()
    guard let session else { return }
    do throws(FilePackageError) {
      // If another program moved the package, `end()` ends the log at its new place.
      if session.isUnfinished && !isElsewhere(session) {
        try withPackageLock { _ in }
      }
      do throws(SystemError) {
        try session.end()
      } catch {
        throw FilePackageError(error, .close, node, activity: "ending its log")
      }
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
