import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

/// A child on disk.
struct SummarizedChild {
  let path: PackagePath
  let node: PackageSnapshot.Node
  /// The child's term in the sums of its package; nil if the sums do not include it.
  var accounted: ChildSummary?
  /// The summary of the child on disk, if it is known.
  var actual: ChildSummary?
}

extension SummarizedChild {
  /// Reads every byte of a file that the manifest does not know.
  init(_ node: PackageSnapshot.Node, at path: PackagePath, known: Manifest?) throws(FilePackageError) {
    self.init(path: path, node: node)
    if let row = known?.row(at: path) {
      let isSame =
        row.child.kind == node.kind && row.child.kind != .directory && row.child.size == node.known?.size
        && row.modified == node.known?.modified
      (accounted, actual) = (row.child, isSame ? row.child : nil)
    } else if known?.isComplete != true {
      // If the manifest has all children and not this one, another program put it there.
      actual = try ChildSummary(reading: node, at: path)
      accounted = actual
    }
  }
}

/// Calls `body` with each file, link and folder at `node` and beneath it, and with its term in the summary.
///
/// Reads every byte of them, a chunk at a time, except for those that the manifest knows.
///
/// - Parameter uncounted: the children that the sums leave out.
func summarize(
  _ node: PackageSnapshot.Node, at path: PackagePath, known: Manifest? = nil,
  leavingOut uncounted: Set<PackagePath> = [],
  _ body: (SummarizedChild) -> Void
) throws(FilePackageError) {
  guard !PackageLayout.isOurs(path), !uncounted.contains(path) else { return }
  if !path.isRoot { body(try SummarizedChild(node, at: path, known: known)) }
  guard case .directory = node.content else { return }
  for (name, child) in try node.children(at: path, looking: true) {
    try summarize(child, at: path.appending(name), known: known, leavingOut: uncounted, body)
  }
}

extension ChildSummary {
  /// Reads every byte of a file.
  init(reading node: PackageSnapshot.Node, at path: PackagePath) throws(FilePackageError) {
    let mode = node.attributes.mode
    switch node.content {
    case .file(let contents):
      var hash = SHA256()
      var size: UInt64 = 0
      do {
        try contents.forEachChunk { bytes in
          hash.update(bytes)
          size += UInt64(bytes.count)
        }
      } catch {
        throw error as? FilePackageError
          ?? FilePackageError(
            .inputOutput, .read, document: node.stored.map { FileName($0.location.path).string } ?? "",
            child: path.display)
      }
      self.init(path: path, kind: .file, mode: mode, size: size, content: hash.finalize())
    case .link:
      let content = ContentHash(of: try node.destination())
      self.init(path: path, kind: .symbolicLink, mode: mode, size: 0, content: content)
    case .directory:
      self.init(path: path, kind: .directory, mode: mode, size: 0, content: .empty)
    }
  }
}

extension ContentSummary {
  /// Computes the summary from the files: reads every byte of the tree.
  ///
  /// - Parameter uncounted: the children that the sums leave out, as the metadata say.
  package init(
    reading snapshot: PackageSnapshot, leavingOut uncounted: Set<PackagePath> = []
  ) throws(FilePackageError) {
    var summary = ContentSummary()
    try summarize(snapshot.root, at: .root, leavingOut: uncounted) { child in
      if let child = child.actual { summary.add(child) }
    }
    self = summary
  }
}
