import Crypto
package import DurableIO
import FoundationEssentials
import SystemPackage

// (1) A journal comes to its name whole: made under another one, synchronised, renamed. One that does not begin
//     as it should is damaged.
// (2) A record counts when its checksum, chained to the one before it, is right and all bytes in it have the
//     hashes that it names. The last one that counts is the only one that may still have to be published: the
//     one before was published and synchronised before it was written, or the last one was made over the same
//     state and takes its place.
// (3) The marks say how far the journal is known to be committed and applied. They are written without being
//     synchronised: whoever finds older ones does something again that is done already.
// (4) Records that are known to be committed and are damaged are reported, never skipped.
// (5) Space is used again only after the marks and the manifest are on the medium.

/// The redo log of one package, open for reading and writing.
package final class JournalFile {
  /// Records begin here, after the header and the marks.
  static let start = JournalRecord.blockSize
  /// So much is written once with zeros and then overwritten, which costs one flush a record; beyond it the
  /// journal starts again.
  package static let capacity = 1 << 20
  /// A journal beyond this is not read.
  static let maximumSize = 1 << 30

  /// What the journal says of where and when it was made.
  struct Header: Hashable {
    /// A random number, so that nothing of another journal is taken for a part of this one.
    var identifier: UUID
    /// The package's directory.
    var inode: UInt64
    var born: FileTime?
    /// The boot of the system that it was made in, for whoever looks at a journal by hand.
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
    /// Where the last committed record ends.
    var end: UInt64 = 0
  }

  let header: Header
  private(set) var marks: Marks
  /// The last record that counts, unless it is applied.
  private(set) var live: JournalRecord?
  /// The batches for the manifest in all records that count, in order.
  private(set) var batches: [ManifestBatch] = []
  /// The records that count and keep a version, in order.
  private(set) var keeping: [JournalRecord] = []
  /// Which file it is.
  let identity: FileIdentity

  private let file: OwnedDescriptor
  private let disk: any Disk
  /// Where the next record goes.
  private var end: Int
  /// How far the file was really written.
  private var length: Int
  private var sequence: UInt64
  private var checksum: ContentHash

  private init(
    _ file: consuming OwnedDescriptor, _ identity: FileIdentity, _ header: Header, on disk: any Disk,
    _ marks: Marks, _ found: Scan, length: Int
  ) {
    self.file = file
    self.identity = identity
    self.header = header
    self.disk = disk
    self.marks = marks
    self.length = length
    end = found.end
    sequence = found.record?.sequence ?? 0
    checksum = found.checksum
    if sequence < marks.committed {
      // Applied records that cannot be read are not needed any more.
      sequence = marks.committed
      end = Self.start
      checksum = header.seed
    }
    batches = found.batches
    keeping = found.keeping
    live = found.record.flatMap { $0.sequence > marks.applied ? $0 : nil }
  }

  // MARK: Making

  /// Makes a journal whose first record is `record`, in the package's hidden folder. When it returns, the record
  /// is committed as far as the folder's entry is: the caller has to synchronise the folder.
  static func make(
    _ record: inout JournalRecord, in folder: borrowing OwnedDescriptor, of package: FileStatus,
    on disk: any Disk
  ) throws(SystemError) -> JournalFile {
    let name = PackageLayout.newJournal
    if try disk.exists(name, in: folder) { try disk.removeFile(name, in: folder) }
    let file = try disk.createFile(name, in: folder, mode: 0o666)
    do {
      let header = Header(
        identifier: UUID(), inode: package.identity.inode, born: package.born, boot: Self.boot)
      record.sequence = 1
      let (bytes, checksum) = record.encoded(after: header.seed)
      let end = start + bytes.count
      let marks = Marks(committed: 1, applied: 0, end: UInt64(end))
      try disk.write(header.encoded(marks) + bytes, to: file, at: 0)
      try disk.synchronize(file)
      try disk.rename(name, in: folder, to: PackageLayout.journal, in: folder, .replace)
      let identity = try disk.status(of: file).identity
      let scan = Scan(end: end, checksum: checksum, record: record)
      return JournalFile(file, identity, header, on: disk, marks, scan, length: end)
    } catch {
      // What is left under the name for new journals is nothing yet, and the next one takes its place.
      try? disk.removeFile(name, in: folder)
      throw error
    }
  }

  private static let boot: UUID? = {
    guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else {
      return nil
    }
    return UUID(uuidString: String(text.prefix(36)))
  }()

  /// A journal as it is on disk, with whatever is in its records: for tests of journals that others made.
  ///
  /// - Parameter records: the body of each, the bytes of files, and how many operations it says it has.
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
    return header.encoded(marks) + bytes
  }

  // MARK: Finding

  /// What is found in a package's hidden folder.
  enum Found {
    case nothing
    case journal(JournalFile)
    case damaged(String)
  }

  /// Looks for the journal in a package's hidden folder. Reads no further than its records reach, however long it is.
  static func find(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, forWriting: Bool
  ) throws(SystemError) -> Found {
    let name = PackageLayout.journal
    guard let status = try disk.statusIfPresent(of: name, in: folder) else { return .nothing }
    guard status.kind == .file else { return .damaged("it is \(status.kind.words)") }
    guard status.size <= UInt64(maximumSize) else { return .damaged("it is larger than a journal can be") }
    let file: OwnedDescriptor
    do {
      file = forWriting ? try disk.openFileForWriting(name, in: folder) : try disk.openFile(name, in: folder)
    } catch  where error.code == .noSuchFileOrDirectory {
      // Whoever had it open has just been closed in good order.
      return .nothing
    }
    let size = Int(clamping: try disk.status(of: file).size)
    var beginning = FileBeginning(of: file, size: size, on: disk)
    guard try beginning.has(start), let header = Header(beginning.bytes[..<start]) else {
      return .damaged("it does not begin as a journal does")
    }
    let marks = Marks(beginning.bytes[Marks.offset..<start]) ?? Marks()
    let scan = try Scan(&beginning, header)
    // (4)
    if marks.applied < marks.committed, scan.record.map({ $0.sequence < marks.committed }) ?? true {
      return .damaged(
        scan.problem.map { "a save that was acknowledged cannot be read in it: \($0)" }
          ?? "a save that was acknowledged is missing in it")
    }
    return .journal(
      JournalFile(beginning.takeFile(), status.identity, header, on: disk, marks, scan, length: size))
  }

  /// The records that count.
  private struct Scan {
    var end: Int
    var checksum: ContentHash
    var record: JournalRecord?
    var batches: [ManifestBatch] = []
    var keeping: [JournalRecord] = []
    /// Why the next record does not count, where one begins.
    var problem: String?

    init(end: Int, checksum: ContentHash, record: JournalRecord) {
      self.end = end
      self.checksum = checksum
      self.record = record
      batches = record.batch.map { [$0] } ?? []
      keeping.note(record)
    }

    init(_ file: inout FileBeginning, _ header: Header) throws(SystemError) {
      end = start
      checksum = header.seed
      while try file.has(end + JournalRecord.headLength) {
        guard let head = JournalRecord.Head(file.bytes[end...], limit: file.size - end),
          record.map({ head.sequence == $0.sequence + 1 }) ?? true
        else { break }
        // What the head says of the bytes of files is believed once its checksum is right.
        let operations = end + JournalRecord.headLength + head.bodyLength
        guard try file.has(operations), head.isOf(file.bytes[end..<operations], after: checksum) else {
          problem = "its checksum is another"
          break
        }
        _ = try file.has(min(file.size, end + head.length))
        do throws(ByteReader.Damage) {
          let next = try JournalRecord(file.bytes[end...], head)
          record = next
          if let batch = next.batch { batches.note(batch) }
          keeping.note(next)
          checksum = head.checksum
          end += head.length
        } catch {
          problem = error.words
          break
        }
      }
    }
  }

  /// Whether nobody else has written to it since this object last did; otherwise it has to be found anew.
  func isCurrent(in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    guard let now = try disk.statusIfPresent(of: PackageLayout.journal, in: folder),
      now.identity.isSameNode(as: identity)
    else { return false }
    // Somebody who was killed may have committed a record and not have marked it.
    let offset = UInt64(Marks.offset)
    let found = try disk.read(file, at: offset, atMost: Marks.length)
    let head = try disk.read(file, at: UInt64(end), atMost: JournalRecord.headLength)
    guard Marks(found[...]) == marks else { return false }
    guard let next = JournalRecord.Head(head[...], limit: Self.maximumSize) else { return true }
    return next.sequence != sequence + 1
  }

  // MARK: Writing

  /// Whether the next record starts the journal again, before which `checkpoint()` and the manifest's
  /// synchronisation are due. Not while one waits in it: what is written over must not be needed any more.
  func mustRestart(for record: JournalRecord, capacity: Int) -> Bool {
    live == nil && end > Self.start
      && end + record.operations.reduce(0) { $0 + ($1.bytes?.count ?? 256) } > capacity
  }

  /// Starts again at the beginning. (5)
  func restart() throws(SystemError) {
    try disk.synchronizeData(file)
    end = Self.start
    checksum = header.seed
    batches = []
    keeping = []
  }

  /// Commits a record: when it returns, the record survives a power cut.
  ///
  /// Cost: one write and one fdatasync(2); of blocks that were written before where the journal has grown to
  /// its capacity, so that the file system has nothing else to flush.
  ///
  /// - Throws: the journal is then not to be used any more, and whether the record is on the medium is not
  ///   known before the journal's name is gone.
  func commit(_ record: inout JournalRecord, capacity: Int) throws(SystemError) {
    record.sequence = sequence + 1
    let (bytes, next) = record.encoded(after: checksum)
    try disk.write(bytes, to: file, at: UInt64(end))
    let newEnd = end + bytes.count
    if newEnd > length {
      let goal = max(newEnd, capacity)
      // Where there is no room for it, later records cost another flush.
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
    // (3) The record is committed whether or not this can be written.
    try? writeMarks()
  }

  /// Notes that everything in it is published.
  func markApplied() throws(SystemError) {
    live = nil
    marks.applied = sequence
    marks.committed = sequence
    marks.end = UInt64(end)
    try writeMarks()
  }

  /// Puts the marks on the medium.
  func checkpoint() throws(SystemError) {
    try disk.synchronizeData(file)
  }

  private func writeMarks() throws(SystemError) {
    try disk.write(marks.encoded, to: file, at: UInt64(Marks.offset))
  }
}

extension [ManifestBatch] {
  /// Adds the batch of the next record; of two that were made over the same state the later one counts.
  fileprivate mutating func note(_ batch: ManifestBatch) {
    if last?.parent == batch.parent { removeLast() }
    append(batch)
  }
}

extension [JournalRecord] {
  /// Adds the next record where it keeps a version, without the bytes of files; of two that were made over the same
  /// state the later one counts.
  fileprivate mutating func note(_ record: JournalRecord) {
    guard let version = record.version else { return }
    if last?.version?.revision == version.revision { removeLast() }
    var record = record
    for index in record.operations.indices {
      guard case .put(var staged) = record.operations[index].action else { continue }
      staged.bytes = nil
      record.operations[index].action = .put(staged)
    }
    append(record)
  }
}
