package import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

// J1 A log gets its name whole: it is made under another name, synced, renamed. A log with a wrong beginning is
//    damaged.
// J2 A record counts if its checksum is right, and all its bytes have the named hashes. Only the last record that counts
//    may be unpublished. Either the one before it was published and synced first, or the last one was made over the
//    same state and supersedes it.
// J3 The marks say which records are known to be committed and published. They are written without a sync: a reader of
//    older marks repeats steps that are already done.
// J4 A damaged record that is known to be committed, and not known to be published, is reported, never skipped. A
//    damaged published one loses only its own facts.
// J5 A log that stays when its last session ends has durable marks, which say that each record is published. So no
//    later opening repeats a save over another program's edit.
// J6 If a write of the marks fails, the file may have the old marks, the new ones or neither. The log must then be
//    found anew, so that nothing relies on either.
// J7 A session overwrites only the marks and the bytes after the last record. A log gives way to a new one with the
//    same facts if it has become long, if its sync failed, or if it came with a copy of the package.

/// The log of one package, open for reading and writing: each record is a save, and a version.
///
/// A first block with a header, the marks, and the facts from before the first record; their items; the records.
package final class SaveLog {
  /// The length of the first block, with the header, the marks and the facts; their items follow.
  static let start = SaveRecord.blockSize
  /// The bytes that are written once with zeros and then overwritten, so that a record costs one flush. A log with
  /// more bytes of records gives way to a new one.
  package static let capacity = 1 << 20
  /// A log has room for so many records of the next one's length, up to the largest capacity, if one alone makes it
  /// long. Each new log costs two flushes or more.
  private static let roomForLongRecords = 8
  private static let largestCapacity = 32 << 20
  /// The bytes of records that may stay when the last session ends: those of some fifteen small saves. The next writer
  /// reads all of them.
  static let keptCapacity = 64 << 10
  /// A larger log is not read.
  static let maximumSize = PackageLayout.maximumLogSize

  /// The place and time at which the log was made.
  struct Header: Hashable {
    /// A random number, so that parts of another log are not taken for this one's.
    var identifier: UUID
    /// The inode of the package's directory.
    var inode: UInt64
    var born: FileTime?

    func isBound(to package: FileStatus) -> Bool {
      // Over a network the same directory may have no birth time.
      guard let born, let now = package.born else { return inode == package.identity.inode }
      return inode == package.identity.inode && born == now
    }
  }

  struct Marks: Hashable {
    var committed: UInt64 = 0
    var applied: UInt64 = 0
    /// The end of the last committed record.
    package var end: UInt64 = 0
  }

  let header: Header
  private(set) var marks: Marks
  /// The marks as they are in the file; nil if a write of them failed (J6).
  private var writtenMarks: [UInt8]?
  /// The last record that counts, unless it is published.
  private(set) var live: SaveRecord?
  /// The children and the versions, those of the live record included.
  package private(set) var ledger: Ledger
  /// The identity of the file.
  let identity: FileIdentity

  private let file: OpenNode
  private let disk: any Disk
  /// The place of the first record.
  private let records: Int
  /// The place of the next record.
  private var end: Int
  /// The number of bytes that were really written.
  private var length: Int
  /// The number of the last record.
  private(set) var sequence: UInt64
  /// Whether the marks in the file are durable, as far as this object knows.
  private var hasDurableMarks = false
  private var thinned = Thinned()
  /// Whether a part of it is missing, so that nothing can be added.
  let isCut: Bool

  init(_ file: OpenNode, _ identity: FileIdentity, on disk: any Disk, _ content: LogContent) {
    (self.file, self.identity, self.disk) = (file, identity, disk)
    (header, records) = (content.header, content.records)
    ledger = content.ledger
    content.bytes.read(from: file, on: disk)
    (marks, writtenMarks) = (content.marks ?? Marks(), content.marks?.encoded ?? [])
    (end, length) = (content.end, content.bytes.size)
    sequence = max(content.sequence, marks.committed)
    if let last = content.last, last.sequence > marks.applied { live = last }
    isCut = content.isCut
    thinned.offset = ledger.versionsLength
  }

  // MARK: Finding

  /// The result of a search for a log.
  package enum Found {
    case nothing
    case log(SaveLog)
    /// An acknowledged save cannot be read; the facts are those of the records that can.
    case damaged(String, Ledger?)

    /// The log, if it is whole.
    var log: SaveLog? { if case .log(let log) = self { log } else { nil } }

    /// Returns the log; nil if there is none.
    ///
    /// - Throws: `logDamaged`.
    func get(_ operation: FilePackageError.Operation, of node: StoredNode) throws(FilePackageError)
      -> SaveLog?
    {
      guard case .damaged(let reason, _) = self else { return log }
      throw FilePackageError(.logDamaged, operation, node, reason: "its log is damaged: \(reason)")
    }

    /// The facts that can be read.
    var ledger: Ledger? {
      switch self {
      case .nothing: nil
      case .log(let log): log.ledger
      case .damaged(_, let ledger): ledger
      }
    }
  }

  /// Returns whether each record of a log is published, or there is no log, without reading the records.
  ///
  /// False also for a log that only `find(in:on:forWriting:)` can judge.
  package static func isClean(
    in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    let file: OwnedDescriptor
    do {
      file = try disk.openFile(PackageLayout.log, in: folder)
    } catch {
      return error.code == .noSuchFileOrDirectory
    }
    let block = try disk.read(file, at: 0, atMost: start)
    let bytes = LogBytes(.memory(block), size: block.count)
    var records = 0
    guard block.count == start, Header(block[...]) != nil,
      Ledger.Base(block[...], of: bytes, &records) != nil,
      let marks = Marks(block[Marks.offset...]), marks.applied == marks.committed, marks.end > 0,
      marks.end <= UInt64(maximumSize)
    else { return false }
    // The program that committed a record may have been killed before it marked that.
    let next = try disk.read(file, at: marks.end, atMost: SaveRecord.headLength)
    return SaveRecord.Head(next[...], limit: maximumSize)?.sequence != marks.committed + 1
  }

  /// Finds the log in a package's hidden folder. Reads no further than its records reach, however long the file is.
  package static func find(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, forWriting: Bool
  ) throws(SystemError) -> Found {
    let name = PackageLayout.log
    guard let status = try disk.statusIfPresent(of: name, in: folder) else { return .nothing }
    guard status.kind == .file else { return .damaged("it is \(status.kind.words)", nil) }
    guard status.size <= UInt64(maximumSize) else {
      return .damaged("it is larger than a log can be", nil)
    }
    let file: OwnedDescriptor
    do {
      if !forWriting {
        file = try disk.openFile(name, in: folder)
      } else if status.links > 1 {
        file = try disk.openOwnFile(name, copiedAs: PackageLayout.newLog, in: folder)
      } else {
        file = try disk.openFileForWriting(name, in: folder)
      }
    } catch  where error.code == .noSuchFileOrDirectory {
      // Another program that had it open has just closed it in good order.
      return .nothing
    }
    let identity = try disk.status(of: file).identity
    let node = OpenNode(file)
    let bytes = LogBytes(.file(node, disk), size: Int(clamping: identity.size))
    guard let content = try LogContent(bytes) else {
      return .damaged("it does not begin like a log", nil)
    }
    // An acknowledged save is never skipped (J4).
    if let marks = content.marks, marks.applied < marks.committed,
      content.last.map({ $0.sequence < marks.committed }) ?? true
    {
      return .damaged(
        content.problem.map { "an acknowledged save in it cannot be read: \($0)" }
          ?? "an acknowledged save is missing in it", content.ledger)
    }
    return .log(SaveLog(node, identity, on: disk, content))
  }

  /// Returns whether the file has what this object knows, and no other name.
  ///
  /// If false, it must be found anew: another program has written to it, a write of the marks failed (J6), or a copy of
  /// the package shares it.
  func isCurrent(in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    guard let writtenMarks, let now = try disk.statusIfPresent(of: PackageLayout.log, in: folder),
      now.identity.isSameNode(as: identity), now.links <= 1
    else { return false }
    let found = try disk.read(file.descriptor, at: UInt64(Marks.offset), atMost: Marks.length)
    guard found == writtenMarks else { return false }
    // A killed program may have left a record without a mark.
    let head = try disk.read(file.descriptor, at: UInt64(end), atMost: SaveRecord.headLength)
    return SaveRecord.Head(head[...], limit: Self.maximumSize)?.sequence != sequence + 1
  }

  // MARK: Writing

  /// Whether a save has a record in it, or in the log before it. Otherwise its name may not be durable.
  var hasRecords: Bool { sequence > 0 }

  /// Returns whether a new log must take this one's place before the next record, or with it (J7).
  ///
  /// False while a record waits to be published. The caller replaces a cut one.
  func mustBeReplaced(for record: SaveRecord, capacity: Int) -> Bool {
    if live != nil || end == records { return false }
    if end > Self.maximumSize / 2 { return true }
    let length = record.changes.rows.reduce(0) { $0 + ($1.bytes?.count ?? 256) }
    var capacity = capacity
    if length > Self.keptCapacity {
      capacity = max(capacity, min(Self.roomForLongRecords * length, Self.largestCapacity))
    }
    return end - records + length > capacity + factsLength / 4
  }

  /// Whether it is longer than a log that stays when its last session ends.
  var isLong: Bool {
    end - records > Self.keptCapacity + min(factsLength / 4, Self.keptCapacity)
  }

  private var factsLength: Int { records - Self.start }

  /// Commits a record: when it returns, the record is durable, and with it the version that the save replaces (H1).
  ///
  /// Cost: one write and one fdatasync(2). If the log has grown before, the blocks were written then, so that the
  /// file system has nothing else to flush.
  ///
  /// - Throws: the system's reason. The log must not be used after that. Whether the record is durable is unknown
  ///   until a new log has its name, or until `erase()` returns.
  func commit(_ record: inout SaveRecord, capacity: Int) throws(SystemError) {
    record.sequence = sequence + 1
    var encoded = ByteWriter()
    try record.write(to: &encoded, in: header)
    try disk.write(encoded, to: file.descriptor, at: UInt64(end))
    let newEnd = end + encoded.count
    if newEnd > length {
      // A log of many records goes on to grow.
      let goal = newEnd + max(Self.keptCapacity - encoded.count, min((newEnd - records) / 2, capacity))
      // Without room for the zeros, later records cost another flush.
      try? disk.write(
        [UInt8](repeating: 0, count: goal - newEnd), to: file.descriptor, at: UInt64(newEnd))
      length = goal
    }
    try disk.synchronizeData(file.descriptor)
    end = newEnd
    sequence = record.sequence
    live = record
    ledger.note(record)
    thinned.kept &+= ledger.entries.last?.version?.keptBytes ?? 0
    (marks.committed, marks.end) = (sequence, UInt64(end))
    // The record is committed even if this write fails (J3).
    try? writeMarks()
  }

  /// Takes back a record whose commit failed: when it returns, no reader finds the record.
  ///
  /// It needs no room on the disk.
  func erase() throws(SystemError) {
    try disk.resize(file.descriptor, to: UInt64(end))
    try disk.synchronize(file.descriptor)
  }

  /// Marks all records as published.
  func markApplied() throws(SystemError) {
    live = nil
    marks = Marks(committed: sequence, applied: sequence, end: UInt64(end))
    try writeMarks()
  }

  /// Syncs the marks.
  func checkpoint() throws(SystemError) {
    if hasDurableMarks { return }
    try disk.synchronizeData(file.descriptor)
    hasDurableMarks = true
  }

  private func writeMarks() throws(SystemError) {
    hasDurableMarks = false
    writtenMarks = nil
    let encoded = marks.encoded
    try disk.write(encoded, to: file.descriptor, at: UInt64(Marks.offset))
    writtenMarks = encoded
  }

  /// Makes the log one that stays when its last session ends (J5).
  func keep() throws(SystemError) {
    try checkpoint()
    if length <= end + Self.keptCapacity { return }
    try disk.resize(file.descriptor, to: UInt64(end))
    length = end
  }

  // MARK: Thinning

  /// Returns whether thinning is due, and counts that as done.
  ///
  /// A short history is due after every save. A longer one is due if it grew by a sixteenth, or if versions kept 16
  /// MiB. So the cost of thinning is in proportion to the bytes written since the last one.
  func takeDueness() -> Bool {
    guard ledger.policy != nil else { return false }
    defer { thinned = Thinned(offset: ledger.versionsLength) }
    return thinned.isDue(at: ledger.versionsLength)
  }

  private struct Thinned {
    /// The length at the last thinning.
    var offset = 0
    /// The bytes that versions have kept since.
    var kept: UInt64 = 0

    private static let short = 8 << 10

    func isDue(at end: Int) -> Bool {
      if end <= Self.short || kept >= 16 << 20 { return true }
      let step = max(Self.short / 2, (1 << (Int.bitWidth - 1 - end.leadingZeroBitCount)) >> 4)
      return end / step != offset / step
    }
  }
}
