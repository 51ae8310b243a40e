package import DurableIO
package import FoundationEssentials

/// One save of a package, as the log has it: enough to do it again, and to take it back.
///
/// A head of fixed length, the body, the bytes of small files one after the other, zeros up to the next block. The
/// checksum in the head covers the log's identity, the body and, through the hashes in it, the bytes. It does not
/// cover the record before, so that each record can be read without the others.
package struct SaveRecord: Sendable {
  /// The number of the record in its log.
  package var sequence: UInt64 = 0
  /// A random number for the names of staged files.
  package let token: UInt64
  /// The metadata of the state that the save makes, from which its `Metadata.plist` is made; nil for a package without
  /// metadata.
  package var metadata: PackageMetadata?
  /// The metadata of the version that the save replaces; nil if it keeps none.
  package var replaced: PackageMetadata?
  package var changes = Changes()

  package init(token: UInt64) { self.token = token }

  /// Whether the save keeps the version that it replaces.
  package var keepsVersion: Bool { replaced != nil }

  /// The state that the save was made over; all zeros for the first one.
  package var parent: UUID { metadata?.parentRevisions.first ?? .none }

  /// The save's notes about the children; nil for a package without metadata.
  package var state: SavedState? { metadata.map { changes.state(from: parent, to: $0.revision) } }

  /// The version that the save replaces; nil if it is not kept.
  package var version: VersionRecord? {
    guard let replaced, let metadata else { return nil }
    var version = VersionRecord(replaced, next: metadata.revision)
    version.rows = changes.versionRows
    return version
  }

  /// Makes `Metadata.plist` from the metadata.
  ///
  /// - Throws: the reason if a value cannot be written.
  package mutating func makePlist() throws {
    guard let metadata else { return }
    for position in changes.rows.indices where isPlist(changes[position]) {
      changes[position].setBytes(try metadata.encodedBytes())
    }
  }

  /// Returns whether a row puts the record's `Metadata.plist`.
  package func isPlist(_ row: Change) -> Bool {
    metadata != nil && row.puts && row.path.names == [PackageLayout.metadata]
  }

  /// The place and the reason for which no program could read the record; nil if every program can.
  package var problem: (path: PackagePath, words: String)? {
    if changes.rows.count > Self.maximumRows {
      return (.root, "it has more than \(Self.maximumRows) changes")
    }
    if let metadata, metadata.generation > PackageMetadata.maximumNumber {
      return (.root, "its generation is the largest number")
    }
    // A file system may have longer names than a log, and another program's folders may be deeper.
    for row in changes.rows {
      if row.path.names.count > PackagePath.maximumDepth + 1 {
        return (row.path, "it is in more than \(PackagePath.maximumDepth) folders")
      }
      for name in row.path.names { if let problem = name.problem { return (row.path, problem.words) } }
    }
    return nil
  }

  /// The name of a staged file.
  package func name(_ index: Int) -> FileName { FileName("\(String(token, radix: 16))-\(index)") }
}

// MARK: - As bytes

extension SaveRecord {
  static let magic: UInt32 = 0x4345_5244  // DREC
  package static let headLength = 4 + 4 + 8 + 8 + 8 + ContentHash.count
  /// Records begin at multiples of this.
  package static let blockSize = 4096
  /// More rows than a save can have.
  static let maximumRows = 1 << 22
  /// More records than a log can have, and far below the largest number.
  package static let maximumSequence: UInt64 = 1 << 62

  private enum Flag {
    static let metadata: UInt8 = 1
    static let replaced: UInt8 = 2
    static let isComplete: UInt8 = 4
  }

  /// The bytes of a row that the record holds: not those of `Metadata.plist`, which are made from the metadata.
  private func bytes(of row: Change) -> [UInt8]? { isPlist(row) ? nil : row.bytes }

  /// Writes the record, with zeros up to the next block.
  ///
  /// - Parameter log: a hash of the log's identifier, so that no record of another log counts.
  package func encode(to writer: inout ByteWriter, in log: ContentHash) throws(ByteReader.Damage) {
    let length = changes.rows.reduce(0) { $0 + (bytes(of: $1)?.count ?? 0) }
    writer.reserve(Self.headLength + length + 256 * changes.rows.count + Self.blockSize)
    let start = writer.count
    writer.write(Self.magic)
    writer.write(UInt32(truncatingIfNeeded: changes.rows.count))
    writer.write(sequence)
    let bodyLength = writer.count
    writer.write(UInt64(0))
    writer.write(UInt64(length))
    let end = writer.count
    writer.writeZeros(ContentHash.count)
    let body = writer.count
    try encodeBody(to: &writer)
    writer.overwrite(at: bodyLength, UInt64(writer.count - body))
    let checksum = writer.withUnsafeBytes { Self.checksum($0[start..<end], $0[body...], in: log) }
    writer.overwrite(at: end, checksum)
    for row in changes.rows { if let bytes = bytes(of: row) { writer.write(bytes) } }
    writer.writeZeros(-(writer.count - start) & (Self.blockSize - 1))
  }

  /// Writes the metadata, and the rows.
  package func encodeBody(to writer: inout ByteWriter) throws(ByteReader.Damage) {
    writer.write(token)
    writer.write(
      (metadata == nil ? 0 : Flag.metadata) | (replaced == nil ? 0 : Flag.replaced)
        | (changes.isComplete ? Flag.isComplete : 0))
    try metadata?.encode(to: &writer)
    try replaced?.encode(to: &writer)
    for row in changes.rows { row.encode(to: &writer, holdsBytes: bytes(of: row) != nil) }
  }

