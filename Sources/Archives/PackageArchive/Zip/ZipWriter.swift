/// The writer of a zip's entries, and of its directory at the end.
///
/// Memory: the directory, some 120 bytes for each entry, and its name.
struct ZipWriter {
  private let output: ArchiveOutput
  private let comment: [UInt8]
  private var directory: [UInt8] = []
  private var count: UInt64 = 0

  /// - Parameter comment: the comment at the end of the archive, at most 65,535 bytes.
  init(to output: ArchiveOutput, comment: [UInt8]) {
    self.output = output
    self.comment = comment
  }

  /// Writes one entry. `body` writes its compressed bytes, and completes the record if it has a descriptor.
  ///
  /// - Throws: a finding for a name that is too long for the format; the errors of `body`.
  mutating func write(
    _ record: ZipRecord, body: (inout ZipRecord) throws -> Void
  ) throws {
    guard record.name.count <= Int(UInt16.max) else {
      throw ArchiveError.Finding(.notRepresentable, entry: record.name, "its path is too long for a zip")
    }
    var record = record
    record.offset = output.count
    try output.write(record.localHeader)
    try body(&record)
    try output.write(record.dataDescriptor)
    directory += record.centralHeader
    count += 1
  }

  /// Writes the directory.
  consuming func finish() throws {
    let start = output.count
    let size = UInt64(directory.count)
    try output.write(directory)
    if count >= UInt64(UInt16.max) || start >= UInt64(UInt32.max) || size >= UInt64(UInt32.max) {
      try writeEnd64(start: start, size: size)
    }
    var bytes: [UInt8] = []
    bytes.append(
      littleEndian: ZipFormat.end, UInt16(0), UInt16(0), UInt16(clamping: count), UInt16(clamping: count),
      UInt32(clamping: size), UInt32(clamping: start), UInt16(comment.count))
    try output.write(bytes + comment)
    try output.flush()
  }

  private func writeEnd64(start: UInt64, size: UInt64) throws {
    let end = output.count
    var bytes: [UInt8] = []
    bytes.append(
      littleEndian: ZipFormat.end64, UInt64(ZipFormat.end64Size - 12), ZipFormat.unix << 8 | 45, UInt16(45),
      UInt32(0), UInt32(0), count, count, size, start)
    bytes.append(littleEndian: ZipFormat.locator64, UInt32(0), end, UInt32(1))
    try output.write(bytes)
  }
}
