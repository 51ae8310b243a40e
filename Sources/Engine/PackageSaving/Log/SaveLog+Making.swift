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
    var marks = Marks(committed: sequence + (record == nil ? 0 : 1), applied: sequence)
    marks.end = UInt64(start + body.count)
    var whole = ByteWriter(capacity: start + body.count)
    header.encode(marks, facts, to: &whole)
    body.withUnsafeBytes { whole.write($0) }
    return whole.bytes
  }

  /// Makes the log of a package that is not in its place yet, with a note of every child.
  ///
  /// When it returns, the log is durable, except for its name.
  ///
  /// - Parameters:
  ///   - parent: the state before; `.none` for the first one.
  ///   - revision: the state of the children.
  static func make(
    noting children: [NotedChild], after parent: UUID = .none, at revision: UUID,
    in package: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) {
    var state = SavedState(parent: parent, revision: revision)
    (state.replacesEarlier, state.isComplete) = (true, true)
    state.rows = children.map { .init($0) }
    var ledger = Ledger()
    ledger.note(state)
    let contents = try contents(ledger, of: disk.status(of: package))
    try disk.makeDirectoryIfAbsent(PackageLayout.hidden, in: package)
    let hidden = try disk.openDirectory(PackageLayout.hidden, in: package)
    _ = try disk.makeFile(PackageLayout.log, in: hidden, mode: 0o666, contents)  // Nothing else goes into it.
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
    guard let content = try LogContent(LogBytes(.memory(contents), size: contents.count)),
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

extension SaveLog.Header {
  private static let magic = Array("DOCPKGL1".utf8)
  private static let length = 8 + 4 + 16 + 8 + 1 + 12

  /// A hash that the checksums of all records cover.
  var seed: ContentHash { ContentHash(of: identifier.bytes) }

  /// Writes the first block: the header, the marks, and the facts.
  func encode(_ marks: SaveLog.Marks, _ facts: [UInt8], to writer: inout ByteWriter) {
    let start = writer.count
    writer.write(Self.magic)
    writer.write(UInt32(1))
    writer.write(identifier)
    writer.write(inode)
    writer.write(UInt8(born == nil ? 0 : 1))
    writer.write(born ?? FileTime(seconds: 0, nanoseconds: 0))
    writer.write(writer.hash(from: start))
    writer.pad(to: SaveLog.Marks.offset)
    writer.write(marks.encoded)
    writer.pad(to: Ledger.Base.offset)
    writer.write(facts)
    writer.pad(to: SaveLog.start)
  }

  init?(_ block: ArraySlice<UInt8>) {
    var reader = ByteReader(block)
    do throws(ByteReader.Damage) {
      guard try reader.read(count: 8).elementsEqual(Self.magic), try reader.read(UInt32.self) == 1 else {
        return nil
      }
      identifier = UUID(bytes: try reader.read(count: 16))
      inode = try reader.read()
      let hasBorn = try reader.read(UInt8.self) == 1
      let time = try reader.readTime()
      born = hasBorn ? time : nil
      let written = try reader.read(count: ContentHash.count)
      guard ContentHash(bytes: written) == ContentHash(of: Array(block.prefix(Self.length))) else {
        return nil
      }
    } catch {
      return nil
    }
  }
}

extension SaveLog.Marks {
  /// The place of the marks, in a sector of their own.
  static let offset = 512
  static let length = 8 + 8 + 8 + ContentHash.count

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.length)
    writer.write(committed)
    writer.write(applied)
    writer.write(end)
    writer.write(writer.hash(from: 0))
    return writer.bytes
  }

  /// Decodes marks; nil if they were torn or are not ours. Then the log does not say what is committed and
  /// published.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    do throws(ByteReader.Damage) {
      self.init(committed: try reader.read(), applied: try reader.read(), end: try reader.read())
      guard
        ContentHash(bytes: try reader.read(count: ContentHash.count))
          == ContentHash(of: Array(bytes.prefix(24))),
        applied <= committed, committed < SaveRecord.maximumSequence / 2
      else { return nil }
    } catch {
      return nil
    }
  }
}
