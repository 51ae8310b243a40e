import DurableIO
import FileTrees
import PackageFormat

/// The files and links of a package that may have the content of a lost child, whatever their names: the kept files, and
/// those that are added.
final class ContentSources {
  private let location: Location
  /// Whether a file that cannot be read has no usable content; otherwise it ends the search.
  private let skipsUnreadable: Bool
  private var known: [Content: PackagePath] = [:]
  /// The nodes with an unknown content.
  private var unread: [StoredNode] = []
  private var contents: [PackagePath: ContentHash] = [:]

  private struct Content: Hashable {
    let hash: ContentHash
    let kind: FileKind
  }

  init(at location: Location, skipsUnreadable: Bool = false) {
    (self.location, self.skipsUnreadable) = (location, skipsUnreadable)
  }

  /// Adds a child that has that content.
  func add(_ child: NotedChild) {
    known[Content(hash: child.child.content, kind: child.child.kind)] = child.child.path
  }

  /// Adds a node with a content that nothing tells yet.
  func add(unread node: PackageSnapshot.Node) {
    if node.kind != .directory, let stored = node.stored { unread.append(stored) }
  }

  /// Returns a file or link with the content of an entry; nil if there is none.
  ///
  /// Cost: a read of each node of that size whose content is unknown, once.
  func find(_ wanted: Entry) throws(FilePackageError) -> StoredNode? {
    guard let content = wanted.content else { return nil }
    let path = known[Content(hash: content, kind: wanted.kind)]
    if let path, let node = try location.node(at: path) { return node }
    // A repair reads the kept files: they are among the unread nodes.
    if !skipsUnreadable, let kept = try location.keptNode(of: wanted) { return kept }
    for node in unread where node.status?.kind == wanted.kind {
      // The destination of a link is no file of that size.
      if wanted.kind == .file, node.status?.size != wanted.size { continue }
      do throws(FilePackageError) {
        let found = if let known = contents[node.path] { known } else { try node.content(as: wanted.kind) }
        contents[node.path] = found
        if found == content { return node }
      } catch {
        if !skipsUnreadable { throw error }
      }
    }
    return nil
  }
}
