import DurableIO
public import FoundationEssentials
import SystemPackage

/// The result of restoring a version.
public struct RestoreReport: Sendable, Hashable, Codable {
  /// The save that restored it.
  public var save: SaveReport
  /// The children whose content in that version is lost, because another program changed them.
  ///
  /// They stay as they were before the call.
  public var lost: [String] = []
}

extension PackageStore {
  // MARK: Looking

  /// Returns the available versions of the document, the newest first, without the current one.
  ///
  /// Empty if there is no history.
  ///
  /// Writes nothing. If a committed save is unpublished, its state is the current one, and the state on disk is a
  /// version.
  ///
  /// Cost: the size of the history, which grows with the children that saves replaced.
  ///
  /// - Throws: `invalidContent` for a history that cannot be read; the system's error.
  public func versions() throws(FilePackageError) -> [FileVersion] {
    guard let history = try history() else { return [] }
    return history.available.reversed().map { FileVersion(history, $0, at: url) }
  }

  /// Returns the document as it was in a version, to read: changes to the tree do not change the version.
  ///
  /// Cost: a status for each place that differs from the current state, for any number of versions in between. It also
  /// checks each child for changes by other programs.
  ///
  /// - Returns: the tree, and the children whose content is lost because another program changed them.
  /// - Throws: `noSuchVersion`; the system's error.
  public func contents(
    of version: UUID
  ) throws(FilePackageError) -> (tree: FileWrapper, lost: [String]) {
    let (history, index) = try find(version)
    let tree = try savedTree()
    let lost = try apply(history, index, to: tree, child: nil)
    do {
      let plist = try history.chain.versions[index].metadata.encoded()
      try tree.setDescendant(FileWrapper(regularFileWithContents: plist), at: PackageLayout.metadata.string)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.invalidContent, .read, node)
    }
    return (tree, lost)
  }

  // MARK: Going back

  /// Brings the document, or one child of it, back to a version, and saves that.
  ///
  /// The replaced state becomes a version, so that a caller can undo the restore. Unchanged children are not written
  /// again. Restoring the current state does nothing.
  ///
  /// - Throws: `unsavedEdits` if the tree has unsaved edits, which stay; `noSuchVersion`; `noSuchFile` if the child is
  ///   neither in the version nor in the document; the errors of `save(_:options:)`.
  public func restore(
    _ version: UUID, child: String? = nil, options: SavingOptions = []
  ) throws(FilePackageError) -> RestoreReport {
    try publish()
    if try metadata()?.revision == version {
      let lost = try changedOutside(of: [], within: child.map { PackagePath($0) } ?? .root)
      return RestoreReport(save: SaveReport(strategy: "none"), lost: lost.map(\.string).sorted())
    }
    let (history, index) = try find(version)
    return try restore(history, index, child: child, options: options, content: nil)
  }

  /// Brings the document back to the state before the last save, as a new save.
  ///
  /// Undoing again goes back to the save before that, and skips a save that is itself undone.
  ///
  /// - Throws: `noSuchVersion` if there is nothing to undo, or if the state is not kept; otherwise as
  ///   `restore(_:child:options:)`.
  public func undoSave(options: SavingOptions = []) throws(FilePackageError) -> RestoreReport {
    try go(to: \.undone, Self.nothingToUndo, options)
  }

  /// Takes back the last `undoSave(options:)`.
  ///
  /// After a save that is neither undo nor redo, there is nothing to redo.
  ///
  /// - Throws: as `undoSave(options:)`.
  public func redoSave(options: SavingOptions = []) throws(FilePackageError) -> RestoreReport {
    try go(to: \.redone, Self.nothingToRedo, options)
  }

  // MARK: Plans

  /// Returns the plan of `restore(_:child:options:)` for the document as it was last saved, without changing the disk.
  ///
  /// The tree with its unsaved edits stays as it is, and the plan ignores them.
  ///
  /// - Throws: as `restore(_:child:options:)`, except `unsavedEdits`.
  public func restorePlan(_ version: UUID, child: String? = nil) throws(FilePackageError) -> SavePlan {
    if committedMetadata?.revision == version {
      var plan = SavePlan()
      plan.base = location
      return plan
    }
    let (history, index) = try find(version)
    return try plan(history, index, child: child)
  }

  /// Returns the plan of `undoSave(options:)`, as `restorePlan(_:child:)` does.
  ///
  /// - Throws: as `undoSave(options:)`, except `unsavedEdits`.
  public func undoPlan() throws(FilePackageError) -> SavePlan {
    let (history, index, _) = try target(\.undone, Self.nothingToUndo)
    return try plan(history, index, child: nil)
  }

  /// Returns the plan of `redoSave(options:)`, as `restorePlan(_:child:)` does.
  ///
  /// - Throws: as `redoSave(options:)`, except `unsavedEdits`.
  public func redoPlan() throws(FilePackageError) -> SavePlan {
    let (history, index, _) = try target(\.redone, Self.nothingToRedo)
    return try plan(history, index, child: nil)
  }

  private func plan(
    _ history: VersionHistory, _ index: Int, child: String?
  ) throws(FilePackageError) -> SavePlan {
    let tree = try savedTree()
    let saved = tree.changesSnapshot()
    _ = try apply(history, index, to: tree, child: child)
    if child == nil { try restoreValues(of: history.chain.versions[index].metadata, in: tree) }
    let made = try makePlan(SaveRequest(tree), known: nil)
    return made.plan.since(saved, made.snapshot)
  }

  private static let nothingToUndo = "there is no save to be undone, or the version before it is not kept"
  private static let nothingToRedo = "there is no save to be redone"

  private func go(
    to content: (EditLine) -> UUID?, _ reason: String, _ options: SavingOptions
  ) throws(FilePackageError) -> RestoreReport {
    try publish()
    let (history, index, content) = try target(content, reason)
    return try restore(history, index, child: nil, options: options, content: content)
  }

  private func target(
    _ content: (EditLine) -> UUID?, _ reason: String
  ) throws(FilePackageError) -> (VersionHistory, Int, UUID) {
    guard let history = try history() else { throw keepsNone }
    let line = EditLine(history)
    guard let content = content(line), let position = line.index(of: content) else {
      throw FilePackageError(.noSuchVersion, .read, node, reason: reason)
    }
    return (history, history.available.lowerBound + position, content)
  }

  private func restore(
    _ history: VersionHistory, _ index: Int, child: String?, options: SavingOptions, content: UUID?
  ) throws(FilePackageError) -> RestoreReport {
    try refuseUnsavedEdits()
    let before = tree
    do throws(FilePackageError) {
      let lost = try apply(history, index, to: tree, child: child)
      if child == nil { try restoreValues(of: history.chain.versions[index].metadata, in: tree) }
      var request = SaveRequest(tree, options.union(.keepsHistory))
      request.contentRevision = content
      let report = try save(request)
      // Another program may have put another package in this place, and the tree may come from that.
      if report.strategy == "none" { try requirePlace() }
      return RestoreReport(save: report, lost: lost)
    } catch {
      // Nothing is on disk; the restored children in the tree would count as edits, which no caller made.
      if tree === before && state.isSettled { tree = newTree() }
      throw error
    }
  }

  private func apply(
    _ history: VersionHistory, _ index: Int, to tree: FileWrapper, child: String?
  ) throws(FilePackageError) -> [String] {
    let path = child.map { PackagePath($0) }
    do {
      if let child, try tree.descendant(at: child) == nil,
        !history.chain.rows(of: index).contains(where: {
          $0.node != nil && $0.path.isWithin(PackagePath(child))
        })
      {
        throw FilePackageError(
          .noSuchFile, .read, document: FileName(location.path).string, child: child,
          reason: "neither the version nor the document has it")
      }
      let shared = try changedOutside(
        of: Set(history.chain.rows(of: index).map(\.path)), within: path ?? .root)
      return (try history.apply(index, to: tree, child: path) + shared).map(\.string).sorted()
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .read, node)
    }
  }

  /// Returns the children that a version shares with the current state and that another program changed after their
  /// save.
  ///
  /// Their content in the version is lost.
  private func changedOutside(
    of rows: Set<PackagePath>, within top: PackagePath
  ) throws(FilePackageError) -> [PackagePath] {
    guard let metadata = try metadata() else { return [] }
    var changed: [PackagePath] = []
    var root = node
    root.status = baseline.status
    guard let manifest = try loadManifest(for: metadata) else {
      // Without the digests of the children, only the sum of all shows a change.
      let now = PackageSnapshot(root: .init(root, kind: .directory))
      return try ContentSummary(reading: now) == metadata.summary ? [] : [top]
    }
    var found: Set<PackagePath> = []
    try compare(PackageSnapshot.Node(root, kind: .directory), at: .root, with: manifest, &found, &changed)
    for row in manifest.rows where !found.contains(row.child.path) { changed.append(row.child.path) }
    return changed.filter { !rows.contains($0) && $0.isWithin(top) }
  }

  private func compare(
    _ node: PackageSnapshot.Node, at path: PackagePath, with manifest: Manifest,
    _ found: inout Set<PackagePath>, _ changed: inout [PackagePath]
  ) throws(FilePackageError) {
    for (name, child) in try node.children(at: path, looking: true) {
      let place = path.appending(name)
      if PackageLayout.isOurs(place) { continue }
      found.insert(place)
      if let row = manifest.row(at: place) {
        let isSame =
          row.child.kind == child.kind
          && (child.kind != .file
            || row.child.size == child.known?.size && row.modified == child.known?.modified)
        if !isSame { changed.append(place) }
      } else if manifest.isComplete {
        changed.append(place)
      }
      if child.kind == .directory { try compare(child, at: place, with: manifest, &found, &changed) }
    }
  }

  /// Gives the metadata the application's values of that version.
  private func restoreValues(
    of version: PackageMetadata, in tree: FileWrapper
  ) throws(FilePackageError) {
    var now = state.waiting?.metadata
    if now == nil { now = try metadata() }
    guard let now, now.applicationValues != version.applicationValues else { return }
    do {
      let plist = FileWrapper(regularFileWithContents: try version.applicationPlist())
      try tree.setDescendant(plist, at: PackageLayout.metadata.string)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.invalidContent, .save, node)
    }
  }
}
