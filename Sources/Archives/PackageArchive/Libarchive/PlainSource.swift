/// The entries of an archive in a format that the options must name, as libarchive reads them.
final class PlainSource: EntrySource {
  private let reader: LibarchiveReader
  /// Checks that the archive ends with its last byte.
  private let finish: () throws -> Void
  private var entry: ArchiveEntry?

  init(_ format: ArchiveFormat, _ input: ArchiveInput, _ options: ImportOptions) throws {
    var stream: any LibarchiveInput = PositionedInput(input)
    switch format {
    case .sevenZip:
      _ = try SevenZipScan(of: input, limits: options.limits)  // It only checks.
      finish = {}
    case .cpio:
      let scanned = ScannedInput(stream, CpioScan())
      (stream, finish) = (scanned, { try scanned.readToEnd() })
    default: finish = {}
    }
    reader = try LibarchiveReader.open(format, passphrase: options.passphrase, stream)
  }

  func next() throws -> ArchiveEntry? {
    entry = try reader.next()
    if entry == nil { try finish() }
    return entry
  }

  func forEachBlock(_ body: (UnsafeRawBufferPointer, UInt64) throws -> Void) throws {
    try reader.forEachBlock(of: entry?.name ?? [], body)
  }
}
