/// A test with part of a child that tells whether compression is worth its time.
enum CompressionProbe {
  /// The number of bytes that the test compresses.
  static let size = 1 << 15

  /// Returns the offset of the part in a child of that size. The part is in the middle, because headers compress
  /// well even in pictures.
  static func start(in size: UInt64) -> UInt64 {
    size > UInt64(Self.size) ? (size - UInt64(Self.size)) / 2 : 0
  }

  /// Returns whether these bytes become smaller by more than a thirtieth.
  static func isCompressible(
    _ bytes: UnsafeRawBufferPointer, with deflater: borrowing Deflater
  ) throws -> Bool {
    guard !bytes.isEmpty else { return false }
    return try deflater.compress(bytes).count * 30 <= bytes.count * 29
  }
}
