import DurableIO
import FoundationEssentials
import PackageFormat

extension FileWrapper {
  /// Calls `body` with the size of a regular file and a function that reads any part of it.
  ///
  /// A caller can read the header of a large file without the rest. The file is opened once.
  ///
  /// - Throws: as `contents()`; the errors of `body`.
  public func withRandomAccess<Result>(
    _ body: (_ size: UInt64, _ read: (_ offset: UInt64, _ count: Int) throws -> [UInt8]) throws -> Result
  ) throws -> Result {
    try fileContents.withRandomAccess(body)
  }
}

extension FileContents {
  fileprivate func withRandomAccess<Result>(
    _ body: (_ size: UInt64, _ read: (_ offset: UInt64, _ count: Int) throws -> [UInt8]) throws -> Result
  ) throws -> Result {
    switch self {
    case .data(let data):
      return try body(UInt64(data.count)) { offset, count in
        let start = data.startIndex + Int(clamping: min(offset, UInt64(data.count)))
        return Array(data[start...].prefix(count))
      }
    case .stored(let node):
      let file = OpenFile(node, try node.openFile())
      return try body(try file.size(), file.bytes)
    }
  }
}

/// A regular file that is open for reads at any offset.
private final class OpenFile {
  private let node: StoredNode
  private let file: OwnedDescriptor

  init(_ node: StoredNode, _ file: consuming OwnedDescriptor) {
    self.node = node
    self.file = file
  }

  func size() throws(FilePackageError) -> UInt64 {
    do {
      return try node.disk.status(of: file).size
    } catch {
      throw FilePackageError(error, .read, node)
    }
  }

  package func bytes(at offset: UInt64, count: Int) throws(FilePackageError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    do {
      let got = try node.disk.read(file, at: offset, into: buffer)
      return Array(buffer[..<got])
    } catch {
      throw FilePackageError(error, .read, node)
    }
  }
}
