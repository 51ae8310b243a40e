/// Tells from a part of a child whether compressing it is worth while.
enum CompressionProbe {
  /// Bytes that are tried.
  static let size = 1 << 15

  /// Where in a child of that size the part begins: its middle, since headers compress even where pictures do not.
  static func start(in size: UInt64) -> UInt64 {
    size > UInt64(Self.size) ? (size - UInt64(Self.size)) / 2 : 0
  }

  /// Whether these bytes become smaller by more than a thirtieth.
  static func isCompressible(
    _ bytes: UnsafeRawBufferPointer, with deflater: borrowing Deflater
  ) throws -> Bool {
    guard !bytes.isEmpty else { return false }
    return try deflater.compress(bytes).count * 30 <= bytes.count * 29
  }
}
