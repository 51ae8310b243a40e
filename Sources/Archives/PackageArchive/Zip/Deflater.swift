import CDeflate
import CZlib

/// A compressor that makes raw deflate streams, one file after the other.
///
/// libdeflate compresses files in one piece, twice as fast as zlib. zlib compresses pieces that refer to each
/// other.
// `@unchecked`: the value cannot be copied, so only one owner uses both compressors. A thread that passes it on no
// longer uses it.
struct Deflater: ~Copyable, @unchecked Sendable {
  private let stream: UnsafeMutablePointer<z_stream>
  private let compressor: OpaquePointer?

  /// The versions of the compressors. The output depends on them, on the level and on the input.
  static let version = "libdeflate \(LIBDEFLATE_VERSION_STRING), zlib \(ZLIB_VERSION)"

  /// - Parameter level: a level from 0 to 9.
  init(level: Int) throws {
    compressor = libdeflate_alloc_compressor(Int32(level))
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = deflateInit2_(
      stream, Int32(level), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    // The deinitialiser releases both; zlib refuses to end a stream that never began.
    guard compressor != nil, result == Z_OK else { throw ArchiveError.Finding.outOfMemory }
  }

  deinit {
    libdeflate_free_compressor(compressor)
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses a file in one piece.
  func compress(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    let capacity = libdeflate_deflate_compress_bound(compressor, bytes.count)
    return try Array(unsafeUninitializedCapacity: capacity) { output, count in
      count = libdeflate_deflate_compress(
        compressor, bytes.baseAddress, bytes.count, output.baseAddress, capacity)
      guard count > 0 else { throw ArchiveError.Finding(.inputOutput, "libdeflate failed") }
    }
  }

  /// The number of bytes before a piece that the piece may refer to.
  static let windowSize = 1 << 15

  /// Compresses one piece of a file. The results of all pieces, one after the other, are one deflate stream.
  ///
  /// - Parameters:
  ///   - window: the last bytes before the piece, up to `windowSize`.
  ///   - isLast: whether the stream ends here.
  func compress(
    _ bytes: UnsafeRawBufferPointer, after window: ArraySlice<UInt8>, isLast: Bool
  ) throws -> [UInt8] {
    deflateReset(stream)
    window.withUnsafeBufferPointer { window in
      // It fails only for a stream that is not at its beginning.
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
    value = libdeflate_crc32(value, bytes.baseAddress, bytes.count)
  }

  /// Appends the checksum of the `count` bytes that follow.
  mutating func append(_ next: CRC32, count: Int) {
    value = UInt32(truncatingIfNeeded: crc32_combine(uLong(value), uLong(next.value), count))
  }
}
