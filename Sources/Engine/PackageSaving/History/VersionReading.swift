import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat

/// The contents of the versions of a document's history.
package struct VersionReading {
  private let package: OpenPackage

  package init(_ package: OpenPackage) { self.package = package }

  /// Returns the document as it was in a version, and the children whose content is lost.
  package func contents(of version: UUID) throws(FilePackageError) -> (tree: FileWrapper, lost: [String]) {
    let (history, index) = try package.find(version)
    let tree = try package.savedTree()
    let lost = try apply(history, index, to: tree, child: nil)
    do {
      // The version has no child that another program added later.
      let rows = Set(history.chain.rows(of: index).map(\.path))
      for path in try changesOutside(within: .root).added.keys
      where try !rows.contains(path) && VersionHistory.node(at: path, in: tree) != nil {
        try tree.removeDescendant(at: path.string)
      }
      let plist = try history.chain.versions[index].metadata.encoded()
      try tree.setDescendant(FileWrapper(regularFileWithContents: plist), at: PackageLayout.metadata.string)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.invalidContent, .read, package.node)
    }
    return (tree, lost)
  }

  /// Returns the version that a step of undo or redo leads to.
  ///
  /// - Throws: `noSuchVersion` with this reason if there is none.
  func target(
    _ content: (UndoChain) -> UUID?, _ reason: String
  ) throws(FilePackageError) -> (history: VersionHistory, index: Int, content: UUID) {
    guard let history = try package.history() else { throw package.keepsNone }
    let line = UndoChain(history)
    guard let content = content(line), let position = line.index(of: content) else {
      throw FilePackageError(.noSuchVersion, .restore, package.node, reason: reason)
    }
    return (history, history.available.lowerBound + position, content)
  }

  /// Brings a tree, or one child of it, to a version.
  ///
  /// - Returns: the children whose content is lost.
  func apply(
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
          .noSuchFile, .restore, document: FileName(package.location.path).string, child: child,
          reason: "neither the version nor the document has it")
      }
      let top = path ?? .root
      let rows = Set(history.chain.rows(of: index).map(\.path))
      let outside = try changesOutside(within: top)
      var lost = try history.apply(index, to: tree, child: path)
      for place in outside.changed where !rows.contains(place) && place.isWithin(top) {
        if let renamed = try outside.renamed(place) {
          try tree.setDescendant(renamed, at: place.string)
        } else {
          lost.append(place)
        }
      }
      return lost.map(\.string).sorted()
    } catch {
      throw FilePackageError(any: error, .read, package.node)
    }
  }

  /// Returns the children that a version shares with the current state and that another program changed after their
  /// save.
  ///
  /// Their content in the version is lost. A child that another program added has lost nothing: it stays.
  func changedOutside(
    of rows: Set<PackagePath>, within top: PackagePath
  ) throws(FilePackageError) -> [PackagePath] {
    try changesOutside(within: top).changed.filter { !rows.contains($0) && $0.isWithin(top) }
  }

  /// The children that another program changed or removed, and those that it added.
  private struct ChangesOutside {
    var changed: [PackagePath] = []
    /// The rows of the removed ones.
    var removed: [PackagePath: ManifestRow] = [:]
    /// The added ones, with their files on disk.
    var added: [PackagePath: StoredNode?] = [:]
    var found: Set<PackagePath> = []

    /// Returns the removed file at a place from an added one with its bytes; nil if there is none.
    func renamed(_ place: PackagePath) throws(FilePackageError) -> FileWrapper? {
      guard let row = removed[place], row.child.kind == .file else { return nil }
      for (_, file) in added.sorted(by: { $0.key < $1.key }) {
        guard let file, file.status?.kind == .file, file.status?.size == row.child.size,
          try file.hasContent(row.child.content)
        else { continue }
        let mode: UInt16 = row.child.isExecutable ? 0o755 : 0o644
        let attributes = NodeAttributes(mode: mode, modeIsExact: true, modified: row.modified)
        return FileWrapper(state: FileWrapper.State(node: .file(.stored(file)), attributes: attributes))
      }
      return nil
    }
  }

  private func changesOutside(within top: PackagePath) throws(FilePackageError) -> ChangesOutside {
    var changes = ChangesOutside()
    guard let metadata = try package.baseline.metadata.get() else { return changes }
    var root = package.node
    root.status = package.baseline.status
    guard let manifest = try package.manifest(for: metadata) else {
      // Without the digests of the children, only the sum of all shows a change.
      let now = PackageSnapshot(root: .init(root, kind: .directory))
      let summary = try ContentSummary(reading: now, leavingOut: metadata.uncounted)
      if summary != metadata.summary { changes.changed = [top] }
      return changes
    }
    try compare(
      PackageSnapshot.Node(root, kind: .directory), at: .root, with: manifest, within: top, &changes)
    for row in manifest.rows where !changes.found.contains(row.child.path) {
      changes.changed.append(row.child.path)
      changes.removed[row.child.path] = row
    }
    return changes
  }

  private func compare(
    _ node: PackageSnapshot.Node, at path: PackagePath, with manifest: Manifest, within top: PackagePath,
    _ changes: inout ChangesOutside
  ) throws(FilePackageError) {
    for (name, child) in try node.children(at: path, looking: true) {
      let place = path.appending(name)
      if PackageLayout.isOurs(place) { continue }
      changes.found.insert(place)
      guard place.isWithin(top) || top.isWithin(place) else { continue }
      if let row = manifest.row(at: place) {
        if try !Self.has(child, row) { changes.changed.append(place) }
      } else if manifest.isComplete {
        changes.added[place] = child.stored
      }
      if child.kind == .directory {
        try compare(child, at: place, with: manifest, within: top, &changes)
      }
    }
  }

  /// Returns whether a node has the content of that row.
  private static func has(_ node: PackageSnapshot.Node, _ row: ManifestRow) throws(FilePackageError) -> Bool {
    guard row.child.kind == node.kind else { return false }
    guard node.kind == .file else { return true }
    guard let known = node.known, known.size == row.child.size else { return false }
    if known.modified == row.modified { return true }
    // A copy of the package may have other dates: then the digest decides.
    return try node.stored?.hasContent(row.child.content) == true
  }

  /// Gives the metadata the application's values of that version.
  func restoreValues(
    of version: PackageMetadata, in tree: FileWrapper
  ) throws(FilePackageError) {
    var now = package.state.waiting?.metadata
    if now == nil { now = try package.baseline.metadata.get() }
    guard let now, now.applicationValues != version.applicationValues else { return }
    do {
      let plist = FileWrapper(regularFileWithContents: try version.applicationPlist())
      try tree.setDescendant(plist, at: PackageLayout.metadata.string)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.invalidContent, .save, package.node)
    }
  }
}
