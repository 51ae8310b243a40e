package import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

// New logs: their bytes, and the way in which one takes the place of another.
extension SaveLog {
  /// Returns the bytes of a new log.
  ///
  /// - Parameters:
  ///   - ledger: what is known until now.
  ///   - sequence: the number of the last record until now.
  ///   - record: the first record, which is committed and not published; nil if all is published.
  package static func contents(
    _ ledger: Ledger, after sequence: UInt64 = 0, adding record: SaveRecord? = nil, of package: FileStatus
  ) throws(SystemError) -> [UInt8] {
    let header = Header(identifier: .new, inode: package.identity.inode, born: package.born)
    var body = ByteWriter()
    let facts = try ledger.encode(sequence: sequence, to: &body)
    if var record {
      record.sequence = sequence + 1
      try record.write(to: &body, in: header)
    }
    let committed = sequence + (record == nil ? 0 : 1)
    return encoded(header, Marks(committed: committed, applied: sequence), facts, body)
  }

  private static func encoded(
    _ header: Header, _ marks: Marks, _ facts: [UInt8], _ body: borrowing ByteWriter
  ) -> [UInt8] {
    var marks = marks
    marks.end = UInt64(start + body.count)
    var whole = ByteWriter(capacity: start + body.count)
    header.encode(marks, facts, to: &whole)
    body.withUnsafeBytes { whole.write($0) }
    return whole.bytes
  }

  /// Returns what counts in a log for a new one. A record that waits in it does not count.
  ///
  /// - Parameter record: the record that the new one has, too.
  static func ledger(
    insteadOf old: SaveLog?, adding record: SaveRecord? = nil
  ) -> Ledger {
    var ledger = old?.ledger ?? Ledger()
    // A record that waits belongs to no state that the new one is made over.
    if let live = old?.live?.state, record?.state?.parent != live.revision { ledger.cut(at: live.parent) }
    if let parent = record?.state?.parent { ledger.cut(at: parent) }
    return ledger
  }

  /// Gives the log's name to a new file with everything that counts, and with one more record.
  ///
  /// When it returns, all of it is as durable as the folder's entry: the caller must sync the folder (J1).
  ///
  /// - Parameters:
  ///   - old: the log until now.
  ///   - change: changes what counts.
  static func replace(
    _ old: SaveLog?, adding record: SaveRecord?, in folder: borrowing OwnedDescriptor,
    of package: FileStatus, on disk: any Disk, _ change: (inout Ledger) -> Void
  ) throws(SystemError) -> SaveLog {
    var ledger = ledger(insteadOf: old, adding: record)
    change(&ledger)
    let contents = try contents(ledger, after: old?.sequence ?? 0, adding: record, of: package)
    // Every program will read the same.
    guard let content = try LogContent(LogBytes(source: .memory(contents), size: contents.count)),
      !content.isCut, content.sequence == (old?.sequence ?? 0) + (record == nil ? 0 : 1),
      contents.count <= maximumSize
    else { throw SystemError("write", PackageLayout.newLog, code: .fileTooLarge) }
    var identity: FileIdentity?
    let file = try disk.replace(PackageLayout.log, by: PackageLayout.newLog, in: folder) {
      file throws(SystemError) in
      try disk.write(contents, to: file, at: 0)
      identity = try disk.status(of: file).identity
    }
    guard let identity else { throw SystemError("fstat", PackageLayout.log, code: .ioError) }
    return SaveLog(OpenNode(file), identity, on: disk, content)
  }

  /// Encodes a log with any content in its records, for tests of logs that other programs made.
  ///
  /// - Parameter records: of each record the body, the bytes of files, and the number of rows in its head.
  package static func encoded(
    _ records: [(body: [UInt8], contents: [[UInt8]], rows: Int)], from sequence: UInt64 = 1,
    committed: UInt64, applied: UInt64, inode: UInt64, born: FileTime?
  ) throws(SystemError) -> [UInt8] {
    let header = Header(identifier: UUID(), inode: inode, born: born)
    var body = ByteWriter()
    let facts = try Ledger().encode(sequence: sequence &- 1, to: &body)
    for (index, record) in records.enumerated() {
      body.write(
        SaveRecord.framed(
          record.body, record.contents, rows: record.rows, sequence: sequence &+ UInt64(index),
          in: header.seed))
    }
    return encoded(header, Marks(committed: committed, applied: applied), facts, body)
  }
}

extension SaveRecord {
  /// Writes the record for a log with that header.
  func write(to writer: inout ByteWriter, in header: SaveLog.Header) throws(SystemError) {
    do {
      try encode(to: &writer, in: header.seed)
    } catch {
      throw SystemError("write", PackageLayout.log, code: .invalidArgument)
    }
  }
}
