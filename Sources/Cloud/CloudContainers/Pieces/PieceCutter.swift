// PI1 The bytes of a piece and the bytes directly before it decide alone on its end, so an insertion moves few cuts.
// PI2 Each piece except the last one has from `minimumSize` to `maximumSize` bytes.

/// Decides where the bytes of a large file are cut into pieces.
struct PieceCutter {
  /// The size of the smallest piece but the last one, in bytes.
  static let minimumSize = 256 << 10
  /// The size of the largest piece.
  static let maximumSize = 4 << 20

  /// The size of all pieces but the last one; nil if the content decides.
  private let fixedSize: Int?

  /// - Parameter start: the first 16 bytes of the file or more.
  init(start: some Collection<UInt8>) {
    // SQLite writes whole pages in their places, so nothing moves. Each size of a page divides this one.
    let isDatabase = start.prefix(16).elementsEqual(Array("SQLite format 3\0".utf8))
    fixedSize = isDatabase ? Self.minimumSize : nil
  }

  /// Returns the size of the first piece of these bytes (PI2).
  ///
  /// - Parameter bytes: `maximumSize` bytes, or all bytes up to the end of the file.
  func cut(_ bytes: UnsafeRawBufferPointer) -> Int {
    if let fixedSize { return min(fixedSize, bytes.count) }
    guard bytes.count > Self.minimumSize else { return bytes.count }
    // Each step shifts the sum, so the last 64 bytes alone decide (PI1).
    var sum: UInt64 = 0
    return Self.gears.withUnsafeBufferPointer { gears in
      var position = Self.minimumSize - 64
      while position < bytes.count {
        sum = sum &<< 1 &+ gears[Int(bytes[position])]
        position += 1
        // One place in 2^20.
        if sum >> 44 == 0, position >= Self.minimumSize { return position }
        if position == Self.maximumSize { return position }
      }
      return bytes.count
    }
  }

  /// A number for each byte: the hashes of a counter by SplitMix64. Other numbers would make other pieces.
  private static let gears: [UInt64] = {
    var state: UInt64 = 0
    return (0..<256).map { _ in
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }()
}