  private static func checksum(
    _ head: Slice<UnsafeRawBufferPointer>, _ body: Slice<UnsafeRawBufferPointer>, in log: ContentHash
  ) -> ContentHash {
    var hash = SHA256()
    hash.update(log)
    hash.update(UnsafeRawBufferPointer(rebasing: head))
    hash.update(UnsafeRawBufferPointer(rebasing: body))
    return hash.finalize()
  }

  /// The head of a record, which has the record's length.
  package struct Head {
    var rowCount: Int
    package var sequence: UInt64
    package var bodyLength: Int
    var contentsLength: Int
    package var checksum: ContentHash
    fileprivate var bytes: ArraySlice<UInt8>

    /// The length of the record, with the zeros at its end.
    package var length: Int {
      let length = SaveRecord.headLength + bodyLength + contentsLength
      return (length + blockSize - 1) / blockSize * blockSize
    }

    /// Returns whether the bytes, a head and the body after it, have the checksum in the head.
    package func isOf(_ record: ArraySlice<UInt8>, in log: ContentHash) -> Bool {
      bytes.withUnsafeBytes { head in
        record.dropFirst(SaveRecord.headLength).withUnsafeBytes { body in
          SaveRecord.checksum(head[...], body[...], in: log) == checksum
        }
      }
    }

    /// Decodes a head; nil if no record begins here, or if it would not fit into `limit` bytes.
    package init?(_ bytes: ArraySlice<UInt8>, limit: Int) {
      var reader = ByteReader(bytes)
      do throws(ByteReader.Damage) {
        guard try reader.read(UInt32.self) == SaveRecord.magic else { return nil }
        rowCount = Int(try reader.read(UInt32.self))
        sequence = try reader.read()
        let (body, contents) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
        guard body <= UInt64(limit), contents <= UInt64(limit), rowCount <= maximumRows,
          sequence <= maximumSequence,
          SaveRecord.headLength + Int(body) + Int(contents) <= limit,
          let checksum = ContentHash(bytes: try reader.read(count: ContentHash.count))
        else { return nil }
        (bodyLength, contentsLength, self.checksum) = (Int(body), Int(contents), checksum)
        self.bytes = bytes.prefix(SaveRecord.headLength - ContentHash.count)
      } catch {
        return nil
      }
    }
  }

  /// Decodes a whole record whose head has the right checksum.
  ///
  /// - Throws: the damage; nothing of the record counts then.
  package init(_ bytes: ArraySlice<UInt8>, _ head: Head) throws(ByteReader.Damage) {
    var reader = ByteReader(bytes)
    _ = try reader.read(count: Self.headLength)
    var body = ByteReader(try reader.read(count: head.bodyLength))
    var contents = ByteReader(try reader.read(count: head.contentsLength))
    self.init(token: try body.read())
    sequence = head.sequence
    let flags = try body.read(UInt8.self)
    if flags & Flag.metadata != 0 { metadata = try PackageMetadata(&body) }
    if flags & Flag.replaced != 0 { replaced = try PackageMetadata(&body) }
    var rows: [Change] = []
    for index in 0..<head.rowCount {
      var row = try Change(&body, &contents)
      // In order, so that a record full of one place stays small.
      if let last = rows.last, !(last.path < row.path) { throw .init(words: "its rows are not in order") }
      row.name = name(index)
      rows.append(row)
    }
    changes = Changes(rows, isComplete: flags & Flag.isComplete != 0)
    guard (try? makePlist()) != nil else { throw .init(words: "its metadata cannot be written") }
    guard body.remaining == 0, contents.remaining == 0 else {
      throw .init(words: "it is longer than it says")
    }
  }
}

extension Change {
  private enum Flag {
    static let work: UInt8 = 3
    static let isNotedUnknown: UInt8 = 4
    static let exactMode: UInt8 = 8
    static let date: UInt8 = 16
    static let bytes: UInt8 = 32
  }

  fileprivate mutating func setBytes(_ bytes: [UInt8]) {
    self.bytes = bytes
    new?.size = UInt64(bytes.count)
    new?.content = ContentHash(of: bytes)
  }

  fileprivate func encode(to writer: inout ByteWriter, holdsBytes: Bool) {
    writer.writeShort(path.bytes)
    writer.write(
      work.rawValue | (isNotedKnown ? 0 : Flag.isNotedUnknown) | (modeIsExact ? Flag.exactMode : 0)
        | (hasDate ? Flag.date : 0) | (holdsBytes ? Flag.bytes : 0))
    writer.write(noted.map { Entry($0) })
    writer.write(found)
    writer.write(new)
  }

  fileprivate init(_ reader: inout ByteReader, _ contents: inout ByteReader) throws(ByteReader.Damage) {
    self.init(try reader.readPath())
    let flags = try reader.read(UInt8.self)
    guard let work = Work(rawValue: flags & Flag.work) else { throw .init(words: "it has an unknown step") }
    self.work = work
    (isNotedKnown, modeIsExact) = (flags & Flag.isNotedUnknown == 0, flags & Flag.exactMode != 0)
    hasDate = flags & Flag.date != 0
    noted = try reader.readEntry()?.noted(at: path)
    found = try reader.readEntry()
    new = try reader.readEntry()
    if path.isRoot && work != .attributes || path.names.first == PackageLayout.hidden {
      throw .init(words: "it has a row for a place that no save changes")
    }
    if flags & Flag.bytes != 0 {
      guard let new, new.size <= UInt64(contents.remaining) else {
        throw .init(words: "the size of its bytes is wrong")
      }
      let bytes = Array(try contents.read(count: Int(new.size)))
      guard ContentHash(of: bytes) == new.content else {
        throw .init(words: "the bytes for a child are damaged")
      }
      self.bytes = bytes
    }
  }
}
