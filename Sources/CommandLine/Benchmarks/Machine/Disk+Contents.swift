import DurableIO
import FilePackages
import FoundationEssentials

extension Disk {
  /// Makes a file of these bytes, without a sync.
  func makeFile(
    _ name: FileName, _ contents: Data, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) -> OwnedDescriptor {
    let file = try createFile(name, in: directory, mode: 0o666)
    try write(contents, to: file, at: 0)
    return file
  }

  /// Writes all of `contents`.
  func write(_ contents: Data, to file: borrowing OwnedDescriptor, at offset: UInt64) throws(SystemError) {
    let span = contents.span.bytes
    try span.withUnsafeBytes { (buffer) throws(SystemError) in try write(buffer, to: file, at: offset) }
  }

  /// Reads all of a regular file.
  func contents(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) -> Data {
    var contents = Data()
    try forEachChunk(of: openFile(name, in: directory), size: 1 << 16) { bytes, _ in
      contents.append(contentsOf: bytes)
    }
    return contents
  }
}
