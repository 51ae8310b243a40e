import DurableIO
public import FoundationEssentials

// (1) What is decided is saved, and on the medium, before anything that was in conflict goes: until then all versions are to
//     be had, whatever happens.
// (2) What came after the look at the conflicts stays.
// (3) What is in its place and of another version than its metadata is written anew, as if this save brought it: so the versions of
//     the history do not share it, and the sums are right.

extension PackageStore {
  // MARK: Looking

  /// The versions that are in conflict with the document in its place, the newest first; none where there is no conflict.
  /// Writes nothing, and looks at what is on disk: a save that waits to be published has no part in it.
  ///
  /// Cost: a getdents64(2) loop for each folder where there are none; otherwise reads every child that has changed since it
  /// was saved.
  ///
  /// - Throws: the system's reason.
  public func conflicts() throws(FilePackageError) -> [ConflictVersion] {
    try conflictSet().entries.map(\.version)
  }

  /// Whether there is a conflict, as far as the names in the package's own folder tell: a copy of the metadata is there
  /// wherever two computers have saved.
  ///
  /// Cost: that of listing the folder, if the tree has not.
  ///
  /// - Throws: the system's reason.
  public func hasConflicts() throws(FilePackageError) -> Bool {
    if try !conflictVersions().isEmpty { return true }
    let listing = if let known = tree.knownListing { known } else { try node.list() }
    return (0..<listing.count).contains { ConflictEvidence.isCopyOfMetadata(listing.name(at: $0)) }
  }

  /// Whether the document in its place is what one save left there. Where a program that synchronises folders has brought
  /// some children of one version and some of another, it is not.
  ///
  /// - Throws: the system's reason.
  public func isPresentVersionWhole() throws(FilePackageError) -> Bool { try conflictSet().isPresentWhole }

  /// The document as it is in a conflict version, to be read: nothing that is done to the tree changes the version.
  ///
  /// - Parameter id: of the version; nil for the document in its place, without the copies.
  /// - Throws: `noSuchVersion`; the system's reason.
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

  /// The state that a conflict version and the document in its place were both made from, as far as somebody still has its
  /// children; nil where it is not known. Saves note the digests of their children; a document that keeps history has the
  /// children, too.
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

  /// Decides a conflict for one version: the document becomes that, in one save, and nothing is in conflict any more. With
  /// `keepsHistory` what was there before stays among the versions.
  ///
  /// - Parameter id: of the version; nil for the document in its place.
  /// - Returns: what was saved.
  /// - Throws: `unsavedEdits` where the tree has edits that no save has, which stay; `noSuchVersion`, also for a version of
  ///   which nobody has all children; what `save(_:options:)` throws. Then all versions are there still.
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

  /// Decides a conflict: the document becomes what `body` makes of it, in one save, and nothing is in conflict any more.
  ///
  /// - Parameters:
  ///   - options: how it is saved.
  ///   - body: changes the tree of the document in its place, which has no copies; may use children of the trees that
  ///     `contents(ofConflict:)` gave.
  /// - Returns: what was saved.
  /// - Throws: `unsavedEdits` where the tree has edits that no save has, which stay; what `body` throws, and what
  ///   `save(_:options:)` throws. Then all versions are there still.
  @discardableResult
  public func resolveConflicts(
    options: SavingOptions = [], with body: (FileWrapper) throws -> Void
  ) throws -> SaveReport {
    try resolveConflicts(options: options) { tree, _ in try body(tree) }
  }

  /// Says what `resolveConflicts(keeping:options:)` would do to the document as it was last saved, without touching anything
  /// on disk. The tree with its unsaved edits stays as it is, and they have no part in the plan.
  ///
  /// - Throws: as that, but for `unsavedEdits`.
  public func resolvingPlan(keeping id: UUID?) throws -> SavePlan {
    try resolvingPlan { tree, set in try set.apply(id.map { try entry($0, in: set) }, to: tree) }
  }

  /// Says what `resolveConflicts(options:with:)` would do, as `resolvingPlan(keeping:)` does.
  ///
  /// - Throws: as that, but for `unsavedEdits`.
  public func resolvingPlan(with body: (FileWrapper) throws -> Void) throws -> SavePlan {
    try resolvingPlan { tree, _ in try body(tree) }
  }

