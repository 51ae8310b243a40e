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
    switch try fileContents {
    case .data(let data):
      return try body(UInt64(data.count)) { offset, count in
        let start = data.startIndex + Int(clamping: min(offset, UInt64(data.count)))
        return Array(data[start...].prefix(count))
      }
    case .stored(let node):
      let file = OpenNode(try node.openFile())
      let size = try node.attempt(.read) { try node.disk.status(of: file.descriptor).size }
      return try body(size) { offset, count in
        try node.attempt(.read) { try node.disk.read(file.descriptor, at: offset, atMost: count) }
      }
    }
  }
}
