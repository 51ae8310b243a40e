import DurableIO
import FilePackages

/// An earlier archive, from which an export takes the compressed bytes of unchanged files.
///
/// A file is unchanged if the archive has it with the same size, the same permissions and the same date to 100 ns.
/// That date must be at least two seconds older than the archive. If it is not, the export compares the file's
/// checksum. With `comparesAll` it compares all checksums. Compressed bytes that do not have their checksum any more are
/// left, since a disk may have damaged the archive.
final class EarlierZip {
  /// The archive's comment, which names everything that its compressed bytes depend on.
  let comment: [UInt8]
  private let file: ArchiveInput
  private let entries: [[UInt8]: ZipEntry]
  private let made: FileTime

  private let comparesAll: Bool

  /// - Parameter comparesAll: whether all dates are the same and so prove nothing.
  /// - Throws: a finding if the input is no zip or a damaged one.
  init(_ input: ArchiveInput, comparesAll: Bool) throws {
    file = input
    self.comparesAll = comparesAll
    let scan = try ZipScan(of: input, limits: .none)
    comment = scan.end.comment
    made = input.made
    entries = Dictionary(scan.entries.map { ($0.name, $0) }) { first, _ in first }
  }

  /// An unchanged file: its record in the new archive, and its entry in this one.
  typealias Unchanged = (record: ZipRecord, entry: ZipEntry)

  /// Returns an unchanged file; nil for a file that the export must compress.
  func unchanged(_ record: ZipRecord, _ contents: FileContents) throws -> Unchanged? {
    guard case .stored = contents, let old = entries[record.name], !old.isEncrypted, old.mode == record.mode,
      old.size == record.size,
      let modified = old.modified100ns, modified == record.modified.hundreds
    else { return nil }
    var known = record
    known.method = old.method
    known.crc = old.crc
    known.compressedSize = old.compressedSize
    known.hasDescriptor = old.hasDescriptor
    let isUncertain = comparesAll || record.modified.seconds + 2 >= made.seconds
    if try isUncertain && checksum(contents).value != old.crc { return nil }
    return try isWhole(old) ? (known, old) : nil
  }

  /// Returns whether an entry's compressed bytes make its size and checksum.
  private func isWhole(_ entry: ZipEntry) throws -> Bool {
    let inflater = try entry.method == ZipFormat.stored ? nil : GzipDecompressor(inZip: true)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArchiveInput.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    var (crc, size) = (CRC32(), UInt64(0))
    do {
      try file.forEachChunk(at: entry.dataOffset, count: entry.compressedSize) { bytes in
        guard let inflater else {
          crc.update(bytes)
          return size += UInt64(bytes.count)
        }
        var (rest, output) = (bytes, buffer)
        repeat {
          output = buffer
          try inflater.decompress(&rest, to: &output, isEnd: false)
          crc.update(UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count - output.count)]))
          size += UInt64(buffer.count - output.count)
        } while !rest.isEmpty || output.isEmpty
      }
    } catch let finding as ArchiveError.Finding where finding.code == .damaged {
      return false
    }
    return crc.value == entry.crc && size == entry.size
  }

  private func checksum(_ contents: FileContents) throws -> CRC32 {
    var crc = CRC32()
    try contents.forEachChunk { crc.update($0) }
    return crc
  }

  /// Calls `body` with the compressed bytes of an entry, piece by piece.
  func read(_ entry: ZipEntry, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try file.forEachChunk(at: entry.dataOffset, count: entry.compressedSize, body)
  }
}

extension FileTime {
  /// In steps of 100 ns since 1970, as finely as a zip has it.
  var hundreds: Int64? {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 10_000_000)
    return overflow ? nil : whole &+ Int64(nanoseconds / 100)
  }
}
