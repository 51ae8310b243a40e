import FilePackages

/// A Zstandard frame that holds bytes as they are, in blocks without compression, and their checksum (RFC 8878, 3.1.1).
enum StoredFrame {
  /// The largest block that the format has.
  static let blockSize = 1 << 17
  private static let blocksAtOnce = 4
  private static let blockHeaderSize = 3

  /// The magic number, a descriptor without a size and with a checksum, and a window of 128 KiB.
  private static let header: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x38]

  /// Writes a frame with the bytes that a reader has.
  ///
  /// The blocks of one write stand in one buffer, between their headers.
  static func write(
    _ reader: borrowing ContentsReader, to output: ArchiveOutput, _ progress: (Int) throws -> Void
  ) throws {
    try output.write(header)
    let stride = blockHeaderSize + blockSize
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blocksAtOnce * stride, alignment: 16)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    var hash = XXHash64()
    repeat {
      var end = 0
      let start = offset
      repeat {
        let count = Int(min(UInt64(blockSize), reader.size - offset))
        offset += UInt64(count)
        writeHeader(of: count, isLast: offset == reader.size, to: buffer, at: end)
        end += blockHeaderSize
        let block = UnsafeMutableRawBufferPointer(rebasing: buffer[end..<end + count])
        try reader.read(at: offset - UInt64(count), into: block)
        hash.update(UnsafeRawBufferPointer(block))
        end += count
      } while offset < reader.size && end < buffer.count
      try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<end]))
      try progress(Int(offset - start))
    } while offset < reader.size
    try output.write(hash.frameChecksum)
  }

  /// Returns a frame with `bytes`, which fit into one block.
  static func frame(of bytes: [UInt8]) -> [UInt8] {
    var frame = header + [UInt8](repeating: 0, count: blockHeaderSize)
    frame.withUnsafeMutableBytes { writeHeader(of: bytes.count, isLast: true, to: $0, at: header.count) }
    var hash = XXHash64()
    bytes.withUnsafeBytes { hash.update($0) }
    return frame + bytes + hash.frameChecksum
  }

  /// Writes a block's header: the size above two bits for the kind, which is 0, and one bit for the last block.
  private static func writeHeader(
    of count: Int, isLast: Bool, to buffer: UnsafeMutableRawBufferPointer, at place: Int
  ) {
    let value = UInt32(count) << 3 | (isLast ? 1 : 0)
    for byte in 0..<blockHeaderSize { buffer[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }
}
