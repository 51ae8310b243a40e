import DurableIO
public import FoundationEssentials

// (1) The outcome is saved and durable before any conflict version is removed: until then all versions stay available.
// (2) Files that came after the look at the conflicts stay.
// (3) A file of another version than the metadata in its place is written again, as if this save brought it. So the
//     versions of the history do not share it, and the sums are right.

extension PackageStore {
  // MARK: Looking

  /// Returns the versions in conflict with the document on disk, the newest first; empty if there is no conflict.
  ///
  /// Writes nothing. Looks only at the disk, and ignores a committed save that is unpublished.
  ///
  /// Cost: a getdents64(2) loop for each folder if there are none; otherwise reads every child that changed after its
  /// save.
  ///
  /// - Throws: the system's error.
  public func conflicts() throws(FilePackageError) -> [ConflictVersion] {
    try conflictSet().entries.map(\.version)
  }

  /// Returns whether the names in the package's own folder show a conflict.
  ///
  /// If two computers saved the document, there is always a copy of the metadata.
  ///
  /// Cost: a listing of the folder, if the tree has none.
  ///
  /// - Throws: the system's error.
  public func hasConflicts() throws(FilePackageError) -> Bool {
    if try !conflictVersions().isEmpty { return true }
    let listing = if let known = tree.knownListing { known } else { try node.list() }
    return (0..<listing.count).contains { ConflictEvidence.isCopyOfMetadata(listing.name(at: $0)) }
  }

  /// Returns whether the document on disk is exactly the result of one save.
  ///
  /// It is not if a synchronising program brought some children of one version and some of another.
  ///
  /// - Throws: the system's error.
  public func isPresentVersionWhole() throws(FilePackageError) -> Bool { try conflictSet().isPresentWhole }

