/// A decompressor of one format.
protocol Decompressor: AnyObject {
  /// Decompresses bytes from the front of `input` to the front of `output`, and removes both from the buffers.
  ///
  /// - Parameter isEnd: whether the input has ended. The call then makes output, or checks that the stream is whole.
  func decompress(
    _ input: inout UnsafeRawBufferPointer, to output: inout UnsafeMutableRawBufferPointer, isEnd: Bool
  ) throws
}

/// The decompressed bytes of an archive, which must be one compressed stream to its end.
final class DecompressedStream: LibarchiveInput {
  private let decompressor: any Decompressor
  private let archive: ArchiveInput
  private let limits: ImportLimits
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ArchiveInput.chunkSize, alignment: 16)
  /// The bytes of the buffer that are not decompressed yet.
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
  private var isEnd = false
  private var count: UInt64 = 0

  init(_ decompressor: any Decompressor, _ archive: ArchiveInput, limits: ImportLimits) {
    self.decompressor = decompressor
    self.archive = archive
    self.limits = limits
  }

  deinit {
    buffer.deallocate()
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    var output = target
    repeat {
      if rest.isEmpty && !isEnd {
        let got = try archive.read(into: buffer)
        rest = UnsafeRawBufferPointer(rebasing: buffer[..<got])
        isEnd = got == 0
      }
      try decompressor.decompress(&rest, to: &output, isEnd: isEnd)
    } while output.count == target.count && !isEnd
    let produced = target.count - output.count
    count += UInt64(produced)
    try limits.check(ratioOf: count, to: archive.archiveBytes)
    return produced
  }
}
