import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// Saves that write nothing, or a whole new directory.

extension PackageWriter {
  /// Makes edits part of the baseline if the disk already has the same bytes: they are no edits any more.
  func rebaseOntoIdentical(_ planned: PlannedSave, of tree: FileWrapper) -> SaveReport {
    let report = SaveReport(strategy: .none)
    guard tree === self.tree, case .directory(let changes) = planned.snapshot.root.content, !changes.isEmpty
    else {
      return report
    }
    let saved = PublishedSave(tree, planned.snapshot, in: baseline.status, nil, .nothingWritten)
    if case .clean = state { rebase(onto: saved) } else { try? rebase(onto: saved, as: baseline.status) }
    return report
  }

  /// - Parameter session: the open session; nil if the package may not get a hidden folder.
  func saveStaged(
    _ planned: PlannedSave, of request: SaveRequest, _ session: PackageSession?
  ) throws(FilePackageError) -> SaveReport {
    let (tree, options, merge) = (request.tree, request.options, request.merge)
    if let session { try addVersions(of: session) }
    var staged = StagedSave(
      planned.plan, at: location, over: .base(baseline.status), options: .init(options),
      metadata: planned.draft,
      known: merge?.isUnaccounted == true ? nil : session?.manifest.value)
    staged.history = try package.historyBytes()
    // A history that cannot be read stays as it is.
    let keepsVersion = staged.history.map { HistoryFile($0) != nil } ?? beginsHistory(options)
    if keepsVersion && merge?.isUnaccounted != true { staged.keepVersion() }
    if let merge {
      staged.children.account(for: merge)
    } else {
      staged.children.takeOverReadFiles { hasCopyOfMetadata }
    }
    if let hidden = session?.hidden, hidden.isNew { staged.rootDate = hidden.packageStatus.modified }
    do {
      let report = try staged.commit()
      // The open session belongs to the old state, which is gone.
      dropSession()
      baseline.othersWroteValues = false
      rebase(onto: PublishedSave(tree, planned.snapshot, staged))
      return report
    } catch {
      if error.code == .indeterminate { state = .unconfirmed(PublishedSave(tree, planned.snapshot, staged)) }
      baseline.stale = trees(with: tree)
      // If the disk cannot be looked at, `rebase()` runs again before the next save.
      _ = try? rebase()
      throw error
    }
  }

  /// Adds to the history the versions that only the journal has: the new directory gets no journal (H3).
  private func addVersions(of session: PackageSession) throws(FilePackageError) {
    if session.history.hasAll { return }
    do {
      try session.history.addVersions(of: session.journal)
    } catch {
      throw FilePackageError(error, .save, node, activity: "keeping the earlier version of")
    }
  }
}

extension StagedSave.Options {
  init(_ options: SavingOptions) {
    self.init()
    overwritesReadOnly = options.contains(.overwritesReadOnly)
    isCancellable = options.contains(.cancellable)
  }
}
