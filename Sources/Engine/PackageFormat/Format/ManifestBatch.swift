package import DurableIO
package import FoundationEssentials

/// One row of the manifest: a child as a save of this library made it.
package struct ManifestRow: Hashable, Sendable {
  package var child: ChildSummary
  /// The modification time of the file; meaningless for other nodes.
  package var modified: FileTime

  package init(child: ChildSummary, modified: FileTime) { (self.child, self.modified) = (child, modified) }
}

/// The rows that one save adds to the manifest: the children that came and those that went.
package struct ManifestBatch: Sendable, Hashable {
  /// The state of the package before; all zeros for the first one.
  package var parent: UUID
  /// The state of the package with this batch.
  package var revision: UUID
  package var digest: ContentDigest
  /// Whether it has every child, so that no earlier batch counts.
  package var isWhole = false
  package private(set) var count = 0
  /// The rows as they are in the file.
  package private(set) var rows: [UInt8] = []

  package init(parent: UUID, revision: UUID, digest: ContentDigest) {
    self.parent = parent
    self.revision = revision
    self.digest = digest
  }

  package mutating func add(_ row: ManifestRow) {
    let path = row.child.path.bytes
    // A path that long could not be read again; the child then has no row, and saves read its digest from it.
    guard path.count <= Int(UInt16.max) else { return }
    var writer = ByteWriter()
    writer.write(UInt8(row.child.kind.rawValue))
    writer.write(UInt8(row.child.isExecutable ? 1 : 0))
    writer.write(row.child.size)
    writer.write(row.modified)
    writer.write(row.child.content)
    writer.writeShort(path)
    append(writer)
  }

  package mutating func remove(_ path: PackagePath) {
    let path = path.bytes
    guard path.count <= Int(UInt16.max) else { return }
    var writer = ByteWriter()
    writer.write(UInt8(0))
    writer.writeShort(path)
    append(writer)
  }

  private mutating func append(_ row: borrowing ByteWriter) {
    row.withUnsafeBytes { rows.append(contentsOf: $0) }
    count += 1
  }

  /// Encodes a manifest of one batch with any content in its rows, for tests of manifests that other programs made.
  package static func manifest(_ revision: UUID, rows: [UInt8], count: Int) -> [UInt8] {
    let manifest = Manifest(isComplete: true)
    var batch = ManifestBatch(parent: .none, revision: revision, digest: ContentDigest())
    (batch.rows, batch.count) = (rows, count)
    let batchBytes = batch.encoded(after: ContentHash(of: manifest.contents)).bytes
    return manifest.contents + batchBytes
  }

  // MARK: As bytes

  static let magic: UInt32 = 0x4843_5442  // BTCH

  /// Encodes the batch for the file.
  ///
  /// - Parameter previous: the checksum of the batch before it, or of the header.
  func encoded(after previous: ContentHash) -> (bytes: [UInt8], checksum: ContentHash) {
    var writer = ByteWriter()
    let checksum = encode(to: &writer, after: previous)
    return (writer.bytes, checksum)
  }

  /// Writes the batch as `encoded(after:)` does, and returns its checksum.
  @discardableResult
  func encode(to writer: inout ByteWriter, after previous: ContentHash) -> ContentHash {
    let start = writer.count
    writer.write(Self.magic)
    writer.write(UInt32(truncatingIfNeeded: rows.count))
    writer.write(UInt32(truncatingIfNeeded: count))
    writer.write(UInt8(isWhole ? 1 : 0))
    writer.write(parent)
    writer.write(revision)
    for lane in 0..<4 { writer.write(digest.lanes[lane]) }
    writer.write(rows)
    var hash = SHA256()
    hash.update(previous)
    writer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    let checksum = hash.finalize()
    writer.write(checksum)
    return checksum
  }

  /// Reads a batch that ends with a checksum over it and `previous`; nil if there is no whole one.
  package init?(
    _ bytes: ArraySlice<UInt8>, after previous: ContentHash, _ length: inout Int,
    _ checksum: inout ContentHash
  ) {
    var reader = ByteReader(bytes)
    do throws(ByteReader.Damage) {
      guard try reader.read(UInt32.self) == Self.magic else { return nil }
      let rowBytes = Int(try reader.read(UInt32.self))
      let rowCount = Int(try reader.read(UInt32.self))
      let isWhole = try reader.read(UInt8.self) == 1
      let parent = UUID(bytes: try reader.read(count: 16))
      let revision = UUID(bytes: try reader.read(count: 16))
      var lanes = SIMD4<UInt64>()
      for lane in 0..<4 { lanes[lane] = try reader.read() }
      let rows = try reader.read(count: rowBytes)
      let written = try reader.read(count: ContentHash.count)
      length = bytes.count - reader.remaining
      var hash = SHA256()
      hash.update(previous)
      bytes.prefix(length - ContentHash.count).withUnsafeBytes { hash.update($0) }
      checksum = hash.finalize()
      guard ContentHash(bytes: written) == checksum else { return nil }
      self.init(parent: parent, revision: revision, digest: ContentDigest(lanes: lanes))
      self.isWhole = isWhole
      self.rows = Array(rows)
      count = rowCount
    } catch {
      return nil
    }
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

  package var bytes: [UInt8] { withUnsafeBytes(of: uuid, Array.init) }

  /// All zeros.
  package static let none = UUID(bytes: [UInt8](repeating: 0, count: 16)[...])
}
