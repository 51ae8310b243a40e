package import DurableIO
import FileTrees
package import PackageFormat

// The version that a save replaces: collected while the plan's steps are checked and carried out.
extension NewChildren {
  /// The parts of the version that a save replaces.
  package struct VersionNotes {
    /// The nodes that are replaced or removed.
    fileprivate(set) var went: [PackagePath: VersionRecord.Row] = [:]
    /// The places at which the save makes something.
    fileprivate(set) var came: Set<PackagePath> = []
  }

  /// Notes a folder that stays and gets other attributes.
  mutating func keepAttributes(of now: FileStatus, at path: PackagePath) {
    keeping?.went[path] = VersionRecord.Row(path, VersionRecord.Node(now.kind, NodeAttributes(now)))
  }

  /// Notes a node that is replaced or removed; reads a file that another program changed, for its hash.
  mutating func keep(_ child: SummarizedChild) throws(FilePackageError) {
    if keeping == nil { return }
    var node = VersionRecord.Node(child.node.kind, child.node.attributes, size: child.node.known?.size ?? 0)
    var earlier = VersionRecord.Earlier.same
    if child.node.kind != .directory {
      node.content = child.actual?.content
      if node.content == nil {
        node.content = try ChildSummary(reading: child.node, at: child.path).content
      }
      if let accounted = child.accounted, accounted.content != node.content {
        earlier = .other(VersionRecord.Node(unkept: known?.row(at: child.path)))
      }
    }
    if child.accounted == nil { earlier = .nothing }
    keeping?.went[child.path] = VersionRecord.Row(child.path, node, earlier: earlier)
  }

  /// Notes a folder that is there and that earlier versions do not have.
  mutating func keepNewFolder(at path: PackagePath) {
    let node = VersionRecord.Node(.directory, .newDirectory())
    keeping?.went[path] = VersionRecord.Row(path, node, earlier: .nothing)
  }

  /// Notes the version before at the places of other programs' changes that count as right.
  mutating func keepAccepted(_ rows: [VersionRecord.Row]) {
    for row in rows { keeping?.went[row.path] = row }
  }

  /// Notes that the save makes something at a place.
  mutating func keepAbsence(at path: PackagePath) { keeping?.came.insert(path) }

  /// Returns the version that the save replaces; nil if it is not kept.
  ///
  /// - Parameters:
  ///   - root: the old status of the package's own directory.
  ///   - kept: the names, in the folder for versions, of the files and links that are replaced or removed.
  package func version(over root: FileStatus, _ kept: [PackagePath: FileName]) -> VersionRecord? {
    guard let keeping, let before = metadata?.before, let made = madeMetadata?.metadata else { return nil }
    var version = VersionRecord(before, next: made.revision)
    var rows = keeping.went
    for path in keeping.came where rows[path] == nil {
      // If the manifest has a row for it, another program removed that child.
      let removed = known?.row(at: path).map { VersionRecord.Node(unkept: $0) }
      rows[path] = VersionRecord.Row(path, nil, earlier: removed.map { .other($0) } ?? .same)
    }
    for path in missing.sorted() where rows[path] == nil {
      let lost = VersionRecord.Node(unkept: known?.row(at: path))
      // Another program may have put a file in the place of the folder.
      let isInFolder = !path.prefixes.dropLast().contains { place in
        rows[place].map { $0.node?.kind != .directory } ?? false
      }
      rows[path] = VersionRecord.Row(
        path, isInFolder ? lost : nil, earlier: isInFolder ? .same : .other(lost))
    }
    if plan.rootAttributes != nil {
      rows[.root] = VersionRecord.Row(.root, VersionRecord.Node(.directory, NodeAttributes(root)))
    }
    for (path, name) in kept { rows[path]?.node?.place = PackagePath([name]) }
    version.rows = rows.values.sorted { $0.path < $1.path }
    return version
  }
}
