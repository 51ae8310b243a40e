import DurableIO
import FoundationEssentials

// The encoding of a version in the log.

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
    let next = try reader.readUUID()
    let flags = try reader.read(UInt8.self)
    self.init(try PackageMetadata(&reader), next: next)
    isDiscardable = flags & Flag.discardable != 0
    let count = Int(try reader.read(UInt32.self))
    guard count <= reader.remaining else { throw .init(words: "it has more rows than bytes") }
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
    writer.write(node)
    writer.write(UInt8(earlier == node ? 0 : 1))
    if earlier != node { writer.write(earlier) }
  }

  fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    self.init(try reader.readPath(), try Self.node(&reader))
    if PackageLayout.isOurs(path) { throw .init(words: "it has a row for one of the library's own files") }
    switch try reader.read(UInt8.self) {
    case 0: break
    case 1: earlier = try Self.node(&reader)
    default: throw .init(words: "it has a row of an unknown kind")
    }
  }

  private static func node(_ reader: inout ByteReader) throws(ByteReader.Damage) -> Entry? {
    var node = try reader.readEntry()
    node?.mode &= ~Change.rights
    return node
  }
}
