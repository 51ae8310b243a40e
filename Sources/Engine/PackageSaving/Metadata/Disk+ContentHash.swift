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

  /// Hashes the names, kinds, numbers, sizes and dates in a folder, so that a caller can find a change in it.
  ///
  /// Reads no file, and looks at nothing beyond the maximum depth of a package.
  func folderHash(
    of name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> ContentHash {
    var hash = SHA256()
    try addEntries(of: openDirectory(name, in: folder), to: &hash, depth: 0)
    return hash.finalize()
  }

  private func addEntries(
    of folder: borrowing OwnedDescriptor, to hash: inout SHA256, depth: Int
  ) throws(SystemError) {
    if depth > PackagePath.maximumDepth { return }
    let listing = try list(folder)
    var writer = ByteWriter()
    for position in listing.sortedPositions() {
      let name = listing.name(at: position)
      let status = try status(of: name, in: folder)
      writer.writeShort(name.bytes)
      writer.write(status.kind.rawValue)
      writer.write(status.identity.inode)
      if status.kind != .directory {
        writer.write(status.size)
        writer.write(status.modified)
      }
    }
    writer.write(UInt16.max)
    hash.update(writer.bytes)
    for position in listing.sortedPositions() where listing.kind(at: position) == .directory {
      try addEntries(of: openDirectory(listing.name(at: position), in: folder), to: &hash, depth: depth + 1)
    }
  }
}
