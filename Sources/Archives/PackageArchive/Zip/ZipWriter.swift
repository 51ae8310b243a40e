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
    bytes.append(littleEndian: ZipFormat.end)
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: UInt16(clamping: count))
    bytes.append(littleEndian: UInt16(clamping: count))
    bytes.append(littleEndian: UInt32(clamping: size))
    bytes.append(littleEndian: UInt32(clamping: start))
    bytes.append(littleEndian: UInt16(comment.count))
    try output.write(bytes + comment)
    try output.flush()
  }

  private func writeEnd64(start: UInt64, size: UInt64) throws {
    let end = output.count
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipFormat.end64)
    bytes.append(littleEndian: UInt64(ZipFormat.end64Size - 12))
    bytes.append(littleEndian: ZipFormat.unix << 8 | 45)
    bytes.append(littleEndian: UInt16(45))
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: count)
    bytes.append(littleEndian: count)
    bytes.append(littleEndian: size)
    bytes.append(littleEndian: start)
    bytes.append(littleEndian: ZipFormat.locator64)
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: end)
    bytes.append(littleEndian: UInt32(1))
    try output.write(bytes)
  }
}
