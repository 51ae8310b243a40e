import DurableIO
import FoundationEssentials

// The encoding of metadata in a record and in a version. Only the application's values are a property list. Metadata that
// were written and read again make the same `Metadata.plist`.

extension PackageMetadata {
  private enum Flag {
    static let contentType: UInt8 = 1
    static let contentRevision: UInt8 = 2
    static let values: UInt8 = 4
    static let database: UInt8 = 8
    static let keepsNoHistory: UInt8 = 16
  }

  package func encode(to writer: inout ByteWriter) throws(ByteReader.Damage) {
    writer.write(
      (contentType == nil ? 0 : Flag.contentType) | (contentRevision == nil ? 0 : Flag.contentRevision)
        | (applicationValues.isEmpty ? 0 : Flag.values) | (databasePath == nil ? 0 : Flag.database)
        | (keepsNoHistory ? Flag.keepsNoHistory : 0))
    writer.write(UInt32(truncatingIfNeeded: formatVersion))
    writer.write(identifier)
    writer.write(revision)
    writer.write(UInt32(truncatingIfNeeded: parentRevisions.count))
    for parent in parentRevisions { writer.write(parent) }
    writer.write(UInt64(generation))
    writer.write(FileTime(creationDate))
    writer.write(FileTime(modificationDate))
    for text in [generator, generatorVersion, savingComputer] { writer.writeLong(text.utf8) }
    writer.write(UInt64(fileCount))
    writer.write(size)
    for lane in 0..<4 { writer.write(summary.digest.lanes[lane]) }
    if let contentType { writer.writeLong(contentType.identifier.utf8) }
    if let contentRevision { writer.write(contentRevision) }
    if let databasePath { writer.writeLong(databasePath.utf8) }
    guard !applicationValues.isEmpty else { return }
    guard let plist = try? encodedApplicationValues(), plist.count <= Self.maximumSize else {
      throw .init(words: "a value of its metadata cannot be written")
    }
    writer.writeLong(plist)
  }

  package init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    let flags = try reader.read(UInt8.self)
    self.init()
    formatVersion = Int(try reader.read(UInt32.self))
    identifier = try reader.readUUID()
    revision = try reader.readUUID()
    parentRevisions = []
    for _ in 0..<(try reader.read(UInt32.self)) { parentRevisions.append(try reader.readUUID()) }
    generation = try reader.readNumber()
    creationDate = try reader.readTime().date
    modificationDate = try reader.readTime().date
    generator = try reader.readText()
    generatorVersion = try reader.readText()
    savingComputer = try reader.readText()
    let (fileCount, size) = (try reader.readNumber(), UInt64(try reader.readNumber()))
    var lanes = SIMD4<UInt64>()
    for lane in 0..<4 { lanes[lane] = try reader.read() }
    summary = ContentSummary(fileCount: fileCount, byteCount: size, digest: ContentDigest(lanes: lanes))
    if flags & Flag.contentType != 0 { contentType = UTType(unchecked: try reader.readText()) }
    if flags & Flag.contentRevision != 0 { contentRevision = try reader.readUUID() }
    if flags & Flag.database != 0 {
      let path = try reader.readText()
      guard PackagePath(path).canBeDatabase else {
        throw .init(words: "it has an invalid path of a database")
      }
      databasePath = path
    }
    keepsNoHistory = flags & Flag.keepsNoHistory != 0
    if flags & Flag.values != 0 {
      let plist = Data(try reader.readLong())
      guard plist.count <= Self.maximumSize else { throw .init(words: "its metadata are too large") }
      guard let values = PropertyListReader.dictionary(plist) else {
        throw .init(words: "its metadata are not a property list")
      }
      applicationValues = values
    }
  }
}

extension ByteWriter {
  /// Writes a length in four bytes, then the bytes.
  fileprivate mutating func writeLong(_ value: some Collection<UInt8>) {
    write(UInt32(truncatingIfNeeded: value.count))
    write(Array(value))
  }
}

extension ByteReader {
  fileprivate mutating func readLong() throws(Damage) -> ArraySlice<UInt8> {
    try read(count: Int(try read(UInt32.self)))
  }

  fileprivate mutating func readNumber() throws(Damage) -> Int {
    let number = try read(UInt64.self)
    guard number <= UInt64(PackageMetadata.maximumNumber) else {
      throw Damage(words: "it has an invalid number")
    }
    return Int(number)
  }

  fileprivate mutating func readText() throws(Damage) -> String {
    String(decoding: try readLong(), as: UTF8.self)
  }
}
