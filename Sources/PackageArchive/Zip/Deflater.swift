import CZlib

/// One zlib stream that makes raw deflate, used for one piece after the other.
// @unchecked: the stream is this value's alone, which cannot be copied; whoever hands it to another thread no longer
// uses it.
struct Deflater: ~Copyable, @unchecked Sendable {
  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameter level: 0 to 9.
  init(level: Int) throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = deflateInit2_(
      stream, Int32(level), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    // The deinitialiser releases what there is; zlib refuses to end what never began.
    guard result == Z_OK else { throw ArchiveError.Finding(.inputOutput, "there is no memory left") }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Bytes of what was before a piece that the piece may refer to.
  static let windowSize = 1 << 15

  /// Compresses one piece of a file. The pieces' results, one after the other, are one deflate stream.
  ///
  /// - Parameters:
  ///   - window: the last bytes before the piece, up to `windowSize`.
  ///   - isLast: whether the stream ends here.
  func compress(
    _ bytes: UnsafeRawBufferPointer, after window: ArraySlice<UInt8> = [], isLast: Bool = true
  ) throws -> [UInt8] {
    deflateReset(stream)
    window.withUnsafeBufferPointer { window in
      if !window.isEmpty { _ = deflateSetDictionary(stream, window.baseAddress, uInt(window.count)) }
    }
    let capacity = Int(deflateBound(stream, uLong(bytes.count))) + 64
    return try Array(unsafeUninitializedCapacity: capacity) { output, count in
      // zlib does not change its input, but its type does not say so.
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = uInt(bytes.count)
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = uInt(capacity)
      let result = deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
      guard result == (isLast ? Z_STREAM_END : Z_OK), stream.pointee.avail_in == 0 else {
        throw ArchiveError.Finding(.inputOutput, "zlib failed with \(result)")
      }
      count = capacity - Int(stream.pointee.avail_out)
    }
  }
}

/// The checksum of zip and gzip.
struct CRC32: Hashable {
  private(set) var value: UInt32 = 0

  init() {}

  init(of bytes: UnsafeRawBufferPointer) {
    update(bytes)
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    value = UInt32(
      truncatingIfNeeded: crc32_z(
        uLong(value), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
  }

  /// Adds what was summed up apart, of the bytes that follow.
  mutating func append(_ next: CRC32, count: Int) {
    value = UInt32(truncatingIfNeeded: crc32_combine(uLong(value), uLong(next.value), count))
  }
}
