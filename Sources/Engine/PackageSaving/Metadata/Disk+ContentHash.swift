package import DurableIO
import FileTrees
package import PackageFormat

extension Disk {
  /// Reads a file for its hash, a chunk at a time.
  package func contentHash(of file: borrowing OwnedDescriptor) throws(SystemError) -> ContentHash {
    var hash = SHA256()
    try forEachChunk(of: file, size: status(of: file).size) { bytes, _ throws(SystemError) in
      hash.update(bytes)
    }
    return hash.finalize()
  }

  /// Reads a file or a link for its hash.
  func contentHash(
    of name: FileName, _ kind: FileKind, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> ContentHash {
    if kind == .symbolicLink { return ContentHash(of: try destination(of: name, in: folder)) }
    return try contentHash(of: openFile(name, in: folder))
  }
}
