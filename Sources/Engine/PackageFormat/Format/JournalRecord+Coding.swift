import DurableIO

// A record: a head of fixed length, the operations, the bytes of small files one after the other, zeros up to the
// next block. The checksum in the head covers the journal's identity, the operations and, through the hashes in them,
// the bytes. It does not cover the record before, so that each record can be read without the others.

extension JournalRecord {
  static let magic: UInt32 = 0x4345_5244  // DREC
  package static let headLength = 4 + 4 + 8 + 8 + 8 + ContentHash.count
  /// Records begin at multiples of this.
  package static let blockSize = 4096
  /// More operations than a save can have.
  static let maximumOperations = 1 << 22
  /// More records than a journal can have, and far below the largest number.
  package static let maximumSequence: UInt64 = 1 << 62

  private enum Flag {
    package static let state: UInt8 = 1
    package static let version: UInt8 = 4
  }

  // MARK: Writing

  /// Writes the record, with zeros up to the next block, and returns its checksum.
  ///
  /// - Parameter log: a hash of the journal's identifier, so that no record of another journal counts.
  package func encode(to writer: inout ByteWriter, in log: ContentHash) -> ContentHash {
    let contents = operations.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
    writer.reserve(Self.headLength + contents + 256 * operations.count + Self.blockSize)
    return Self.frame(
      operations: operations.count, sequence: sequence, contents: contents, in: log, to: &writer,
      body: { encodeBody(to: &$0) },
      bytes: { writer in
        for operation in operations { if let bytes = operation.bytes { writer.write(bytes) } }
      })
  }

  /// The operations, the version, and the notes about the children.
  package var encodedBody: [UInt8] {
    var body = ByteWriter()
    encodeBody(to: &body)
    return body.bytes
  }

  private func encodeBody(to writer: inout ByteWriter) {
    for operation in operations { operation.encode(to: &writer) }
    let version = encodedVersion
    writer.write((state == nil ? 0 : Flag.state) | (version == nil ? 0 : Flag.version))
    if let version {
      writer.write(UInt32(truncatingIfNeeded: version.count))
      writer.write(version)
    }
    state?.encode(to: &writer)
  }

  /// The version as bytes; nil if the record has none. A version that cannot be written was refused before that.
  private var encodedVersion: [UInt8]? {
    guard let version else { return nil }
    var writer = ByteWriter()
    guard (try? version.encode(to: &writer)) != nil else { return nil }
    return writer.bytes
  }

  /// Puts the head before a body and the bytes of files, and zeros after them.
  package static func framed(
    _ body: [UInt8], _ contents: [[UInt8]], operations: Int, sequence: UInt64, in log: ContentHash
  ) -> (bytes: [UInt8], checksum: ContentHash) {
    var writer = ByteWriter()
    let checksum = frame(
      operations: operations, sequence: sequence, contents: contents.reduce(0) { $0 + $1.count },
      in: log, to: &writer, body: { $0.write(body) },
      bytes: { writer in for bytes in contents { writer.write(bytes) } })
    return (writer.bytes, checksum)
  }

