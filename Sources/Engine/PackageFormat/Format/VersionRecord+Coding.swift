import DurableIO
package import FoundationEssentials

// The encoding of a version in the journal. Only the application's values are a property list.

extension VersionRecord {
  private enum Flag {
    static let discardable: UInt8 = 1
  }

  package func encode(to writer: inout ByteWriter) throws(ByteReader.Damage) {
    writer.write(next)
    writer.write(isDiscardable ? Flag.discardable : 0)
    try metadata.encode(to: &writer)
    writer.write(UInt32(truncatingIfNeeded: rows.count))
    for row in rows { row.encode(to: &writer) }
  }

  package init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    let next = UUID(bytes: try reader.read(count: 16))
    let flags = try reader.read(UInt8.self)
    self.init(try PackageMetadata(&reader), next: next)
    isDiscardable = flags & Flag.discardable != 0
    let count = Int(try reader.read(UInt32.self))
    guard count <= reader.remaining else { throw .init(words: "it has more rows than bytes") }
    rows.reserveCapacity(count)
    for _ in 0..<count {
      let row = try Row(&reader)
      if let last = rows.last, !(last.path < row.path) { throw .init(words: "its rows are not in order") }
      rows.append(row)
    }
  }
}

extension VersionRecord.Row {
  fileprivate func encode(to writer: inout ByteWriter) {
    writer.writeShort(path.bytes)
    writer.write(node?.kind.rawValue ?? 0)
    switch earlier {
    case .same: writer.write(UInt8(0))
    case .other: writer.write(UInt8(1))
    case .nothing: writer.write(UInt8(2))
    }
    node?.encode(to: &writer)
    if case .other(let node) = earlier {
      writer.write(node.kind.rawValue)
      node.encode(to: &writer)
    }
  }

  fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    let path = try reader.readPath()
    if PackageLayout.isOurs(path) { throw .init(words: "it has a row for one of the library's own files") }
    let kind = try reader.read(UInt8.self)
    let earlier = try reader.read(UInt8.self)
    self.init(path, kind == 0 ? nil : try VersionRecord.Node(kind, &reader))
    switch earlier {
    case 0: self.earlier = .same
    case 1: self.earlier = .other(try VersionRecord.Node(reader.read(), &reader))
    case 2: self.earlier = .nothing
    default: throw .init(words: "it has a row of an unknown kind")
    }
  }
}

extension VersionRecord.Node {
  /// Writes everything but the kind.
  fileprivate func encode(to writer: inout ByteWriter) {
    writer.write(mode)
    writer.write(size)
    writer.write(modified)
    writer.write(UInt8((content == nil ? 0 : 1) | (isKept ? 2 : 0)))
    if let content { writer.write(content) }
  }

  fileprivate init(_ kind: UInt8, _ reader: inout ByteReader) throws(ByteReader.Damage) {
    guard let kind = FileKind(rawValue: kind), kind.isSupported else {
      throw .init(words: "it has a node of an unknown kind")
    }
    let mode = try reader.read(UInt16.self) & 0o1777
    let size = try reader.read(UInt64.self)
    let modified = try reader.readTime()
    self.init(kind, NodeAttributes(mode: mode, modeIsExact: true, modified: modified), size: size)
    let flags = try reader.read(UInt8.self)
    if flags & 1 != 0 { content = ContentHash(bytes: try reader.read(count: ContentHash.count)) }
    isKept = flags & 2 != 0
  }
}

// MARK: - Metadata

extension PackageMetadata {
  private enum Flag {
    static let contentType: UInt8 = 1
    static let contentRevision: UInt8 = 2
    static let values: UInt8 = 4
  }

  fileprivate func encode(to writer: inout ByteWriter) throws(ByteReader.Damage) {
    writer.write(
      (contentType == nil ? 0 : Flag.contentType) | (contentRevision == nil ? 0 : Flag.contentRevision)
        | (applicationValues.isEmpty ? 0 : Flag.values))
    writer.write(UInt32(truncatingIfNeeded: formatVersion))
    writer.write(identifier)
    writer.write(revision)
    writer.write(UInt16(truncatingIfNeeded: min(parentRevisions.count, Int(UInt16.max))))
    for parent in parentRevisions.prefix(Int(UInt16.max)) { writer.write(parent) }
    writer.write(UInt64(generation))
    writer.write(FileTime(creationDate))
    writer.write(FileTime(modificationDate))
    for text in [generator, generatorVersion, savingComputer] {
      writer.writeShort(Array(text.utf8.prefix(Int(UInt16.max))))
    }
    writer.write(UInt64(fileCount))
    writer.write(size)
    let digest = ContentDigest(hexadecimal: contentDigest) ?? ContentDigest()
    for lane in 0..<4 { writer.write(digest.lanes[lane]) }
    if let contentType { writer.writeShort(Array(contentType.identifier.utf8.prefix(Int(UInt16.max)))) }
    if let contentRevision { writer.write(contentRevision.bytes) }
    guard !applicationValues.isEmpty else { return }
    guard let plist = try? applicationPlist() else {
      throw .init(words: "a value of its metadata cannot be written")
    }
    writer.write(UInt32(truncatingIfNeeded: plist.count))
    writer.write(plist)
  }

  /// Returns a property list of the application's values alone.
  package func applicationPlist() throws -> Data {
    try PropertyListWriter.data(applicationValues)
  }

  fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    let flags = try reader.read(UInt8.self)
    self.init()
    formatVersion = Int(try reader.read(UInt32.self))
    identifier = UUID(bytes: try reader.read(count: 16))
    revision = UUID(bytes: try reader.read(count: 16))
    parentRevisions = []
    for _ in 0..<(try reader.read(UInt16.self)) {
      parentRevisions.append(UUID(bytes: try reader.read(count: 16)))
    }
    generation = try reader.readNumber()
    creationDate = try reader.readTime().date
    modificationDate = try reader.readTime().date
    generator = try reader.readText()
    generatorVersion = try reader.readText()
    savingComputer = try reader.readText()
    fileCount = try reader.readNumber()
    size = UInt64(try reader.readNumber())
    var lanes = SIMD4<UInt64>()
    for lane in 0..<4 { lanes[lane] = try reader.read() }
    contentDigest = ContentDigest(lanes: lanes).hexadecimal
    if flags & Flag.contentType != 0 { contentType = UTType(unchecked: try reader.readText()) }
    if flags & Flag.contentRevision != 0 { contentRevision = UUID(bytes: try reader.read(count: 16)) }
    if flags & Flag.values != 0 {
      let count = Int(try reader.read(UInt32.self))
      guard count <= Self.maximumSize else { throw .init(words: "its metadata are too large") }
      let plist = Data(try reader.read(count: count))
      guard let values = PropertyListReader.dictionary(plist) else {
        throw .init(words: "its metadata are not a property list")
      }
      applicationValues = values
    }
  }
}

extension ByteReader {
  fileprivate mutating func readNumber() throws(Damage) -> Int {
    let number = try read(UInt64.self)
    guard number <= UInt64(PackageMetadata.maximumNumber) else {
      throw Damage(words: "it has an invalid number")
    }
    return Int(number)
  }

  fileprivate mutating func readText() throws(Damage) -> String {
    String(decoding: try readShort(), as: UTF8.self)
  }
}