  private func resolvingPlan(_ body: (FileWrapper, ConflictSet) throws -> Void) throws -> SavePlan {
    let set = try conflictSet()
    let tree = try savedTree()
    let saved = tree.changesSnapshot()
    _ = try prepare(tree, set)
    try body(tree, set)
    let made = try makePlan(tree, known: nil, dropsIdentical: false)
    return made.plan.since(saved, made.snapshot)
  }

  private func resolveConflicts(
    options: SavingOptions, _ body: (FileWrapper, ConflictSet) throws -> Void
  ) throws -> SaveReport {
    try publish()
    let set = try conflictSet()
    try refuseUnsavedEdits()
    let before = metadataState
    do {
      tree = newTree()
      var merge = try prepare(tree, set)
      try body(tree, set)
      try begin(&merge)
      defer { self.merge = nil }
      // (1)
      var report = try save(options: options)
      // Once it is saved, nothing is an error.
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
      if pending == nil && unsettled == nil { (tree, metadataState) = (newTree(), before) }
      throw error
    }
  }

  /// Makes a tree of what is in the document's place the document, without the copies.
  private func prepare(_ tree: FileWrapper, _ set: ConflictSet) throws -> Merge {
    try set.apply(nil, to: tree)
    let merge = try Merge(set, try metadata(), loadManifest)
    // (3)
    for row in merge.others { try set.rewrite(row, in: tree) }
    return merge
  }

  /// The next save brings versions together.
  private func begin(_ merge: inout Merge) throws {
    merge.folders = try merge.folders.filter {
      try tree.descendant(at: $0.child.path.string)?.isDirectory == true
    }
    if merge.isUnaccounted, case .present(var metadata, let status) = metadataState {
      let rows = try verifyChildren().found
      var summary = ContentSummary()
      for row in rows.values { summary.add(row.child) }
      metadata.summary = summary
      metadataState = .present(metadata, status)
      merge.recounted = rows.values.sorted { $0.child.path < $1.child.path }
    }
    self.merge = merge
  }

  /// (2)
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

  /// Says that a version is not whole, so that nothing can become it.
  package func lacks(_ child: String, _ version: ConflictVersion) -> FilePackageError {
    FilePackageError(
      .noSuchVersion, .read, StoredNode(location: location, path: PackagePath(child)),
      reason: "nobody has what version '\(version.id.uuidString.prefix(8))' has there; "
        + "it can be made a document of its own, without that")
  }
}

extension PackageStore {
  /// What a save that brings versions together has to note of them: what is in its place may be of several, while the digests
  /// are those of one.
  struct Merge {
    /// The states that are brought together, but for the one in its place.
    var parents: [UUID]
    /// The files and links that are not what the save has noted that made the state in its place.
    fileprivate(set) var others: [ManifestRow] = []
    /// The folders that it has not noted.
    fileprivate(set) var folders: [ManifestRow] = []
    /// What it has noted and is not there.
    private(set) var missing: [ManifestRow] = []
    /// Whether nobody knows what it has noted: then the children are counted anew, and versions before that are not known to be
    /// what they were.
    private(set) var isUnaccounted = false
    /// Every child as it is, where they are counted anew.
    fileprivate(set) var recounted: [ManifestRow]?

    fileprivate init(
      _ set: ConflictSet, _ metadata: PackageMetadata?,
      _ manifest: (PackageMetadata) throws(FilePackageError) -> Manifest?
    ) throws(FilePackageError) {
      parents = set.entries.compactMap(\.version.metadata?.revision).filter { $0 != metadata?.revision }
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
}

extension StateMaker {
  /// Accounts for what a program has brought that synchronises folders: the sums and the versions of the history are those of
  /// the state that the metadata names.
  mutating func account(for merge: PackageStore.Merge) {
    for row in merge.missing {
      change.subtract(row.child)
      batch.remove(row.child.path)
      keepAbsence(at: row.child.path)
    }
    for row in merge.folders {
      change.add(row.child)
      batch.add(row)
      keepNewFolder(at: row.child.path)
    }
  }
}
