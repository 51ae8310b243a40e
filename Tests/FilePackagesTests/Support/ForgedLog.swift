import DurableIO
import FilePackages

// Also a part of Tests/Fuzz/Log.

/// A log with valid checksums around any bytes, as another program may make one.
struct ForgedLog {
  var package: FileStatus
  var body: [UInt8]
  /// The bytes of files.
  var contents: [[UInt8]]
  /// The number of rows in the record's head.
  var rows: Int
  var sequence: UInt64
  var applied: UInt64

  /// The log: a first block without facts, and one record that is marked as committed.
  func bytes() throws -> [UInt8] {
    var log = try SaveLog.contents(Ledger(), after: sequence &- 1, of: package)
    let record = record(in: ContentHash(of: Array(log[12..<28])))
    var marks = ByteWriter()
    for number in [sequence, applied, UInt64(log.count + record.count)] { marks.write(number) }
    marks.write(marks.hash(from: 0))
    log.replaceSubrange(512..<(512 + marks.count), with: marks.bytes)
    return log + record
  }

  /// - Parameter seed: the hash of the log's identifier.
  private func record(in seed: ContentHash) -> [UInt8] {
    var head = ByteWriter()
    head.write("DREC" as StaticString)
    head.write(UInt32(truncatingIfNeeded: rows))
    head.write(sequence)
    head.write(UInt64(body.count))
    head.write(UInt64(contents.reduce(0) { $0 + $1.count }))
    var hash = SHA256()
    hash.update(seed)
    hash.update(head.bytes)
    hash.update(body)
    head.write(hash.finalize())
    var record = head.bytes + body + contents.flatMap(\.self)
    record += [UInt8](repeating: 0, count: -record.count & 4095)
    return record
  }
}

extension SaveRecord {
  /// The metadata, and the rows.
  func encodedBody() throws -> [UInt8] {
    var body = ByteWriter()
    try encodeBody(to: &body)
    return body.bytes
  }
}
