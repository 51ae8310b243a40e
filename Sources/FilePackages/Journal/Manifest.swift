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
  /// Where the newest row of a path is, by the hash of the path.
  private var index: [UInt64: Int] = [:]
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
    guard let offset = index[Self.hash(path.bytes)], case .present(let row)? = Row(bytes, at: offset),
      row.child.path == path
    else { return nil }
    return row
  }

  /// Every child that has a row, in no order.
  var rows: [ManifestRow] {
    index.values.compactMap { offset in
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

    private static let fixedLength = 1 + 1 + 8 + 12 + ContentHash.count
  }

  /// Indexes the rows of a batch; false where they are not what they should be.
  private func note(_ batch: ManifestBatch, rowsAt start: Int) -> Bool {
    if batch.isWhole {
      index = [:]
      isComplete = true
    }
    let isWhole = batch.rows.withUnsafeBufferPointer { rows in
      var offset = 0
      while offset < rows.count {
        guard let (path, isRemoved) = Row.path(UnsafeBufferPointer(rebasing: rows[offset...])) else {
          return false
        }
        let range = (offset + path.lowerBound)..<(offset + path.upperBound)
        let hash = Self.hash(UnsafeBufferPointer(rebasing: rows[range]))
        index[hash] = isRemoved ? nil : start + offset
        rowCount += 1
        offset += path.upperBound
      }
      return true
    }
    guard isWhole else { return false }
    revision = batch.revision
    digest = batch.digest
    return true
  }

  // FNV-1a, 64 bits.
  private static func hash(_ path: some Sequence<UInt8>) -> UInt64 {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in path { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return value
  }
}

extension ManifestBatch {
  /// Where in a batch its rows begin.
  static let rowsOffset = 4 + 4 + 4 + 1 + 16 + 16 + 32
}
