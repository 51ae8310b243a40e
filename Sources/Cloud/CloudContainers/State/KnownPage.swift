import DurableIO
import FilePackages
import FoundationEssentials

// An entry has a fixed head of 112 bytes, its path, and the bytes of its storage or of its link. All numbers are
// little-endian:
//
//      0  UInt32  length of the entry              48  UInt64  the file's size
//      4  UInt16  length of the path               56  UInt64  the content's size
//      6  UInt8   1 file, 2 folder, 3 link         64  Int64   seconds of the content's date
//      7  UInt8   1 if it has a status             72  UInt32  nanoseconds of it
//      8  UInt64  device                           76  UInt16  mode
//     16  UInt64  inode                            78  Int16   storage: -1 whole, -2 pieces, -3 a list
//     24  Int64   seconds of the last write        80  the content's hash, 32 bytes
//     32  Int64   seconds of the last change      112  the path
//     40  UInt32  nanoseconds of the last write
//     44  UInt32  nanoseconds of the last change

/// Some known children in the order of their paths, encoded. It has one at least.
package struct KnownPage: Sendable, Hashable {
  /// The largest number of children.
  package static let maximumCount = 64
  private static let headSize = 112
  private static let pieceSize = ContentHash.count + 8

  package private(set) var bytes: [UInt8] = []
  package private(set) var count = 0

  init() {}

  /// Reads a page from bytes that a disk may have damaged; nil if they are no page.
  package init?(checking bytes: [UInt8]) {
    self.bytes = bytes
    var offset = 0
    while offset < bytes.count {
      guard bytes.count - offset >= Self.headSize, isEntry(at: offset) else { return nil }
      offset += length(at: offset)
      count += 1
    }
    guard count > 0 else { return nil }
  }

  private func isEntry(at offset: Int) -> Bool {
    let (length, path) = (length(at: offset), Int(number(offset + 4, UInt16.self)))
    guard path > 0, length >= Self.headSize + path, length <= bytes.count - offset else { return false }
    let rest = length - Self.headSize - path
    switch bytes[offset + 6] {
    case 1:
      switch number(offset + 78, Int16.self) {
      case -1: return rest == 0
      case -2: return rest % Self.pieceSize == 0
      case -3: return rest == ContentHash.count
      default: return false
      }
    case 2: return rest == 0
    case 3: return true
    default: return false
    }
  }

  // MARK: Reading

  private func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
    bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }

  /// The number of bytes of an entry.
  func length(at offset: Int) -> Int { Int(number(offset, UInt32.self)) }

  /// The bytes of an entry's path.
  func path(at offset: Int) -> ArraySlice<UInt8> {
    let start = offset + Self.headSize
    return bytes[start..<start + Int(number(offset + 4, UInt16.self))]
  }

  /// The first path, in bytes whose order is that of paths.
  var key: Data { Data(path(at: 0).map { $0 == UInt8(ascii: "/") ? 0 : $0 }) }

  /// Compares an entry's path with another one: negative if the entry's is first, 0 if both are equal.
  func compare(at offset: Int, with other: [UInt8]) -> Int {
    let count = Int(number(offset + 4, UInt16.self))
    return bytes.withUnsafeBytes { bytes in
      other.withUnsafeBytes { other in
        let start = offset + Self.headSize
        return PathOrder.compare(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]), other)
      }
    }
  }

  /// Returns whether an entry is a file with this status. The number of its device changes with each mount.
  func isFile(at offset: Int, with identity: FileIdentity) -> Bool {
    bytes.withUnsafeBytes { bytes in
      func number<Number: FixedWidthInteger>(_ place: Int, _ type: Number.Type) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + place, as: Number.self))
      }
      return number(6, UInt16.self) == 0x0101 && number(16, UInt64.self) == identity.inode
        && number(48, UInt64.self) == identity.size && number(24, Int64.self) == identity.modified.seconds
        && number(32, Int64.self) == identity.changed.seconds
        && number(40, UInt32.self) == identity.modified.nanoseconds
        && number(44, UInt32.self) == identity.changed.nanoseconds
    }
  }

  /// Reads an entry.
  func child(at offset: Int) -> KnownChild {
    let path = PackagePath(
      self.path(at: offset).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .map { FileName(bytes: Array($0)) })
    let mode = number(offset + 76, UInt16.self)
    let rest = bytes[self.path(at: offset).endIndex..<offset + length(at: offset)]
    var identity: FileIdentity?
    if bytes[offset + 7] == 1 {
      identity = FileIdentity(
        device: number(offset + 8, UInt64.self), inode: number(offset + 16, UInt64.self),
        size: number(offset + 48, UInt64.self), modified: time(offset + 24, offset + 40),
        changed: time(offset + 32, offset + 44))
    }
    switch bytes[offset + 6] {
    case 2: return KnownChild(TreeEntry(path, .directory, mode: mode), identity)
    case 3: return KnownChild(TreeEntry(path, .link(Array(rest)), mode: mode), identity)
    default:
      let content = FileContent(
        size: number(offset + 56, UInt64.self), hash: hash(bytes[offset + 80..<offset + Self.headSize]),
        modified: time(offset + 64, offset + 72), storage: storage(number(offset + 78, Int16.self), rest))
      return KnownChild(TreeEntry(path, .file(content), mode: mode), identity)
    }
  }

  private func time(_ seconds: Int, _ nanoseconds: Int) -> FileTime {
    FileTime(seconds: number(seconds, Int64.self), nanoseconds: number(nanoseconds, UInt32.self))
  }

  private func hash(_ bytes: ArraySlice<UInt8>) -> ContentHash {
    guard let hash = ContentHash(bytes: bytes) else { preconditionFailure("a hash of another length") }
    return hash
  }

  private func storage(_ kind: Int16, _ rest: ArraySlice<UInt8>) -> FileContent.Storage {
    switch kind {
    case -1: .whole
    case -2:
      .pieces(
        stride(from: rest.startIndex, to: rest.endIndex, by: Self.pieceSize).map { start in
          FilePiece(
            BlobName(hash(rest[start..<start + ContentHash.count])),
            size: number(start + ContentHash.count, UInt64.self))
        })
    default: .list(BlobName(hash(rest)))
    }
  }

  // MARK: Writing

  /// Appends an entry as it is encoded in another page.
  mutating func append(entryAt offset: Int, of page: KnownPage) {
    bytes += page.bytes[offset..<offset + page.length(at: offset)]
    count += 1
  }

  /// Appends a child. Its path comes after all others.
  mutating func append(_ child: KnownChild) {
    let entry = child.entry
    let path = entry.path.bytes
    var writer = ByteWriter()
    var (kind, storage, rest): (UInt8, Int16, [UInt8]) = (2, 0, [])
    var content: FileContent?
    switch entry.kind {
    case .file(let file): (kind, storage, rest, content) = (1, file.storage.kind, file.storage.bytes, file)
    case .directory: break
    case .link(let destination): (kind, rest) = (3, destination)
    }
    writer.write(UInt32(Self.headSize + path.count + rest.count))
    writer.write(UInt16(path.count))
    writer.write(kind)
    writer.write(UInt8(child.identity == nil ? 0 : 1))
    writer.write(child.identity?.device ?? 0)
    writer.write(child.identity?.inode ?? 0)
    writer.write(child.identity?.modified.seconds ?? 0)
    writer.write(child.identity?.changed.seconds ?? 0)
    writer.write(child.identity?.modified.nanoseconds ?? 0)
    writer.write(child.identity?.changed.nanoseconds ?? 0)
    writer.write(child.identity?.size ?? 0)
    writer.write(entry.size)
    writer.write(content?.modified.seconds ?? 0)
    writer.write(content?.modified.nanoseconds ?? 0)
    writer.write(entry.mode)
    writer.write(storage)
    writer.write((content?.hash ?? .empty).bytes)
    writer.write(path)
    writer.write(rest)
    bytes += writer.bytes
    count += 1
  }
}

extension FileContent.Storage {
  fileprivate var kind: Int16 {
    switch self {
    case .whole: -1
    case .pieces: -2
    case .list: -3
    }
  }

  fileprivate var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .whole: break
    case .pieces(let pieces):
      for piece in pieces {
        writer.write(piece.name.hash)
        writer.write(piece.size)
      }
    case .list(let name): writer.write(name.hash)
    }
    return writer.bytes
  }
}

/// The order of paths as bytes: the same as that of `PackagePath`.
enum PathOrder {
  /// Compares two paths: negative if the first one is first, 0 if both are equal. A slash comes before all other bytes.
  static func compare(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
    let common = min(one.count, other.count)
    var index = 0
    while index < common, one[index] == other[index] { index += 1 }
    guard index < common else { return one.count - other.count }
    func weight(_ byte: UInt8) -> Int { byte == UInt8(ascii: "/") ? 0 : Int(byte) }
    return weight(one[index]) - weight(other[index])
  }
}
