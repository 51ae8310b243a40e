import CZlib

/// A decompressor of gzip that compares its checksums, which libarchive omits; or of the stream in a zip, which has none.
final class GzipDecompressor: Decompressor {
  private let stream: UnsafeMutablePointer<z_stream>
  /// The number of zeros behind the last member.
  private var padding: UInt64 = 0
  /// Whether a member has begun and not ended.
  private var isInMember = true

  init(inZip: Bool = false) throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = inflateInit2_(
      stream, inZip ? -15 : 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw ArchiveError.Finding.outOfMemory }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func decompress(
    _ input: inout UnsafeRawBufferPointer, to output: inout UnsafeMutableRawBufferPointer, isEnd: Bool
  ) throws {
    if isEnd {
      // A member ends with its checksum, so no output waits for its end.
      if isInMember { throw ArchiveError.Finding(.damaged, "it is cut short") }
      return
    }
    if !isInMember {
      if padding > 0 || input.first == 0 { return try skipPadding(&input) }
      // Several members, one after the other, form one stream.
      inflateReset(stream)
      isInMember = true
    }
    // zlib does not change its input, but its type does not say so.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = uInt(input.count)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = uInt(output.count)
    let result = inflate(stream, Z_NO_FLUSH)
    input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(stream.pointee.avail_in)))
    output = UnsafeMutableRawBufferPointer(rebasing: output.suffix(Int(stream.pointee.avail_out)))
    if result == Z_STREAM_END {
      isInMember = false
    } else if result != Z_OK && result != Z_BUF_ERROR {
      throw Self.damage
    }
  }

  /// Removes zeros, with which tapes and some programs pad the end.
  private func skipPadding(_ input: inout UnsafeRawBufferPointer) throws {
    guard input.allSatisfy({ $0 == 0 }) else { throw Self.damage }
    padding += UInt64(input.count)
    guard padding <= ImportLimits.maximumPadding else {
      throw ArchiveError.Finding(
        .limitExceeded, "more than \(ImportLimits.maximumPadding) zeros follow its end")
    }
    input = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private static var damage: ArchiveError.Finding {
    .init(.damaged, "its gzip stream is damaged, or other bytes follow it")
  }
}
