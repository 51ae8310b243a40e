package import DurableIO
import FilePackages
import GRDB
import FoundationEssentials

/// An entry of the content that was here, with the file that had it.
package struct KnownChild: Sendable, Hashable {
  /// The entry as the container has it.
  package var entry: TreeEntry
  /// The file's status when it had exactly this content; nil if only its bytes can tell.
  package var identity: FileIdentity?

  package init(_ entry: TreeEntry, _ identity: FileIdentity? = nil) {
    (self.entry, self.identity) = (entry, identity)
  }
}

extension KnownChild {
  static let columns = """
    path BLOB NOT NULL, kind INTEGER NOT NULL, mode INTEGER NOT NULL, size INTEGER NOT NULL, hash BLOB,
    modified INTEGER, nanoseconds INTEGER, height INTEGER, storage BLOB, device INTEGER, inode INTEGER,
    fileModified INTEGER, fileNanoseconds INTEGER, changed INTEGER, changedNanoseconds INTEGER
    """

  /// The values of the columns, in their order.
  var values: [(any DatabaseValueConvertible)?] {
    var values: [(any DatabaseValueConvertible)?] = [Data(entry.path.bytes)]
    switch entry.kind {
    case .file(let content):
      values += [
        1, Int(entry.mode), Int64(bitPattern: content.size), Data(content.hash.bytes),
        content.modified.seconds,
        Int64(content.modified.nanoseconds), content.storage.height, content.storage.bytes,
      ]
    case .directory: values += [2, Int(entry.mode), 0, nil, nil, nil, nil, nil]
    case .link(let destination): values += [3, Int(entry.mode), 0, nil, nil, nil, nil, Data(destination)]
    }
    guard let identity else { return values + [nil, nil, nil, nil, nil, nil] }
    return values + [
      Int64(bitPattern: identity.device), Int64(bitPattern: identity.inode), identity.modified.seconds,
      Int64(identity.modified.nanoseconds), identity.changed.seconds, Int64(identity.changed.nanoseconds),
    ]
  }

  /// Reads a row; nil if a program damaged it, so that the file is read again.
  init?(_ row: Row) {
    let path = PackagePath(
      (row["path"] as Data).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .map { FileName(bytes: Array($0)) })
    let mode = UInt16(truncatingIfNeeded: row["mode"] as Int)
    switch row["kind"] as Int {
    case 1:
      guard let hash = (row["hash"] as Data?).flatMap({ ContentHash(bytes: Array($0)[...]) }),
        let modified = Self.time(row["modified"], row["nanoseconds"]),
        let storage = FileContent.Storage(height: row["height"], bytes: row["storage"])
      else { return nil }
      let content = FileContent(
        size: UInt64(bitPattern: row["size"] as Int64), hash: hash, modified: modified, storage: storage)
      entry = TreeEntry(path, .file(content), mode: mode)
    case 2: entry = TreeEntry(path, .directory, mode: mode)
    case 3: entry = TreeEntry(path, .link(Array(row["storage"] as Data? ?? Data())), mode: mode)
    default: return nil
    }
    guard let device = row["device"] as Int64?, let inode = row["inode"] as Int64?,
      let modified = Self.time(row["fileModified"], row["fileNanoseconds"]),
      let changed = Self.time(row["changed"], row["changedNanoseconds"])
    else { return }
    identity = FileIdentity(
      device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), size: entry.size,
      modified: modified,
      changed: changed)
  }

  private static func time(_ seconds: Int64?, _ nanoseconds: Int64?) -> FileTime? {
    guard let seconds, let nanoseconds else { return nil }
    return FileTime(seconds: seconds, nanoseconds: UInt32(truncatingIfNeeded: nanoseconds))
  }
}

extension FileContent.Storage {
  /// -1 for one blob, -2 for pieces, the height of a list.
  fileprivate var height: Int {
    switch self {
    case .whole: -1
    case .pieces: -2
    case .list(_, let height): Int(height)
    }
  }

  fileprivate var bytes: Data? {
    switch self {
    case .whole: return nil
    case .pieces(let pieces):
      var data = Data()
      for piece in pieces {
        data += piece.name.hash.bytes
        withUnsafeBytes(of: piece.size.littleEndian) { data.append(contentsOf: $0) }
      }
      return data
    case .list(let name, _): return Data(name.hash.bytes)
    }
  }

  fileprivate init?(height: Int?, bytes: Data?) {
    let bytes = Array(bytes ?? Data())
    switch height {
    case -1: self = .whole
    case -2:
      let length = ContentHash.count + 8
      guard bytes.count % length == 0 else { return nil }
      var pieces: [FilePiece] = []
      for start in stride(from: 0, to: bytes.count, by: length) {
        guard let hash = ContentHash(bytes: bytes[start..<start + ContentHash.count]) else { return nil }
        let size = bytes[start + ContentHash.count..<start + length].reversed().reduce(UInt64(0)) {
          $0 << 8 | UInt64($1)
        }
        pieces.append(FilePiece(BlobName(hash), size: size))
      }
      self = .pieces(pieces)
    case let height?:
      guard let height = UInt8(exactly: height), let hash = ContentHash(bytes: bytes[...]) else { return nil }
      self = .list(BlobName(hash), height: height)
    case nil: return nil
    }
  }
}
