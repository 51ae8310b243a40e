import DurableIO
import Glibc
import SystemPackage

/// The output of an archive: collects bytes, counts them, and passes them on in large pieces.
final class ArchiveOutput {
  private static let capacity = 1 << 18
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private var buffer: [UInt8] = []
  /// The number of bytes that callers have written.
  private(set) var count: UInt64 = 0

  init(_ sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.sink = sink
    buffer.reserveCapacity(Self.capacity)
  }

  /// Makes an output to a pipe, a terminal or any other descriptor.
  convenience init(_ descriptor: FileDescriptor) {
    self.init { bytes in
      do {
        try descriptor.writeAll(bytes)
      } catch let error as Errno {
        throw ArchiveError.Finding(SystemError("write", code: error), "writing")
      }
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    count += UInt64(bytes.count)
    if buffer.count + bytes.count > Self.capacity { try flush() }
    if bytes.count >= Self.capacity {
      try sink(bytes)
    } else {
      buffer.append(contentsOf: bytes)
    }
  }

  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes(write)
  }

  /// Passes on the collected bytes.
  func flush() throws {
    guard !buffer.isEmpty else { return }
    try buffer.withUnsafeBytes(sink)
    buffer.removeAll(keepingCapacity: true)
  }
}
