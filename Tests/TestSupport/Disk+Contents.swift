package import DurableIO
package import SystemPackage

extension Disk {
  /// Writes all bytes at one place.
  package func writeAll(_ bytes: [UInt8], to file: borrowing OwnedDescriptor, at offset: UInt64 = 0)
    throws(SystemError)
  {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    try write(UnsafeRawBufferPointer(buffer), to: file, at: offset)
  }

  /// Reads a whole file.
  package func readAll(_ file: borrowing OwnedDescriptor) throws(SystemError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(try status(of: file).size), alignment: 1)
    defer { buffer.deallocate() }
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try read(file, at: UInt64(done), into: rest)
      if count == 0 { break }
      done += count
    }
    return Array(buffer.prefix(done))
  }

  /// Changes a byte of a file as a failing disk does: the file keeps its size and its date.
  package func rot(_ name: FileName, in folder: FilePath) throws(SystemError) {
    let file = try openFileForWriting(name, in: openDirectory(at: folder))
    let (modified, byte) = (try status(of: file).modified, try readAll(file).first ?? 0)
    try writeAll([byte ^ 1], to: file)
    try setModified(modified, of: file)
  }

  /// Makes a file with these bytes.
  package func makeFile(
    _ name: FileName, _ bytes: [UInt8], in directory: borrowing OwnedDescriptor, mode: UInt16 = 0o600
  ) throws(SystemError) {
    try writeAll(bytes, to: createFile(name, in: directory, mode: mode))
  }

  /// Reads the whole file of that name.
  package func contents(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> [UInt8]
  {
    try readAll(openFile(name, in: directory))
  }
}
