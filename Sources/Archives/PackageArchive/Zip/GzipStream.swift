import CZlib

/// A gzip stream, decompressed with a comparison of its checksums, which libarchive omits.
final class GzipStream: LibarchiveInput {
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: PositionedInput
  private let archive: ArchiveInput
  private let limits: ImportLimits
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ArchiveInput.chunkSize, alignment: 16)
  private var count: UInt64 = 0
  /// The number of zeros behind the last member.
  private var padding: UInt64 = 0
  /// Whether a member has begun and not ended.
  private var isInMember = true

  init(_ archive: ArchiveInput, limits: ImportLimits) throws {
    input = PositionedInput(archive)
    self.archive = archive
    self.limits = limits
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw ArchiveError.Finding(.inputOutput, "there is no memory left") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    buffer.deallocate()
  }

  /// Reads zeros to the end of the archive. Tapes and some programs pad with them.
  private func readPadding() throws {
    var count = Int(stream.pointee.avail_in)
    var bytes = UnsafeRawBufferPointer(start: stream.pointee.next_in, count: count)
    stream.pointee.avail_in = 0
    while count > 0 {
      guard bytes.allSatisfy({ $0 == 0 }) else { throw Self.damage }
      padding += UInt64(count)
      guard padding <= ImportLimits.maximumPadding else {
        throw ArchiveError.Finding(
          .limitExceeded, "more than \(ImportLimits.maximumPadding) zeros follow its end")
      }
      count = try input.read(into: buffer)
      bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }
  }

  private static var damage: ArchiveError.Finding {
    .init(.damaged, "its gzip stream is damaged, or other bytes follow it")
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = uInt(target.count)
    while stream.pointee.avail_out == uInt(target.count) {
      if stream.pointee.avail_in == 0 {
        let got = try input.read(into: buffer)
        if got == 0 {
          if isInMember { throw ArchiveError.Finding(.damaged, "it is cut short") }
          return 0
        }
        stream.pointee.next_in = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = uInt(got)
      }
      // Several members, one after the other, form one stream.
      if !isInMember {
        if stream.pointee.next_in.pointee == 0 {
          try readPadding()
          return 0
        }
        inflateReset(stream)
        isInMember = true
      }
      let result = inflate(stream, Z_NO_FLUSH)
      if result == Z_STREAM_END {
        isInMember = false
      } else if result != Z_OK && result != Z_BUF_ERROR {
        throw Self.damage
      }
    }
    let produced = target.count - Int(stream.pointee.avail_out)
    count += UInt64(produced)
    try limits.check(ratioOf: count, to: archive.archiveBytes)
    return produced
  }
}
