/// One compressed stream, decompressed by libarchive; what is in it is not looked at.
final class DecompressedStream: LibarchiveInput {
  private let reader: LibarchiveReader
  private let input: ArchiveInput
  private let limits: ImportLimits
  private var count: UInt64 = 0

  init(_ format: ArchiveFormat, _ input: ArchiveInput, limits: ImportLimits) throws {
    reader = try LibarchiveReader.open(format, isRaw: true, PositionedInput(input))
    self.input = input
    self.limits = limits
    guard try reader.next() != nil else { throw ArchiveError.Finding(.empty, "there is nothing in it") }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try reader.read(into: buffer)
    self.count += UInt64(count)
    try limits.check(ratioOf: self.count, to: input.archiveBytes)
    return count
  }
}
