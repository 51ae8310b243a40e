import DurableIO
import FilePackages
import FoundationEssentials

// An entry has a head of 56 bytes, its path, and the bytes of `TreeEntry` without the path. All numbers are
// little-endian:
//
//      0  UInt32  length of the entry              24  Int64   seconds of the last write
//      4  UInt16  length of the path               32  Int64   seconds of the last change
//      6  UInt16  1 if it has a file's status      40  UInt32  nanoseconds of the last write
//      8  UInt64  device                           44  UInt32  nanoseconds of the last change
//     16  UInt64  inode                            48  UInt64  the file's size
//
// In the state, the SHA-256 of the entries ends a page.

/// Some known children in the order of their paths, encoded. It has one at least.
package struct KnownPage: Sendable, Hashable {
  /// The largest number of children.
  package static let maximumCount = 64
  private static let headSize = 56

  package private(set) var bytes: [UInt8] = []
  package private(set) var count = 0

  init() {}

  /// Reads a page from bytes that a disk may have damaged; nil if they are no page.
  package init?(checking stored: [UInt8]) {
    bytes = Array(stored.dropLast(ContentHash.count))
    guard !bytes.isEmpty, ContentHash(of: bytes).bytes.elementsEqual(stored.suffix(ContentHash.count)) else {
      return nil
    }
    var offset = 0
    while offset < bytes.count {
      offset += length(at: offset)
      count += 1
    }
  }

  /// The page in the state.
  package var stored: [UInt8] { bytes + ContentHash(of: bytes).bytes }

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
      return number(6, UInt16.self) == 1 && number(16, UInt64.self) == identity.inode
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
    var identity: FileIdentity?
    if number(offset + 6, UInt16.self) == 1 {
      identity = FileIdentity(
        device: number(offset + 8, UInt64.self), inode: number(offset + 16, UInt64.self),
        size: number(offset + 48, UInt64.self), modified: time(offset + 24, offset + 40),
        changed: time(offset + 32, offset + 44))
    }
    var reader = ByteReader(bytes[self.path(at: offset).endIndex..<offset + length(at: offset)])
    do {
      return KnownChild(try TreeEntry(path, from: &reader), identity)
    } catch {
      preconditionFailure("a page with the right hash has whole entries")
    }
  }

  private func time(_ seconds: Int, _ nanoseconds: Int) -> FileTime {
    FileTime(seconds: number(seconds, Int64.self), nanoseconds: number(nanoseconds, UInt32.self))
  }

  // MARK: Writing

  /// Appends an entry as it is encoded in another page.
  mutating func append(entryAt offset: Int, of page: KnownPage) {
    bytes += page.bytes[offset..<offset + page.length(at: offset)]
    count += 1
  }

  /// Appends a child. Its path comes after all others.
  mutating func append(_ child: KnownChild) {
    let (path, identity) = (child.entry.path.bytes, child.identity)
    var writer = ByteWriter()
    writer.write(UInt32(0))
    writer.write(UInt16(path.count))
    writer.write(UInt16(identity == nil ? 0 : 1))
    writer.write(identity?.device ?? 0)
    writer.write(identity?.inode ?? 0)
    writer.write(identity?.modified.seconds ?? 0)
    writer.write(identity?.changed.seconds ?? 0)
    writer.write(identity?.modified.nanoseconds ?? 0)
    writer.write(identity?.changed.nanoseconds ?? 0)
    writer.write(identity?.size ?? 0)
    writer.write(path)
    child.entry.write(to: &writer)
    writer.overwrite(at: 0, UInt32(writer.count))
    bytes += writer.bytes
    count += 1
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