  private static func frame(
    operations: Int, sequence: UInt64, contents: Int, in log: ContentHash,
    to writer: inout ByteWriter, body: (inout ByteWriter) -> Void, bytes: (inout ByteWriter) -> Void
  ) -> ContentHash {
    let start = writer.count
    writer.write(magic)
    writer.write(UInt32(truncatingIfNeeded: operations))
    writer.write(sequence)
    let length = writer.count
    writer.write(UInt64(0))
    writer.write(UInt64(contents))
    let end = writer.count
    writer.writeZeros(ContentHash.count)
    let beginning = writer.count
    body(&writer)
    writer.overwrite(at: length, UInt64(writer.count - beginning))
    let checksum = writer.withUnsafeBytes { written in
      Self.checksum(written[start..<end], written[beginning...], in: log)
    }
    writer.overwrite(at: end, checksum)
    bytes(&writer)
    writer.writeZeros(-(writer.count - start) & (blockSize - 1))
    return checksum
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

  // MARK: Reading

  /// The head of a record, which has the record's length.
  package struct Head {
    var operationCount: Int
    package var sequence: UInt64
    package var bodyLength: Int
    var contentsLength: Int
    package var checksum: ContentHash
    fileprivate var bytes: ArraySlice<UInt8>

    /// The length of the record, with the zeros at its end.
    package var length: Int {
      let length = JournalRecord.headLength + bodyLength + contentsLength
      return (length + blockSize - 1) / blockSize * blockSize
    }

    /// Returns whether the bytes, a head and the operations after it, have the checksum in the head.
    package func isOf(_ record: ArraySlice<UInt8>, in log: ContentHash) -> Bool {
      bytes.withUnsafeBytes { head in
        record.dropFirst(JournalRecord.headLength).withUnsafeBytes { body in
          JournalRecord.checksum(head[...], body[...], in: log) == checksum
        }
      }
    }

    /// Decodes a head; nil if no record begins here, or if it would not fit into `limit` bytes.
    package init?(_ bytes: ArraySlice<UInt8>, limit: Int) {
      var reader = ByteReader(bytes)
      do throws(ByteReader.Damage) {
        guard try reader.read(UInt32.self) == JournalRecord.magic else { return nil }
        operationCount = Int(try reader.read(UInt32.self))
        sequence = try reader.read()
        let (body, contents) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
        guard body <= UInt64(limit), contents <= UInt64(limit), operationCount <= maximumOperations,
          sequence <= maximumSequence,
          JournalRecord.headLength + Int(body) + Int(contents) <= limit,
          let checksum = ContentHash(bytes: try reader.read(count: ContentHash.count))
        else { return nil }
        (bodyLength, contentsLength, self.checksum) = (Int(body), Int(contents), checksum)
        self.bytes = bytes.prefix(JournalRecord.headLength - ContentHash.count)
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
    let body = try reader.read(count: head.bodyLength)
    sequence = head.sequence
    var operations = ByteReader(body)
    var contents = ByteReader(try reader.read(count: head.contentsLength))
    var places = OperationPaths()
    for _ in 0..<head.operationCount {
      let operation = try Operation(&operations, &contents)
      try places.add(operation)
      self.operations.append(operation)
    }
    let flags = try operations.read(UInt8.self)
    if flags & Flag.version != 0 {
      var bytes = ByteReader(try operations.read(count: Int(try operations.read(UInt32.self))))
      let version = try VersionRecord(&bytes)
      guard bytes.remaining == 0 else { throw .init(words: "its version is longer than it says") }
      self.version = version
    }
    if flags & Flag.state != 0 { state = try SavedState(&operations) }
    guard operations.remaining == 0, contents.remaining == 0 else {
      throw .init(words: "it is longer than it says")
    }
  }

  /// A check that no two operations of one kind are about one place.
  ///
  /// Except `Metadata.plist`, no operation may be about a place of the library's own. The check looks at operations one
  /// by one, so that a record full of one place stays small.
  private struct OperationPaths {
    private var files: Set<PackagePath> = []
    private var folders: Set<PackagePath> = []
    private var attributes: Set<PackagePath> = []

    package mutating func add(_ operation: JournalRecord.Operation) throws(ByteReader.Damage) {
      let path = operation.path
      let isAttributes = if case .setAttributes = operation.action { true } else { false }
      if path.isRoot && !isAttributes || path.names.first == PackageLayout.hidden {
        throw .init(words: "it has an operation on a place that no save changes")
      }
      let isNew =
        switch operation.action {
        case .put, .remove: files.insert(path).inserted
        case .makeFolder, .removeFolder: folders.insert(path).inserted
        case .setAttributes: attributes.insert(path).inserted
        }
      if !isNew { throw .init(words: "it has two operations on one place") }
    }
  }
}

extension JournalRecord.Operation {
  private enum Code {
    static let put: UInt8 = 1
    package static let remove: UInt8 = 2
    static let setAttributes: UInt8 = 3
    static let makeFolder: UInt8 = 4
    static let removeFolder: UInt8 = 5
  }

  private enum Flag {
    package static let bytes: UInt8 = 1
    static let exactMode: UInt8 = 2
  }

  /// The bytes of the child in the record.
  package var bytes: [UInt8]? {
    if case .put(let staged) = action { staged.bytes } else { nil }
  }

  fileprivate func encode(to writer: inout ByteWriter) {
    switch action {
    case .put: writer.write(Code.put)
    case .remove: writer.write(Code.remove)
    case .setAttributes: writer.write(Code.setAttributes)
    case .makeFolder: writer.write(Code.makeFolder)
    case .removeFolder: writer.write(Code.removeFolder)
    }
    writer.writeShort(path.bytes)
    writer.write(UInt8(old == nil ? 0 : 1))
    if let old { old.encode(to: &writer) }
    switch action {
    case .put(let staged):
      writer.writeShort(staged.name.bytes)
      staged.node.encode(to: &writer)
      writer.write(staged.mode)
      writer.write((staged.bytes == nil ? 0 : Flag.bytes) | (staged.modeIsExact ? Flag.exactMode : 0))
      if let bytes = staged.bytes { writer.write(UInt64(bytes.count)) }
    case .remove(let name):
      writer.writeShort(name.bytes)
    case .makeFolder(let mode), .removeFolder(let mode):
      writer.write(mode)
    case .setAttributes(let mode, let modified):
      writer.write(UInt8((mode == nil ? 0 : 1) | (modified == nil ? 0 : 2)))
      writer.write(mode ?? 0)
      writer.write(modified ?? FileTime(seconds: 0, nanoseconds: 0))
    }
  }

  fileprivate init(_ reader: inout ByteReader, _ contents: inout ByteReader) throws(ByteReader.Damage) {
    let code = try reader.read(UInt8.self)
    path = try reader.readPath()
    old = try reader.read(UInt8.self) == 0 ? nil : JournalRecord.Known(&reader)
    switch code {
    case Code.put:
      let name = try Self.name(&reader)
      let node = try JournalRecord.Known(&reader)
      var staged = JournalRecord.Staged(name: name, node: node, mode: try reader.read() & 0o7777)
      let flags = try reader.read(UInt8.self)
      staged.modeIsExact = flags & Flag.exactMode != 0
      if flags & Flag.bytes != 0 {
        let count = try reader.read(UInt64.self)
        guard count == node.size, count <= UInt64(contents.remaining) else {
          throw .init(words: "the size of its bytes is wrong")
        }
        let bytes = Array(try contents.read(count: Int(count)))
        guard ContentHash(of: bytes) == node.content else {
          throw .init(words: "the bytes for a child are damaged")
        }
        staged.bytes = bytes
      }
      action = .put(staged)
    case Code.remove: action = .remove(try Self.name(&reader))
    case Code.makeFolder: action = .makeFolder(mode: try reader.read() & 0o777)
    case Code.removeFolder: action = .removeFolder(mode: try reader.read() & 0o777)
    case Code.setAttributes:
      let flags = try reader.read(UInt8.self)
      let mode = try reader.read(UInt16.self) & 0o7777
      let modified = try reader.readTime()
      action = .setAttributes(mode: flags & 1 == 0 ? nil : mode, modified: flags & 2 == 0 ? nil : modified)
    default: throw .init(words: "it has an unknown operation")
    }
  }

  private static func name(_ reader: inout ByteReader) throws(ByteReader.Damage) -> FileName {
    let name = FileName(bytes: Array(try reader.readShort()))
    guard name.problem == nil else { throw .init(words: "it has an invalid name") }
    return name
  }
}

extension JournalRecord.Known {
  fileprivate func encode(to writer: inout ByteWriter) {
    writer.write(kind.rawValue)
    writer.write(inode)
    writer.write(size)
    writer.write(modified)
    writer.write(UInt8(content == nil ? 0 : 1))
    if let content { writer.write(content) }
  }

  fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    kind = try reader.readKind()
    if kind == .directory { throw .init(words: "it has a folder in the place of a file") }
    inode = try reader.read()
    size = try reader.read()
    modified = try reader.readTime()
    content =
      try reader.read(UInt8.self) == 0 ? nil : ContentHash(bytes: reader.read(count: ContentHash.count))
  }
}