  /// Returns the document of a conflict version, to read: changes to the tree do not change the version.
  ///
  /// - Parameter id: the identifier of the version; nil for the document on disk, without the conflict copies.
  /// - Throws: `noSuchVersion`; the system's error.
  public func contents(ofConflict id: UUID?) throws(FilePackageError) -> FileWrapper {
    let set = try conflictSet()
    let tree = try id == nil ? savedTree() : newTree()
    do {
      try set.apply(id.map { try entry($0, in: set) }, to: tree)
      return tree
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .read, node)
    }
  }

  /// Returns the last common state of a conflict version and the document on disk; nil if it is not known.
  ///
  /// The tree holds the children that are still available. Saves note only the digests of their children; a document
  /// that keeps history has the children too.
  ///
  /// - Throws: as `contents(ofConflict:)`.
  public func commonAncestor(ofConflict id: UUID) throws(FilePackageError) -> FileWrapper? {
    let (set, current) = (try conflictSet(), try metadata())
    do {
      return try set.base(of: entry(id, in: set), current)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .read, node)
    }
  }

  // MARK: Deciding

  /// Resolves all conflicts for one version, which becomes the document in one save.
  ///
  /// With `keepsHistory` the replaced state stays among the versions.
  ///
  /// - Parameter id: the identifier of the version; nil for the document on disk.
  /// - Returns: the report of the save.
  /// - Throws: `unsavedEdits` if the tree has unsaved edits, which stay; `noSuchVersion`, also for a version with lost
  ///   children; the errors of `save(_:options:)`. All versions then stay.
  @discardableResult
  public func resolveConflicts(
    keeping id: UUID?, options: SavingOptions = []
  ) throws(FilePackageError) -> SaveReport {
    do {
      return try resolveConflicts(options: options) { tree, set in
        guard let id else { return }
        let entry = try entry(id, in: set)
        if let lost = entry.version.missing.first { throw lacks(lost, entry.version) }
        try set.apply(entry, to: tree)
      }
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .save, node)
    }
  }

  /// Resolves all conflicts in one save of the tree that `body` changes.
  ///
  /// - Parameters:
  ///   - options: the options of the save.
  ///   - body: changes the tree of the document on disk, without the conflict copies. It may use children of the trees
  ///     from `contents(ofConflict:)`.
  /// - Returns: the report of the save.
  /// - Throws: `unsavedEdits` if the tree has unsaved edits, which stay; the errors of `body` and of
  ///   `save(_:options:)`. All versions then stay.
  @discardableResult
  public func resolveConflicts(
    options: SavingOptions = [], with body: (FileWrapper) throws -> Void
  ) throws -> SaveReport {
    try resolveConflicts(options: options) { tree, _ in try body(tree) }
  }

  /// Returns the plan of `resolveConflicts(keeping:options:)` for the last saved document, without changing the disk.
  ///
  /// The tree with its unsaved edits stays as it is, and the plan ignores them.
  ///
  /// - Throws: as `resolveConflicts(keeping:options:)`, except `unsavedEdits`.
  public func resolvingPlan(keeping id: UUID?) throws -> SavePlan {
    try resolvingPlan { tree, set in try set.apply(id.map { try entry($0, in: set) }, to: tree) }
  }

  /// Returns the plan of `resolveConflicts(options:with:)`, as `resolvingPlan(keeping:)` does.
  ///
  /// - Throws: as `resolveConflicts(options:with:)`, except `unsavedEdits`.
  public func resolvingPlan(with body: (FileWrapper) throws -> Void) throws -> SavePlan {
    try resolvingPlan { tree, _ in try body(tree) }
  }

  private func resolvingPlan(_ body: (FileWrapper, ConflictSet) throws -> Void) throws -> SavePlan {
    let set = try conflictSet()
    let tree = try savedTree()
    let saved = tree.changesSnapshot()
    _ = try prepare(tree, set)
    try body(tree, set)
    let made = try makePlan(SaveRequest(tree), known: nil, dropsIdentical: false)
    return made.plan.since(saved, made.snapshot)
  }

  private func resolveConflicts(
    options: SavingOptions, _ body: (FileWrapper, ConflictSet) throws -> Void
  ) throws -> SaveReport {
    try publish()
    let set = try conflictSet()
    try refuseUnsavedEdits()
    let before = baseline.metadata
    do {
      tree = newTree()
      var merge = try prepare(tree, set)
      try body(tree, set)
      try account(for: &merge)
      var request = SaveRequest(tree, options)
      request.merge = merge
      // (1)
      var report = try save(request)
      // After the save, a failure is only a warning.
      do throws(FilePackageError) {
        try publish()
        report.isPublishedAfterAll()
        try removeResolved(set)
      } catch {
        if report.strategy == "none" { throw error }
        report.note(SaveWarning(.conflictsLeft, error))
      }
      return report
    } catch {
      if state.isSettled { (tree, baseline.metadata) = (newTree(), before) }
      throw error
    }
  }

  /// Makes the tree the document on disk, without the conflict copies.
  private func prepare(_ tree: FileWrapper, _ set: ConflictSet) throws -> VersionMerge {
    try set.apply(nil, to: tree)
    let merge = try VersionMerge(set, try metadata(), loadManifest)
    // (3)
    for row in merge.others { try set.rewrite(row, in: tree) }
    return merge
  }

  /// Completes the notes of a save that merges versions.
  private func account(for merge: inout VersionMerge) throws {
    merge.folders = try merge.folders.filter {
      try tree.descendant(at: $0.child.path.string)?.isDirectory == true
    }
    if merge.isUnaccounted, case .present(var metadata, let status) = baseline.metadata {
      let rows = try verifyChildren().found
      var summary = ContentSummary()
      for row in rows.values { summary.add(row.child) }
      metadata.summary = summary
      baseline.metadata = .present(metadata, status)
      merge.recounted = rows.values.sorted { $0.child.path < $1.child.path }
    }
  }

  /// Removes the resolved conflict versions. (2)
  private func removeResolved(_ set: ConflictSet) throws(FilePackageError) {
    let disk = location.disk
    do {
      let root = try location.openDirectory(.root)
      guard try disk.exists(PackageLayout.hidden, in: root) else { return }
      let hidden = try disk.openDirectory(PackageLayout.hidden, in: root)
      for name in set.evidence.hiddenCopies where try disk.exists(name, in: hidden) {
        try disk.removeFile(name, in: hidden)
      }
      let kept = set.entries.compactMap(\.keptIn)
      if kept.isEmpty { return }
      let folder = try disk.openDirectory(PackageLayout.conflicts, in: hidden)
      for name in kept where !disk.removeEverything(name, from: folder) {
        throw FilePackageError(
          .inputOutput, .save, node,
          reason: "'\(name.display)' among its conflict versions could not be removed")
      }
      if try disk.list(folder).count == 0 { _ = disk.removeEverything(PackageLayout.conflicts, from: hidden) }
    } catch let error as SystemError {
      throw FilePackageError(error, .save, node, activity: "removing what was in conflict")
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .save, node)
    }
  }

  // MARK: Finding

  private func conflictSet() throws(FilePackageError) -> ConflictSet {
    try ConflictSet(location, try metadata())
  }

  private func entry(_ id: UUID, in set: ConflictSet) throws(FilePackageError) -> ConflictSet.Entry {
    guard let entry = set[id] else {
      throw FilePackageError(
        .noSuchVersion, .read, node, reason: "no version '\(id.uuidString)' is in conflict with it")
    }
    return entry
  }

  /// Makes the error for a version with lost children, which cannot become the document.
  package func lacks(_ child: String, _ version: ConflictVersion) -> FilePackageError {
    FilePackageError(
      .noSuchVersion, .read, StoredNode(location: location, path: PackagePath(child)),
      reason: "nobody has what version '\(version.id.uuidString.prefix(8))' has there; "
        + "it can be made a document of its own, without that")
  }
}

extension VersionMerge {
  fileprivate init(
    _ set: ConflictSet, _ metadata: PackageMetadata?,
    _ manifest: (PackageMetadata) throws(FilePackageError) -> Manifest?
  ) throws(FilePackageError) {
    self.init(
      parents: set.entries.compactMap(\.version.metadata?.revision).filter { $0 != metadata?.revision })
    guard let metadata, !set.evidence.isEmpty else { return }
    guard let noted = try manifest(metadata), noted.isComplete else {
      isUnaccounted = true
      return
    }
    for (path, row) in set.evidence.present where noted.row(at: path)?.child != row.child {
      if row.child.kind == .directory { folders.append(row) } else { others.append(row) }
    }
    missing = noted.rows.filter { set.evidence.found[$0.child.path] == nil }
  }
}
