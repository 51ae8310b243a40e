/// One compressed stream that libarchive decompresses, without a look at its contents.
final class DecompressedStream: LibarchiveInput {
  private let reader: LibarchiveReader
  private let input: ArchiveInput
  private let limits: ImportLimits
  /// Checks that the stream ends where the archive does.
  private let finish: (borrowing LibarchiveReader) throws -> Void
  private var count: UInt64 = 0

  init(_ format: ArchiveFormat, _ input: ArchiveInput, limits: ImportLimits) throws {
    let source = PositionedInput(input)
    let scanned: any LibarchiveInput
    switch format {
    case .tarXZ:
      let scan = ScannedInput(source, XZScan(limits))
      (scanned, finish) = (scan, { _ in try scan.readToEnd() })
    case .tarLZ4:
      let scan = ScannedInput(source, LZ4Scan())
      (scanned, finish) = (scan, { _ in try scan.readToEnd() })
    case .tarBzip2:
      let scan = ScannedInput(source, ByteCount())
      scanned = scan
      finish = { reader in
        try scan.readToEnd()
        guard reader.consumedBytes == scan.scan.count else {
          throw ArchiveError.Finding(.damaged, "something follows its bzip2 stream")
        }
      }
    default:
      // libarchive itself refuses bytes behind a Zstandard stream.
      (scanned, finish) = (source, { _ in })
    }
    reader = try LibarchiveReader.open(format, isRaw: true, scanned)
    self.input = input
    self.limits = limits
    guard try reader.next() != nil else { throw ArchiveError.Finding(.empty, "it is empty") }
  }

  /// A count of the stream's bytes.
  private struct ByteCount: StreamScan {
    var count: UInt64 = 0

    mutating func consume(_ bytes: UnsafeRawBufferPointer) throws { count += UInt64(bytes.count) }

    func finish() throws {}
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try reader.read(into: buffer)
    self.count += UInt64(count)
    if count == 0 { try finish(reader) }
    try limits.check(ratioOf: self.count, to: input.archiveBytes)
    return count
  }
}
