import DurableIO
import FileTrees
import PackageFormat

/// The files and links of a package that may have the content of a lost child, whatever their names.
struct ContentSources {
  private let location: Location
  private let history: VersionHistory?
  /// The kept nodes of the versions.
  private var kept: [ContentHash: Entry] = [:]
  /// The children that are as they were saved.
  private var saved: [ContentHash: NotedChild] = [:]
  /// The other nodes on disk, with their content once it was read.
  private var others: [(node: StoredNode, content: ContentHash?)]

  init(_ outside: VersionReading.ChangesOutside, _ history: VersionHistory?, at location: Location) {
    (self.location, self.history) = (location, history)
    for row in history?.chain.versions.flatMap(\.rows) ?? [] {
      if let node = row.node, node.isKept, let content = node.content { kept[content] = node }
    }
    for row in outside.table?.rows ?? [] where outside.changed[row.child.path] == nil {
      if row.child.kind != .directory { saved[row.child.content] = row }
    }
    others = outside.nodes.sorted { $0.path < $1.path }.map { ($0, nil) }
  }

  /// Returns a file or link with the content of a node; nil if there is none.
  ///
  /// Cost: a read of each changed or added file of the node's size, once.
  mutating func find(_ node: Entry) throws(FilePackageError) -> StoredNode? {
    guard let content = node.content else { return nil }
    if let kept = kept[content], kept.kind == node.kind, let found = try history?.find(kept) { return found }
    if let row = saved[content], row.child.kind == node.kind, let name = row.child.path.name {
      return try StoredNode(location: location, path: row.child.path.parent).children([name]).first
    }
    for (index, other) in others.enumerated() {
      guard other.node.status?.kind == node.kind else { continue }
      // The destination of a link is no file of that size.
      if node.kind == .file, other.node.status?.size != node.size { continue }
      if others[index].content == nil { others[index].content = try other.node.content(as: node.kind) }
      if others[index].content == content { return other.node }
    }
    return nil
  }
}
