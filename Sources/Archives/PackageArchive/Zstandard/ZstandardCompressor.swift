import CZstandard

/// A compressor that makes one Zstandard frame with a checksum of its contents (RFC 8878, 3.1.1).
///
/// The bytes do not depend on the number of threads.
final class ZstandardCompressor {
  private static let usualLevel = 3

  private let context: OpaquePointer
  private let output: ArchiveOutput
  private let buffer: UnsafeMutableRawBufferPointer

  /// - Throws: a finding for a level that the format does not have.
  init(_ options: ExportOptions, to output: ArchiveOutput) throws {
    let level = options.level ?? Self.usualLevel
    guard (1...Int(ZSTD_maxCLevel())).contains(level) else {
      throw ArchiveError.Finding(
        .unsupported, "tar.zst has the levels 1 to \(ZSTD_maxCLevel()), not \(level)")
    }
    guard let context = ZSTD_createCCtx() else { throw ArchiveError.Finding.outOfMemory }
    self.context = context
    self.output = output
    buffer = .allocate(byteCount: ZSTD_CStreamOutSize(), alignment: 16)
    let parameters = [
      (ZSTD_c_compressionLevel, level), (ZSTD_c_checksumFlag, 1), (ZSTD_c_nbWorkers, options.threadCount),
    ]
    for (parameter, value) in parameters {
      try check(ZSTD_CCtx_setParameter(context, parameter, Int32(clamping: value)))
    }
  }

  deinit {
    ZSTD_freeCCtx(context)
    buffer.deallocate()
  }

  /// Compresses the next bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try compress(bytes, ZSTD_e_continue)
  }

  /// Writes the end of the frame.
  func finish() throws {
    try compress(UnsafeRawBufferPointer(start: nil, count: 0), ZSTD_e_end)
  }

  private func compress(_ bytes: UnsafeRawBufferPointer, _ end: ZSTD_EndDirective) throws {
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    var isDone = false
    while !isDone {
      var target = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
      let left = try check(ZSTD_compressStream2(context, &target, &input, end))
      try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<target.pos]))
      isDone = end == ZSTD_e_end ? left == 0 : input.pos == input.size
    }
  }

  @discardableResult
  private func check(_ result: Int) throws -> Int {
    guard ZSTD_isError(result) == 0 else {
      throw ArchiveError.Finding(
        .inputOutput, "libzstd failed: \(String(cString: ZSTD_getErrorName(result)))")
    }
    return result
  }
}
