internal import CLinux
internal import Glibc

extension PosixDisk {
  // One linux_dirent64: inode 8, offset 8, record length 2, type 1, then the name and its NUL.
  private static let lengthOffset = 16
  private static let typeOffset = 18
  private static let nameOffset = 19
  private static let bufferSize = 256 << 10

  package func list(_ directory: borrowing OwnedDescriptor) throws(SystemError) -> DirectoryListing {
    // After an earlier list, the position is at the end.
    try repeated("lseek") { lseek(directory.number, 0, SEEK_SET) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 8)
    defer { buffer.deallocate() }
    var entries = DirectoryListing.Builder()
    while true {
      let filled = try repeated("getdents64") {
        clinux_getdents(directory.number, buffer.baseAddress, buffer.count)
      }
      if filled == 0 { return DirectoryListing(entries) }
      var start = 0
      while start < filled {
        let length = Int(buffer.loadUnaligned(fromByteOffset: start + Self.lengthOffset, as: UInt16.self))
        let type = buffer[start + Self.typeOffset]
        let field = UnsafeRawBufferPointer(rebasing: buffer[(start + Self.nameOffset)..<(start + length)])
        let name = UnsafeRawBufferPointer(rebasing: field.prefix { $0 != 0 })
        start += length
        if name.elementsEqual([0x2E]) || name.elementsEqual([0x2E, 0x2E]) { continue }
        if let kind = try kind(type, of: name, in: directory) { entries.append(name, kind) }
      }
    }
  }

  /// Returns the kind from getdents64; asks for the status if the file system gave no kind. Nil if the entry is gone.
  private func kind(
    _ type: UInt8, of name: UnsafeRawBufferPointer, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) -> FileKind? {
    switch Int(type) {
    case Int(DT_REG): return .file
    case Int(DT_DIR): return .directory
    case Int(DT_LNK): return .symbolicLink
    case Int(DT_FIFO): return .fifo
    case Int(DT_SOCK): return .socket
    case Int(DT_CHR), Int(DT_BLK): return .device
    default:
      do {
        return try status(of: FileName(bytes: Array(name)), in: directory).kind
      } catch  where error.isAbsence {
        return nil
      }
    }
  }
}
