/// The entries of an archive in one of the formats that have to be asked for, as libarchive has them.
final class PlainSource: EntrySource {
  private let reader: LibarchiveReader
  /// Sees that the archive ends where its last byte is.
  private let finish: () throws -> Void
  private var entry: ArchiveEntry?

  init(_ format: ArchiveFormat, _ input: ArchiveInput, _ options: ImportOptions) throws {
    var stream: any LibarchiveInput = PositionedInput(input)
    switch format {
    case .sevenZip:
      _ = try SevenZipScan(of: input, limits: options.limits)
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
