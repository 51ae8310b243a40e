import DurableIO
package import FoundationEssentials

/// The digest of every child as it was saved.
///
/// A save can then subtract a child that it replaces without reading it, and verification can name a damaged child.
/// A file of batches, one a save, each row replacing earlier ones of the same path. Loading costs its size; finding a
/// row is O(1).
///
/// A manifest counts only if its last batch is of the very state that `Metadata.plist` names. Otherwise another program
/// saved the package, or a part of it comes from elsewhere. Bytes after the last whole batch count for nothing.
package final class Manifest {
  /// The place of the next batch.
  package private(set) var end: Int
  package var revision: UUID?
  private(set) var digest = ContentDigest()
  /// Whether every child has a row; false if the package had children before it had a manifest.
  package private(set) var isComplete: Bool

  private var bytes: [UInt8]
  private var checksum: ContentHash
  /// The place of the newest row of each path.
  private var index = PathIndex()
  private var rowCount = 0

  package static let headerLength = 16
  private static let magic = Array("DOCPKGM1".utf8)
  /// A larger manifest is not read.
  package static let maximumSize = 1 << 30

  /// Makes an empty manifest.
  package init(isComplete: Bool) {
    self.isComplete = isComplete
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(UInt32(isComplete ? 1 : 0))
    writer.write(UInt32(0))
    bytes = writer.bytes
    end = bytes.count
    checksum = ContentHash(of: bytes)
  }

  /// Reads the content of a file; nil if it does not begin as a manifest does.
  ///
  /// - Parameter last: the state to read up to, if not to the last one; then nil if the file does not have that state.
  package init?(_ file: [UInt8], upTo last: UUID? = nil) {
    guard file.count >= Self.headerLength, file.starts(with: Self.magic), file[8] < 2,
      file[9..<Self.headerLength].allSatisfy({ $0 == 0 })
    else { return nil }
    isComplete = file[8] == 1
    bytes = file
    checksum = ContentHash(of: Array(file[..<Self.headerLength]))
    end = Self.headerLength
    while end < file.count {
      var (length, next) = (0, checksum)
      guard let batch = ManifestBatch(file[end...], after: checksum, &length, &next),
        note(batch, rowsAt: end + ManifestBatch.rowsOffset)
      else { break }
      checksum = next
      end += length
      if let last, last == revision { break }
    }
    if let last, last != revision { return nil }
    // Bytes after the last whole batch.
    bytes.removeLast(file.count - end)
  }

  /// Returns the states in a file, in their order.
  package static func revisions(_ file: [UInt8]) -> [UUID] {
    guard file.count >= headerLength, file.starts(with: magic) else { return [] }
    var (offset, checksum) = (headerLength, ContentHash(of: Array(file[..<headerLength])))
    var revisions: [UUID] = []
    while offset < file.count {
      var (length, next) = (0, checksum)
      guard let batch = ManifestBatch(file[offset...], after: checksum, &length, &next) else { break }
      revisions.append(batch.revision)
      checksum = next
      offset += length
    }
    return revisions
  }

  /// Adds a batch at the end.
  ///
  /// - Returns: the bytes to write at the `end` from before this call.
  package func append(_ batch: ManifestBatch) -> [UInt8] {
    let (encoded, next) = batch.encoded(after: checksum)
    bytes += encoded
    _ = note(batch, rowsAt: end + ManifestBatch.rowsOffset)
    end += encoded.count
    checksum = next
    return encoded
  }

  /// The whole content of the file.
  package var contents: [UInt8] { bytes }

  /// Returns the row of a child.
  package func row(at path: PackagePath) -> ManifestRow? {
    let offset = path.bytes.withUnsafeBufferPointer { path in
      bytes.withUnsafeBufferPointer { bytes in index.find(path) { Row.hasPath(path, bytes, at: $0) } }
    }
    guard let offset, case .present(let row)? = Row(bytes, at: offset) else { return nil }
    return row
  }

  /// Every row of a child, in no order.
  package var rows: [ManifestRow] {
    index.offsets.compactMap { offset in
      if case .present(let row)? = Row(bytes, at: offset) { row } else { nil }
    }
  }

  /// Whether most rows of the file are out of date.
  package var isStale: Bool { rowCount > 64 && rowCount > index.count * 2 }

  /// Returns the manifest without the rows that are out of date.
  package func compacted() -> Manifest {
    let compact = Manifest(isComplete: isComplete)
    guard let revision else { return compact }
    var batch = ManifestBatch(parent: .none, revision: revision, digest: digest)
    for row in rows.sorted(by: { $0.child.path < $1.child.path }) { batch.add(row) }
    _ = compact.append(batch)
    return compact
  }

  // MARK: Rows

  private enum Row {
    case present(ManifestRow)
    case removed(PackagePath)

    init?(_ bytes: [UInt8], at offset: Int) {
      guard offset < bytes.count else { return nil }
      var reader = ByteReader(bytes[offset...])
      self.init(&reader)
    }

    init?(_ reader: inout ByteReader) {
      do throws(ByteReader.Damage) {
        let kind = try reader.read(UInt8.self)
        if kind == 0 {
          self = .removed(try reader.readPath())
          return
        }
        guard let kind = FileKind(rawValue: kind), kind.isSupported else { return nil }
        let isExecutable = try reader.read(UInt8.self) == 1
        let size = try reader.read(UInt64.self)
        let modified = try reader.readTime()
        guard let content = ContentHash(bytes: try reader.read(count: ContentHash.count)) else { return nil }
        let child = ChildSummary(
          path: try reader.readPath(), kind: kind, isExecutable: isExecutable, size: size, content: content)
        self = .present(ManifestRow(child: child, modified: modified))
      } catch {
        return nil
      }
    }

    /// Returns the place of the path in the row that begins the bytes, without making anything of the rest.
    package static func path(_ bytes: UnsafeBufferPointer<UInt8>) -> (path: Range<Int>, isRemoved: Bool)? {
      guard let kind = bytes.first else { return nil }
      let start = kind == 0 ? 1 : fixedLength
      guard bytes.count >= start + 2 else { return nil }
      let length = Int(bytes[start]) | Int(bytes[start + 1]) << 8
      guard bytes.count >= start + 2 + length else { return nil }
      return ((start + 2)..<(start + 2 + length), kind == 0)
    }

    /// Returns whether the row at an offset has that path.
    static func hasPath(
      _ path: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> Bool {
      let row = UnsafeBufferPointer(rebasing: bytes[offset...])
      guard let (range, _) = Self.path(row), range.count == path.count else { return false }
      return path.elementsEqual(row[range])
    }

    private static let fixedLength = 1 + 1 + 8 + 12 + ContentHash.count
  }

  /// Indexes the rows of a batch; false if they are damaged.
  private func note(_ batch: ManifestBatch, rowsAt start: Int) -> Bool {
    if batch.isWhole {
      index = PathIndex()
      isComplete = true
    }
    let end = start + batch.rows.count
    let isWhole = bytes.withUnsafeBufferPointer { bytes in
      var offset = start
      while offset < end {
        guard let (range, isRemoved) = Row.path(UnsafeBufferPointer(rebasing: bytes[offset..<end])) else {
          return false
        }
        let path = UnsafeBufferPointer(
          rebasing: bytes[(offset + range.lowerBound)..<(offset + range.upperBound)])
        index.set(isRemoved ? nil : offset, for: path) { Row.hasPath(path, bytes, at: $0) }
        rowCount += 1
        offset += range.upperBound
      }
      return true
    }
    guard isWhole else { return false }
    revision = batch.revision
    digest = batch.digest
    return true
  }
}

extension ManifestBatch {
  /// The place of the rows in a batch.
  static let rowsOffset = 4 + 4 + 4 + 1 + 16 + 16 + 32
}
