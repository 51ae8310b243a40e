import DurableIO
import FilePackages

// Z1 There is one end record, at the very end, and no other place that a program could take for one.
// Z2 The directory stands directly before it. No two entries share bytes, and no bytes outside the entries look like
//    one.
// Z3 Each entry's own header agrees with the directory.

/// The directory of a zip and every entry's own header, read strictly, so that no two programs can find different
/// archives in it.
struct ZipScan {
  /// The entries in the order of their bytes in the archive.
  private(set) var entries: [ZipEntry] = []
  let end: ZipEnd

  /// Reads a zip's directory and its headers. Memory is that of the directory.
  ///
  /// - Throws: a finding for every deviation.
  init(of input: ArchiveInput, limits: ImportLimits) throws {
    end = try ZipEnd(of: input)  // Z1
    guard end.count <= UInt64(limits.entries) else {
      throw ArchiveError.Finding(
        .limitExceeded, "it has \(end.count) entries, more than \(limits.entries)", unless: .entries)
    }
    guard end.size <= Self.maximumDirectorySize else {
      throw ArchiveError.Finding(
        .limitExceeded, "its directory is larger than \(Self.maximumDirectorySize) bytes")
    }
    let directory = try input.bytes(at: end.offset, count: Int(end.size))
    var reader = LittleEndianReader(directory[...])
    for _ in 0..<end.count {
      guard let entry = try ZipEntry(central: &reader) else { throw Self.damaged("its directory is damaged") }
      entries.append(entry)
    }
    guard reader.remaining == 0 else { throw Self.damaged("its directory has more bytes than its entries") }
    entries.sort { $0.offset < $1.offset }
    try checkHeaders(input, directory: end.offset, limits)
  }

  private static let maximumDirectorySize: UInt64 = 1 << 29

  private static func damaged(_ reason: String) -> ArchiveError.Finding { .init(.damaged, reason) }

  /// Compares each entry's own header with the directory (Z3), and checks that the entries follow each other (Z2).
  private mutating func checkHeaders(
    _ input: ArchiveInput, directory: UInt64, _ limits: ImportLimits
  ) throws {
    var position = try Self.start(of: input)
    for index in entries.indices {
      let next = index + 1 < entries.count ? entries[index + 1].offset : directory
      let isFirst = index == 0
      guard entries[index].offset >= position, !isFirst || entries[index].offset == position else {
        throw ArchiveError.Finding(
          .damaged, entry: entries[index].name,
          entries[index].offset < position
            ? "it overlaps with another entry" : "there are other bytes before it"
        )
      }
      position = try entries[index].check(input, end: next)
      try checkGap(input, from: position, to: next, after: entries[index])
      try entries[index].checkDictionary(input, limits)
    }
    guard !entries.isEmpty || position == directory else {
      throw Self.damaged("there are other bytes before its directory")
    }
  }

  /// Returns the offset of the first entry. It follows a mark for a split archive, if there is one.
  private static func start(of input: ArchiveInput) throws -> UInt64 {
    let marks = [Array("PK00".utf8), Array("PK\u{7}\u{8}".utf8)]
    return marks.contains(try input.bytes(at: 0, count: 4)) ? 4 : 0
  }

  /// Checks the gap between two entries, which a program may leave when it changes an archive in its place. A
  /// program that reads from the beginning must find no entry in it.
  private func checkGap(_ input: ArchiveInput, from start: UInt64, to end: UInt64, after entry: ZipEntry)
    throws
  {
    guard start < end else { return }
    var last: [UInt8] = []
    try input.forEachChunk(at: start, count: end - start) { bytes in
      let piece = last + bytes
      for place in piece.indices.dropLast(3) where piece[place] == 0x50 && piece[place + 1] == 0x4B {
        guard piece[place + 2] > 8 || piece[place + 3] > 8 else {
          throw ArchiveError.Finding(
            .damaged, entry: entry.name, "the bytes after it look like another entry")
        }
      }
      last = piece.suffix(3)
    }
  }
}
