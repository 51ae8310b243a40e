import DurableIO
package import FoundationEssentials
import PackageFormat

/// The bytes of a regular file: in memory, or still in a file on disk.
package enum FileContents: Sendable {
  case data(Data)
  /// The file is read on demand, as a stream or at once.
  case stored(StoredNode)

  /// The number of bytes per read or write, which bounds memory for a file of any size.
  package static let chunkSize = 1 << 20

  /// The number of bytes; nil if the tree never looked at the file.
  package var size: UInt64? {
    switch self {
    case .data(let data): UInt64(data.count)
    case .stored(let node): node.status?.size
    }
  }

  /// Calls `body` with the bytes in order, at most `chunkSize` at a time.
  ///
  /// - Parameter file: the file, if it is open.
  /// - Throws: `changedOnDisk` if another file stands in its place, or if the file shrinks or grows during the read;
  ///   the errors of `body`.
  package func forEachChunk(
    of file: OpenNode? = nil, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    switch self {
    case .data(let data):
      for region in data.regions {
        try region.withUnsafeBytes { bytes in
          for start in stride(from: 0, to: bytes.count, by: Self.chunkSize) {
            let end = min(start + Self.chunkSize, bytes.count)
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
          }
        }
      }
    case .stored(let node):
      try Self.read(file ?? OpenNode(node.openFile()), of: node, body)
    }
  }

  private static func read(
    _ file: OpenNode, of node: StoredNode, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let size = node.status.map { Int(clamping: $0.size) } ?? chunkSize
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, min(size, chunkSize)), alignment: 16)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    while true {
      let count = try node.attempt(.read) {
        try node.disk.read(file.descriptor, at: offset, into: buffer)
      }
      if count == 0 { break }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += UInt64(count)
    }
    if let expected = node.status?.size, expected != offset {
      throw FilePackageError(.changedOnDisk, .read, node)
    }
  }

  /// Returns all bytes in memory.
  package func data() throws -> Data {
    switch self {
    case .data(let data): return data
    case .stored:
      var data = Data()
      data.reserveCapacity(Int(clamping: size ?? 0))
      try forEachChunk { data.append(contentsOf: $0) }
      return data
    }
  }
}
