import CZstandard

/// A decompressor of Zstandard frames, one after the other. It skips frames without contents.
///
/// libzstd refuses a frame that needs more than 128 MiB of earlier bytes.
final class ZstandardDecompressor: Decompressor {
  private let context: OpaquePointer
  /// Whether a frame has begun and not ended.
  private var isInFrame = true

  init() throws {
    guard let context = ZSTD_createDCtx() else { throw ArchiveError.Finding.outOfMemory }
    self.context = context
  }

  deinit {
    ZSTD_freeDCtx(context)
  }

  func decompress(
    _ input: inout UnsafeRawBufferPointer, to output: inout UnsafeMutableRawBufferPointer, isEnd: Bool
  ) throws {
    if isEnd && !isInFrame { return }
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let left = ZSTD_decompressStream(context, &target, &source)
    guard ZSTD_isError(left) == 0 else {
      let reason = String(cString: ZSTD_getErrorName(left))
      throw ArchiveError.Finding(
        .damaged, "its Zstandard stream is damaged, or other bytes follow it: \(reason)")
    }
    isInFrame = left != 0
    if isEnd && isInFrame && target.pos == 0 { throw ArchiveError.Finding(.damaged, "it is cut short") }
    input = UnsafeRawBufferPointer(rebasing: input[source.pos...])
    output = UnsafeMutableRawBufferPointer(rebasing: output[target.pos...])
  }
}
