import DurableIO
import FilePackages

/// An archive that was exported before, from which the compressed bytes of unchanged files are taken.
///
/// A file counts as unchanged when the archive has it with the same size, the same permissions and the same date to 100
/// ns, and that date is at least two seconds older than the archive. What was changed in the very moment when the archive
/// was made has its checksum compared, and so has everything where dates say nothing, since they are all the same.
final class EarlierZip {
  /// What the archive says that its compressed bytes depend on.
  let comment: [UInt8]
  private let file: ArchiveInput
  private let entries: [[UInt8]: ZipEntry]
  private let made: FileTime

  private let comparesAll: Bool

  /// - Parameter comparesAll: whether dates say nothing.
  /// - Throws: a finding when it is no zip, or a damaged one.
  init(_ input: ArchiveInput, comparesAll: Bool) throws {
    file = input
    self.comparesAll = comparesAll
    let scan = try ZipScan(of: input, limits: .none)
    comment = scan.comment
    made = input.made
    entries = Dictionary(scan.entries.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The record of a file that has not changed; nil for one that has to be compressed.
  func unchanged(_ record: ZipRecord, _ contents: FileContents) throws -> ZipRecord? {
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
    return try isUncertain && checksum(contents).value != old.crc ? nil : known
  }

  private func checksum(_ contents: FileContents) throws -> CRC32 {
    var crc = CRC32()
    try contents.forEachChunk { crc.update($0) }
    return crc
  }

  /// Where the compressed bytes of a file begin.
  func dataOffset(of record: ZipRecord) -> UInt64 {
    entries[record.name]?.dataOffset ?? 0
  }

  func read(at offset: UInt64, count: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try file.forEachChunk(at: offset, count: count, body)
  }
}

extension FileTime {
  /// In steps of 100 ns since 1970, as finely as a zip has it.
  var hundreds: Int64? {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 10_000_000)
    return overflow ? nil : whole &+ Int64(nanoseconds / 100)
  }
}
