package import DurableIO
package import FoundationEssentials

/// A child as a save of this library made it.
package struct NotedChild: Hashable, Sendable {
  package var child: ChildSummary
  /// The modification time of the file; meaningless for other nodes.
  package var modified: FileTime

  package init(child: ChildSummary, modified: FileTime) { (self.child, self.modified) = (child, modified) }
}

/// The notes of one save about the children: those that came and those that went.
///
/// With the notes of the saves before it, they tell the digest of every child. So a save can subtract a child that it
/// replaces without reading it, and verification can name a damaged child.
package struct SavedState: Sendable, Hashable {
  /// The state of the package before; all zeros for the first one.
  package var parent: UUID
  /// The state of the package with these notes.
  package var revision: UUID
  /// Whether earlier notes do not count.
  package var replacesEarlier = false
  /// Whether every child has a note, if earlier ones do not count.
  package var isComplete = false
  package var rows: [Row] = []

  package init(parent: UUID, revision: UUID) { (self.parent, self.revision) = (parent, revision) }

  /// The note about one place; there is no child if it has no row.
  package struct Row: Sendable, Hashable {
    package var path: PackagePath
    package var row: NotedChild?

    package init(_ path: PackagePath, _ row: NotedChild?) { (self.path, self.row) = (path, row) }

    package init(_ row: NotedChild) { self.init(row.child.path, row) }
  }
}

// MARK: - As bytes

extension SavedState {
  private enum Flag {
    static let replacesEarlier: UInt8 = 1
    static let isComplete: UInt8 = 2
  }

  package func encode(to writer: inout ByteWriter) {
    writer.write(parent)
    writer.write(revision)
    writer.write((replacesEarlier ? Flag.replacesEarlier : 0) | (isComplete ? Flag.isComplete : 0))
    writer.write(UInt32(truncatingIfNeeded: rows.count))
    for row in rows { row.encode(to: &writer) }
  }

  package init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    self.init(
      parent: UUID(bytes: try reader.read(count: 16)), revision: UUID(bytes: try reader.read(count: 16)))
    let flags = try reader.read(UInt8.self)
    replacesEarlier = flags & Flag.replacesEarlier != 0
    isComplete = flags & Flag.isComplete != 0
    let count = Int(try reader.read(UInt32.self))
    guard count <= reader.remaining else { throw .init(words: "it has more notes than bytes") }
    for _ in 0..<count { rows.append(try Row(&reader)) }
  }
}

extension SavedState.Row {
  package func encode(to writer: inout ByteWriter) {
    writer.writeShort(path.bytes)
    writer.write(row.map { Entry($0) })
  }

  package init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    path = try reader.readPath()
    row = try reader.readEntry()?.noted(at: path)
  }
}

extension UUID {
  /// - Precondition: there are sixteen bytes.
  package init(bytes: ArraySlice<UInt8>) {
    let b = Array(bytes)
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      ))
  }

  /// Makes the same identifier for the same text.
  package init(hashing text: String) {
    self.init(bytes: ContentHash(of: Array(text.utf8)).bytes.prefix(16))
  }

  package var bytes: [UInt8] { withUnsafeBytes(of: uuid, Array.init) }

  /// All zeros.
  package static let none = UUID(bytes: [UInt8](repeating: 0, count: 16)[...])
}
