import DurableIO
import Glibc

/// A writer that omits the zeros of a file, so that a file with holes gets holes again.
struct SparseWriter {
  /// The size of a piece. The writer omits only whole pieces of zeros.
  private static let pieceSize = 1 << 16
  private static let zeros = [UInt8](repeating: 0, count: pieceSize)
  private let disk: any Disk
  /// The ends of the last written byte and of the last given byte.
  private var written: UInt64 = 0
  private var given: UInt64 = 0

  init(_ disk: any Disk) {
    self.disk = disk
  }

  mutating func write(
    _ bytes: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    given = offset + UInt64(bytes.count)
    var start = 0
    // The range collects bytes up to the next piece of zeros.
    var pending = 0..<0
    while start < bytes.count {
      let piece = start..<min(bytes.count, start + Self.pieceSize)
      if piece.count == Self.pieceSize, Self.isZero(bytes, piece) {
        try flush(bytes, pending, to: file, at: offset)
        pending = piece.upperBound..<piece.upperBound
      } else {
        pending = (pending.isEmpty ? piece.lowerBound : pending.lowerBound)..<piece.upperBound
      }
      start = piece.upperBound
    }
    try flush(bytes, pending, to: file, at: offset)
  }

  private mutating func flush(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, to file: borrowing OwnedDescriptor,
    at offset: UInt64
  ) throws(SystemError) {
    guard !range.isEmpty else { return }
    try disk.write(
      UnsafeRawBufferPointer(rebasing: bytes[range]), to: file, at: offset + UInt64(range.lowerBound))
    written = offset + UInt64(range.upperBound)
  }

  private static func isZero(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    guard let start = bytes.baseAddress, bytes[range.lowerBound] == 0 else { return false }
    return memcmp(start + range.lowerBound, zeros, range.count) == 0
  }

  /// Gives the file its size if it ends in zeros.
  func finish(_ file: borrowing OwnedDescriptor, size: UInt64) throws(SystemError) {
    let end = max(size, given)
    if written < end { try disk.resize(file, to: end) }
  }
}
