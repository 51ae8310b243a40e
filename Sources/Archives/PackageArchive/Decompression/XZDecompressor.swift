import CLZMA

/// A decompressor of xz streams, one after the other, with bounded memory.
final class XZDecompressor: Decompressor {
  /// The most bytes that liblzma uses beside the dictionary.
  private static let overhead: UInt64 = 1 << 17

  /// LZMA_CONCATENATED, which Swift does not import.
  private static let concatenated: UInt32 = 0x08

  private let stream: UnsafeMutablePointer<lzma_stream>
  private let limits: ImportLimits

  init(_ limits: ImportLimits) throws {
    self.limits = limits
    stream = .allocate(capacity: 1)
    stream.initialize(to: lzma_stream())
    let (memory, overflow) = limits.dictionaryBytes.addingReportingOverflow(Self.overhead)
    let result = lzma_stream_decoder(stream, overflow ? .max : memory, Self.concatenated)
    guard result == LZMA_OK else { throw ArchiveError.Finding.outOfMemory }
  }

  deinit {
    lzma_end(stream)
    stream.deallocate()
  }

  func decompress(
    _ input: inout UnsafeRawBufferPointer, to output: inout UnsafeMutableRawBufferPointer, isEnd: Bool
  ) throws {
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = input.count
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = output.count
    let room = output.count
    let result = lzma_code(stream, isEnd ? LZMA_FINISH : LZMA_RUN)
    input = UnsafeRawBufferPointer(rebasing: input.suffix(stream.pointee.avail_in))
    output = UnsafeMutableRawBufferPointer(rebasing: output.suffix(stream.pointee.avail_out))
    if result == LZMA_MEMLIMIT_ERROR { try limits.check(dictionary: lzma_memusage(stream)) }
    let isCut = isEnd && result == LZMA_OK && output.count == room
    guard !isCut && (result == LZMA_OK || result == LZMA_STREAM_END) else {
      throw ArchiveError.Finding(
        .damaged, "its xz stream is damaged or cut short, or other bytes follow it")
    }
  }
}
