import Crypto
import DurableIO
import SystemPackage

/// Tells `body` what each file, link and folder at `node` and beneath it adds to the summary of its package.
/// Reads every byte of them, a chunk at a time.
func summarize(
  _ node: PackageSnapshot.Node, at path: PackagePath, _ body: (ChildSummary) -> Void
) throws(FilePackageError) {
  guard !PackageLayout.isOurs(path) else { return }
  let mode = node.attributes.mode
  switch node.content {
  case .file(let contents):
    var hash = SHA256()
    var size: UInt64 = 0
    do {
      try contents.forEachChunk { bytes in
        hash.update(bufferPointer: bytes)
        size += UInt64(bytes.count)
      }
    } catch {
      throw error as? FilePackageError
        ?? FilePackageError(
          .inputOutput, .read, document: node.stored.map { FileName($0.location.path).string } ?? "",
          child: path.display)
    }
    body(ChildSummary(path: path, kind: .file, mode: mode, size: size, content: hash.finalize()))
  case .link:
    let content = SHA256.hash(data: try node.destination())
    body(ChildSummary(path: path, kind: .symbolicLink, mode: mode, size: 0, content: content))
  case .directory:
    if !path.isRoot {
      body(ChildSummary(path: path, kind: .directory, mode: mode, size: 0, content: SHA256().finalize()))
    }
    for (name, child) in try node.children(at: path, looking: true) {
      try summarize(child, at: path.appending(name), body)
    }
  }
}

extension ContentSummary {
  /// Computes the summary from the files: reads every byte of the tree.
  package init(reading snapshot: PackageSnapshot) throws(FilePackageError) {
    var summary = ContentSummary()
    try summarize(snapshot.root, at: .root) { summary.add($0) }
    self = summary
  }
}
