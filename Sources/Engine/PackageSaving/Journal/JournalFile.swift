package import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

// J1 A journal gets its name whole: it is made under another name, synced, renamed. A journal with a wrong beginning is
//    damaged.
// J2 A record counts if its checksum, chained to the record before it, is right, and all its bytes have the named
//    hashes. Only the last record that counts may be unpublished. Either the one before it was published and synced
//    first, or the last one was made over the same state and supersedes it.
// J3 The marks say which records are known to be committed and published. They are written without a sync: a reader of
//    older marks repeats steps that are already done.
// J4 Damaged records that are known to be committed are reported, never skipped.
// J5 A journal that stays when its last session ends has durable marks, which say that each record is published. So no
//    later opening repeats a save over another program's edit.
// J6 If a write of the marks fails, the file may have the old marks, the new ones or neither. The journal must then be
//    found anew, so that nothing relies on either.

/// The redo log of one package, open for reading and writing.
package final class JournalFile {
  /// The place of the first record, after the header and the marks.
  static let start = JournalRecord.blockSize
  /// The bytes that are written once with zeros and then overwritten, so that a record costs one flush. Beyond them the
  /// journal starts again.
  package static let capacity = 1 << 20
  /// A journal has room for so many records of the next one's length, up to the largest capacity, if one alone makes it
  /// long. Each new start costs two flushes or more.
  private static let roomForLongRecords = 8
  private static let largestCapacity = 32 << 20
  /// The greatest length of a journal that stays with its records when its last session ends: those of some fifteen
  /// small saves. Each document may have such a file, and the next writer reads all of it.
  static let keptCapacity = 64 << 10
  /// A larger journal is not read.
  static let maximumSize = PackageLayout.maximumJournalSize

  /// The place and time at which the journal was made.
  struct Header: Hashable {
    /// A random number, so that parts of another journal are not taken for this one's.
    var identifier: UUID
    /// The inode of the package's directory.
    var inode: UInt64
    var born: FileTime?
    /// The boot in which the journal was made, for people who inspect a journal.
    var boot: UUID?

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
  private(set) var live: JournalRecord?
  /// The manifest batches of all records that count, in order.
  private(set) var batches: [ManifestBatch] = []
  /// The records that count and keep a version, in order.
  package private(set) var keeping: [JournalRecord] = []
  /// The identity of the file.
  let identity: FileIdentity

  private let file: OwnedDescriptor
  private let disk: any Disk
  /// The place of the next record.
  private var end: Int
  /// The number of bytes that were really written.
  private var length: Int
  private var sequence: UInt64
  private var checksum: ContentHash
  /// Whether the marks in the file are durable, as far as this object knows.
  private var hasDurableMarks = false

  private init(
    _ file: consuming OwnedDescriptor, _ identity: FileIdentity, _ header: Header, on disk: any Disk,
    _ marks: Marks, _ found: Scan, length: Int
  ) {
    self.file = file
    self.identity = identity
    self.header = header
    self.disk = disk
    self.marks = marks
    writtenMarks = marks.encoded
    self.length = length
    end = found.end
    sequence = found.record?.sequence ?? 0
    checksum = found.checksum
    if sequence < marks.committed {
      // Published records that cannot be read are not needed any more.
      sequence = marks.committed
      end = Self.start
      checksum = header.seed
    }
    batches = found.batches
    keeping = found.keeping
    live = found.record.flatMap { $0.sequence > marks.applied ? $0 : nil }
  }

  // MARK: Making

  /// Makes a journal whose first record is `record`, in the package's hidden folder.
  ///
  /// When it returns, the record is as durable as the folder's entry: the caller must sync the folder (J1).
  package static func make(
    _ record: inout JournalRecord, in folder: borrowing OwnedDescriptor, of package: FileStatus,
    on disk: any Disk
  ) throws(SystemError) -> JournalFile {
    let header = Header(
      identifier: .new, inode: package.identity.inode, born: package.born, boot: Environment.current.boot)
    record.sequence = 1
    var encoded = ByteWriter()
    let checksum = record.encode(to: &encoded, after: header.seed)
    let end = start + encoded.count
    let marks = Marks(committed: 1, applied: 0, end: UInt64(end))
    var whole = ByteWriter(capacity: end)
    header.encode(marks, to: &whole)
    encoded.withUnsafeBytes { whole.write($0) }
    let file = try disk.replace(PackageLayout.journal, by: PackageLayout.newJournal, in: folder) {
      file throws(SystemError) in try disk.write(whole, to: file, at: 0)
    }
    let identity = try disk.status(of: file).identity
    let scan = Scan(end: end, checksum: checksum, record: record)
    return JournalFile(file, identity, header, on: disk, marks, scan, length: end)
  }

  /// Encodes a journal with any content in its records, for tests of journals that other programs made.
  ///
  /// - Parameter records: of each record the body, the bytes of files, and the number of operations in its head.
  package static func encoded(
    _ records: [(body: [UInt8], contents: [[UInt8]], operations: Int)], from sequence: UInt64 = 1,
    committed: UInt64, applied: UInt64, inode: UInt64, born: FileTime?
  ) -> [UInt8] {
    let header = Header(identifier: UUID(), inode: inode, born: born)
    var (bytes, checksum) = ([UInt8](), header.seed)
    for (index, record) in records.enumerated() {
      let next = JournalRecord.framed(
        record.body, record.contents, operations: record.operations, sequence: sequence &+ UInt64(index),
        after: checksum)
      bytes += next.bytes
      checksum = next.checksum
    }
    let marks = Marks(committed: committed, applied: applied, end: UInt64(start + bytes.count))
    var beginning = ByteWriter(capacity: start)
    header.encode(marks, to: &beginning)
    return beginning.bytes + bytes
  }

  // MARK: Finding

  /// The result of a search for a journal.
  package enum Found {
    case nothing
    case journal(JournalFile)
    case damaged(String)
  }

  /// Returns whether each record of a journal is published, or there is no journal, without reading the records.
  ///
  /// False also for a journal that only `find(in:on:forWriting:)` can judge.
  package static func isClean(
    in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    let file: OwnedDescriptor
    do {
      file = try disk.openFile(PackageLayout.journal, in: folder)
    } catch {
      return error.code == .noSuchFileOrDirectory
    }
    let block = try disk.read(file, at: 0, atMost: start)
    guard block.count == start, Header(block[...]) != nil, let marks = Marks(block[Marks.offset...]),
      marks.applied == marks.committed, marks.committed > 0, marks.end <= UInt64(maximumSize)
    else { return false }
    // The program that committed a record may have been killed before it marked that. The record is after the marked
    // ones, or the journal has started again with it.
    for offset in Set([marks.end, UInt64(start)]) {
      let bytes = try disk.read(file, at: offset, atMost: JournalRecord.headLength)
      if let next = JournalRecord.Head(bytes[...], limit: maximumSize), next.sequence == marks.committed + 1 {
        return false
      }
    }
    return true
  }

  /// Finds the journal in a package's hidden folder. Reads no further than its records reach, however long the file is.
  package static func find(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, forWriting: Bool
  ) throws(SystemError) -> Found {
    let name = PackageLayout.journal
    guard let status = try disk.statusIfPresent(of: name, in: folder) else { return .nothing }
    guard status.kind == .file else { return .damaged("it is \(status.kind.words)") }
    guard status.size <= UInt64(maximumSize) else { return .damaged("it is larger than a journal can be") }
    let file: OwnedDescriptor
    do {
      if !forWriting {
        file = try disk.openFile(name, in: folder)
      } else if status.links > 1 {
        file = try disk.openOwnFile(name, copiedAs: PackageLayout.newJournal, in: folder)
      } else {
        file = try disk.openFileForWriting(name, in: folder)
      }
    } catch  where error.code == .noSuchFileOrDirectory {
      // Another program that had it open has just closed it in good order.
      return .nothing
    }
    let identity = try disk.status(of: file).identity
    let size = Int(clamping: identity.size)
    var beginning = FileBeginning(of: file, size: size, on: disk)
    guard try beginning.has(start), let header = Header(beginning.bytes[..<start]) else {
      return .damaged("it does not begin like a journal")
    }
    let marks = Marks(beginning.bytes[Marks.offset..<start]) ?? Marks()
    let scan = try Scan(&beginning, header)
    // An acknowledged save is never skipped (J4).
    if marks.applied < marks.committed, scan.record.map({ $0.sequence < marks.committed }) ?? true {
      return .damaged(
        scan.problem.map { "an acknowledged save in it cannot be read: \($0)" }
          ?? "an acknowledged save is missing in it")
    }
    return .journal(
      JournalFile(beginning.takeFile(), identity, header, on: disk, marks, scan, length: size))
  }

  /// Returns whether the file has what this object knows, and no other name.
  ///
  /// If false, it must be found anew: another program has written to it, a write of the marks failed (J6), or a copy of
  /// the package shares it.
  func isCurrent(in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    guard let writtenMarks, let now = try disk.statusIfPresent(of: PackageLayout.journal, in: folder),
      now.identity.isSameNode(as: identity), now.links <= 1
    else { return false }
    // A killed program may have left a record without a mark, after the others or at the beginning.
    let offset = UInt64(Marks.offset)
    let toFirst = Self.start - Marks.offset
    let found = try disk.read(file, at: offset, atMost: toFirst + JournalRecord.headLength)
    let head = try disk.read(file, at: UInt64(end), atMost: JournalRecord.headLength)
    guard found.starts(with: writtenMarks) else { return false }
    return ![found.dropFirst(toFirst), head[...]].contains { bytes in
      JournalRecord.Head(bytes, limit: Self.maximumSize)?.sequence == sequence + 1
    }
  }

  // MARK: Writing

  /// Returns whether the next record starts the journal again.
  ///
  /// The caller syncs the manifest and the history before that. False while a record waits to be published: nothing may
  /// overwrite a record that is still needed.
  func mustRestart(for record: JournalRecord, capacity: Int) -> Bool {
    if live != nil || end == Self.start { return false }
    let length = record.operations.reduce(0) { $0 + ($1.bytes?.count ?? 256) }
    var capacity = capacity
    if Self.start + length > Self.keptCapacity {
      capacity = max(capacity, min(Self.roomForLongRecords * length, Self.largestCapacity))
    }
    return end + length > capacity
  }

  /// Syncs the marks and starts again at the beginning.
  ///
  /// Space is used again only after the marks and the manifest are durable: the caller has synced the manifest.
  func restart() throws(SystemError) {
    try disk.synchronizeData(file)
    end = Self.start
    checksum = header.seed
    batches = []
    keeping = []
  }

  /// Commits a record: when it returns, the record is durable.
  ///
  /// Cost: one write and one fdatasync(2). If the journal has grown before, the blocks were written then, so that the
  /// file system has nothing else to flush. It grows twice: to the length that may stay, and to its capacity.
  ///
  /// - Throws: the system's reason. The journal must not be used after that. Whether the record is durable is unknown
  ///   until the journal's name is gone.
  func commit(_ record: inout JournalRecord, capacity: Int) throws(SystemError) {
    record.sequence = sequence + 1
    var encoded = ByteWriter()
    let next = record.encode(to: &encoded, after: checksum)
    try disk.write(encoded, to: file, at: UInt64(end))
    let newEnd = end + encoded.count
    if newEnd > length {
      let goal = max(newEnd, newEnd <= Self.keptCapacity ? min(Self.keptCapacity, capacity) : capacity)
      // Without room for the zeros, later records cost another flush.
      try? disk.write([UInt8](repeating: 0, count: goal - newEnd), to: file, at: UInt64(newEnd))
      length = goal
    }
    try disk.synchronizeData(file)
    end = newEnd
    sequence = record.sequence
    checksum = next
    live = record
    if let batch = record.batch { batches.note(batch) }
    keeping.note(record)
    marks.committed = sequence
    marks.end = UInt64(end)
    // The record is committed even if this write fails (J3).
    try? writeMarks()
  }

  /// Marks all records as published.
  func markApplied() throws(SystemError) {
    live = nil
    marks.applied = sequence
    marks.committed = sequence
    marks.end = UInt64(end)
    try writeMarks()
  }

  /// Syncs the marks.
  func checkpoint() throws(SystemError) {
    if hasDurableMarks { return }
    try disk.synchronizeData(file)
    hasDurableMarks = true
  }

  private func writeMarks() throws(SystemError) {
    hasDurableMarks = false
    writtenMarks = nil
    let encoded = marks.encoded
    try disk.write(encoded, to: file, at: UInt64(Marks.offset))
    writtenMarks = encoded
  }

  // MARK: Staying

  /// Makes the journal one that stays when its last session ends (J5).
  ///
  /// A long journal loses its records: the caller has synced the manifest and the history. The marks name the new end,
  /// so that another session that has the journal open finds it anew.
  func keep() throws(SystemError) {
    guard isLong else { return try checkpoint() }
    end = Self.start
    (marks.end, checksum, batches, keeping) = (UInt64(end), header.seed, [], [])
    try writeMarks()
    // A record that is marked as committed may be missing only if it is durably marked as published (J4).
    try checkpoint()
    try disk.resize(file, to: UInt64(end))
    length = end
  }

  /// Whether it is longer than a journal that stays with its records.
  var isLong: Bool { length > Self.keptCapacity }
}
