import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

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
    self.init()
    try snapshot.root.forEachChild(leavingOut: uncounted) { path, child throws(FilePackageError) in
      add(try ChildSummary(reading: child, at: path))
    }
  }
}
