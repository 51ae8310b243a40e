package import DurableIO
import FileTrees
package import PackageFormat

extension Disk {
  /// Reads a file for its hash, a chunk at a time.
  package func contentHash(of file: borrowing OwnedDescriptor) throws(SystemError) -> ContentHash {
    var hash = SHA256()
    let size = Int(clamping: try status(of: file).size)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, min(size, FileContents.chunkSize)), alignment: 16)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    while true {
      let count = try read(file, at: offset, into: buffer)
      if count == 0 { return hash.finalize() }
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += UInt64(count)
    }
  }

  /// Reads a file or a link for its hash.
  func contentHash(
    of name: FileName, _ kind: FileKind, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> ContentHash {
    if kind == .symbolicLink { return ContentHash(of: try destination(of: name, in: folder)) }
    return try contentHash(of: openFile(name, in: folder))
  }
}
