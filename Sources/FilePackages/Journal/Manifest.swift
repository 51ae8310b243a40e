import Crypto
import DurableIO
import FoundationEssentials

// (1) A manifest is believed only where its last batch is of the very state that `Metadata.plist` names:
//     otherwise somebody else saved the package, or a part of it comes from elsewhere.
// (2) What follows the last whole batch is nothing.

/// The digest of every child as it was saved, so that a save can subtract what it replaces without reading it,
/// and so that a damaged child can be named.
///
/// A file of batches, one a save, each row replacing earlier ones of the same path. Loading it costs its size;
/// finding a row is O(1).
final class Manifest {
  /// Where the next batch goes.
  private(set) var end: Int
  private(set) var revision: UUID?
  private(set) var digest = ContentDigest()
  /// Whether every child has a row: not where the package had children before it had a manifest.
  private(set) var isComplete: Bool

  private var bytes: [UInt8]
  private var checksum: ContentHash
  /// Where the newest row of each path is.
  private var index = PathIndex()
  private var rowCount = 0

  static let headerLength = 16
  private static let magic = Array("DOCPKGM1".utf8)
  /// A manifest beyond this is not read.
  static let maximumSize = 1 << 30

  /// An empty one.
  init(isComplete: Bool) {
    self.isComplete = isComplete
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(UInt32(isComplete ? 1 : 0))
    writer.write(UInt32(0))
    bytes = writer.bytes
    end = bytes.count
    checksum = ContentHash(of: bytes)
  }

  /// Reads what a file holds; nil where that does not begin as a manifest does.
  ///
  /// - Parameter last: the state to read up to, where it is not the last one; nil then where the file does not have it.
  init?(_ file: [UInt8], upTo last: UUID? = nil) {
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
    // (2)
    bytes.removeLast(file.count - end)
  }

  /// The states that a file tells of, in their order.
  static func revisions(_ file: [UInt8]) -> [UUID] {
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

  /// Puts a batch at the end; returns the bytes to be written at `end` as it was before.
  func append(_ batch: ManifestBatch) -> [UInt8] {
    let (encoded, next) = batch.encoded(after: checksum)
    bytes += encoded
    _ = note(batch, rowsAt: end + ManifestBatch.rowsOffset)
    end += encoded.count
    checksum = next
    return encoded
  }

  /// All that the file holds.
  var contents: [UInt8] { bytes }

  /// What is known of a child.
  func row(at path: PackagePath) -> ManifestRow? {
    let offset = path.bytes.withUnsafeBufferPointer { path in
      bytes.withUnsafeBufferPointer { bytes in index.find(path) { Row.hasPath(path, bytes, at: $0) } }
    }
    guard let offset, case .present(let row)? = Row(bytes, at: offset) else { return nil }
    return row
  }

  /// Every child that has a row, in no order.
  var rows: [ManifestRow] {
    index.offsets.compactMap { offset in
      if case .present(let row)? = Row(bytes, at: offset) { row } else { nil }
    }
  }

  /// Whether most of the file is about what is no longer so.
  var isStale: Bool { rowCount > 64 && rowCount > index.count * 2 }

  /// The same without what is stale.
  func compacted() -> Manifest {
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

    /// The length of the row that begins the bytes, and its path, without making anything of the rest.
    static func path(_ bytes: UnsafeBufferPointer<UInt8>) -> (path: Range<Int>, isRemoved: Bool)? {
      guard let kind = bytes.first else { return nil }
      let start = kind == 0 ? 1 : fixedLength
      guard bytes.count >= start + 2 else { return nil }
      let length = Int(bytes[start]) | Int(bytes[start + 1]) << 8
      guard bytes.count >= start + 2 + length else { return nil }
      return ((start + 2)..<(start + 2 + length), kind == 0)
    }

    /// Whether the row at an offset has that path.
    static func hasPath(
      _ path: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> Bool {
      let row = UnsafeBufferPointer(rebasing: bytes[offset...])
      guard let (range, _) = Self.path(row), range.count == path.count else { return false }
      return path.elementsEqual(row[range])
    }

    private static let fixedLength = 1 + 1 + 8 + 12 + ContentHash.count
  }

  /// Indexes the rows of a batch; false where they are not what they should be.
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
  /// Where in a batch its rows begin.
  static let rowsOffset = 4 + 4 + 4 + 1 + 16 + 16 + 32
}
