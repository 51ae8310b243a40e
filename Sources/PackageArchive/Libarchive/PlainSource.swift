/// The entries of an archive in one of the formats that have to be asked for, as libarchive has them.
final class PlainSource: EntrySource {
  private let reader: LibarchiveReader
  private var entry: ArchiveEntry?

  init(_ format: ArchiveFormat, _ input: ArchiveInput, _ options: ImportOptions) throws {
    if format == .sevenZip { _ = try SevenZipScan(of: input, limits: options.limits) }
    reader = try LibarchiveReader.open(format, passphrase: options.passphrase, PositionedInput(input))
  }

  func next() throws -> ArchiveEntry? {
    entry = try reader.next()
    return entry
  }

  func forEachBlock(_ body: (UnsafeRawBufferPointer, UInt64) throws -> Void) throws {
    try reader.forEachBlock(of: entry?.name ?? [], body)
  }
}
