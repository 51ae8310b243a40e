import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat

extension OpenPackage {
  /// Returns the document as it was in a version, and the children whose content is lost.
  package func contents(of version: UUID) throws(FilePackageError) -> (tree: FileWrapper, lost: [String]) {
    let (history, index) = try find(version)
    let tree = try savedTree()
    let applied = try apply(history, index, to: tree, child: nil)
    do {
      // The version has no child that another program added later.
      let rows = Set(history.chain.rows(of: index).map(\.path))
      for path in applied.outside.added
      where try !rows.contains(path) && VersionHistory.node(at: path, in: tree) != nil {
        try tree.removeDescendant(at: path.string)
      }
      let plist = try history.chain.versions[index].metadata.encoded()
      try tree.setDescendant(FileWrapper(regularFileWithContents: plist), at: PackageLayout.metadata.string)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.invalidContent, .read, node)
    }
    return (tree, applied.lost)
  }

  /// Brings a tree, or one child of it, to a version.
  ///
  /// A child that another program changed comes from any file that has its bytes.
  ///
  /// - Parameter index: the version in the history; nil for the current state.
  func apply(
    _ history: VersionHistory?, _ index: Int?, to tree: FileWrapper, child: String?
  ) throws(FilePackageError) -> AppliedVersion {
    let top = child.map { PackagePath($0) } ?? .root
    return try node.attempt(.read) {
      var rows = index.flatMap { history?.chain.rows(of: $0) } ?? []
      if let child, try tree.descendant(at: child) == nil,
        !rows.contains(where: { $0.node != nil && $0.path.isWithin(top) })
      {
        throw FilePackageError(
          .noSuchFile, .restore, document: FileName(location.path).string, child: child,
          reason: "neither the version nor the document has it")
      }
      let outside = try changesOutside(within: top)
      let own = Set(rows.map(\.path))
      rows += outside.changed.filter { !own.contains($0.key) }.map { path, row in
        VersionRecord.Row(path, Entry(unkept: row))
      }
      rows = rows.filter { $0.path.isWithin(top) }.sorted { $0.path < $1.path }
      var sources: ContentSources?
      let lost = try VersionHistory.apply(rows, to: tree) { node in
        if let kept = try history?.find(node) { return kept }
        if sources == nil {
          // A child of another folder may have the bytes.
          sources = (top.isRoot ? outside : try changesOutside(within: .root)).sources(at: location)
        }
        return try sources?.find(node)
      }
      return AppliedVersion(lost: lost.map(\.string).sorted(), outside: outside)
    }
  }

  private func changesOutside(within top: PackagePath) throws(FilePackageError) -> ChangesOutside {
    var changes = ChangesOutside()
    guard let metadata = try baseline.metadata.get() else { return changes }
    guard let table = try table(of: metadata) else {
      // Without the digests of the children, only the sum of all shows a change.
      let now = PackageSnapshot(root: present)
      let summary = try ContentSummary(reading: now, leavingOut: metadata.uncounted)
      if summary != metadata.summary { changes.changed[top] = .some(nil) }
      return changes
    }
    changes.table = table
    var found: Set<PackagePath> = []
    func compare(_ path: PackagePath, _ child: PackageSnapshot.Node) throws(FilePackageError) {
      found.insert(path)
      if let row = table.row(at: path) {
        if let stored = child.stored, try stored.has(Entry(row)) { return }
        changes.changed[path] = row
      } else if table.isComplete {
        changes.added.insert(path)
      } else {
        return
      }
      changes.nodes.append(child)
    }
    var folder = top.isRoot ? present : nil
    if !top.isRoot, let node = try location.node(at: top), let kind = node.status?.kind,
      kind.isSupported
    {
      let child = PackageSnapshot.Node(node, kind: kind)
      try compare(top, child)
      folder = child
    }
    // If nothing is there, every noted child is missing.
    try folder?.forEachChild(at: top, leavingOut: metadata.uncounted, compare)
    for row in table.rows where row.child.path.isWithin(top) && !found.contains(row.child.path) {
      changes.changed[row.child.path] = row
    }
    return changes
  }

  /// Gives the metadata the application's values of that version.
  func restoreValues(
    of version: PackageMetadata, in tree: FileWrapper
  ) throws(FilePackageError) {
    var now = state.waiting?.metadata
    if now == nil { now = try baseline.metadata.get() }
    guard let now, now.applicationValues != version.applicationValues else { return }
    do {
      let plist = FileWrapper(regularFileWithContents: try version.encodedApplicationValues())
      try tree.setDescendant(plist, at: PackageLayout.metadata.string)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.invalidContent, .save, node)
    }
  }
}

/// The result of bringing a tree to a version.
struct AppliedVersion {
  /// The children whose content is lost.
  var lost: [String]
  var outside: ChangesOutside
}

/// The changes of other programs to the saved state.
struct ChangesOutside {
  /// The children that another program changed or removed, with their noted rows.
  ///
  /// Without notes, the root stands for all of them, and there is no row.
  var changed: [PackagePath: NotedChild?] = [:]
  /// The children that another program added.
  var added: Set<PackagePath> = []
  /// The changed and added nodes on disk.
  var nodes: [PackageSnapshot.Node] = []
  /// The rows of the saved state; nil if they are unknown.
  var table: StateTable?

  /// Returns the files and links that may have the content of a child that another program changed.
  func sources(at location: Location) -> ContentSources {
    let sources = ContentSources(at: location)
    for row in table?.rows ?? [] where changed[row.child.path] == nil { sources.add(row) }
    for node in nodes { sources.add(unread: node) }
    return sources
  }
}
