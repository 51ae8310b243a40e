import Crypto
import DurableIO
import FoundationEssentials
import SystemPackage

// (1) A version is in the journal's record of the save that replaced it, so it lasts as that save does. What the
//     history file does not have yet is found there.
// (2) What follows the last whole version in the file is nothing, as long as there is a journal: a cut may have left a later one
//     and not the one before it. Without a journal the file is on the medium as it is (3), and a version that is not whole was
//     damaged since: those after it count.
// (3) The journal goes, or starts again, only after the file and the folder for versions are on the medium.

/// The versions of a package as they are on disk: a header, then one version after the other, each with a checksum
/// that goes over those before it.
///
/// Loading it costs its size, whatever the document's. A save needs its end alone: `HistoryEnd`.
struct HistoryFile {
  private(set) var chain: VersionChain
  var policy: RetentionPolicy
  /// Where the next version goes.
  private(set) var end: HistoryEnd
  /// Whether something between the versions is none.
  private(set) var isDamaged = false

  static let magic = Array("DOCPKGH1".utf8)
  static let recordMagic: UInt32 = 0x5352_4556  // VERS
  static let headerLength = 8 + 16 + RetentionPolicy.encodedLength
  /// A history beyond this is not read.
  static let maximumSize = 1 << 30

  /// One without versions, of a document that is in the state `tip`.
  init(tip: UUID, policy: RetentionPolicy = .standard) {
    chain = VersionChain(tip: tip)
    self.policy = policy
    end = HistoryEnd(tip: tip, header: Self.header(tip, policy))
  }

  /// What a file begins with that has no versions yet.
  var header: [UInt8] { Self.header(chain.tip, policy) }

  private static func header(_ tip: UUID, _ policy: RetentionPolicy) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(magic)
    writer.write(tip.bytes)
    policy.encode(to: &writer)
    return writer.bytes
  }

  /// The state and the policy that a file begins with; nil where that is no history.
  static func beginning(of file: [UInt8]) -> (tip: UUID, policy: RetentionPolicy)? {
    guard file.count >= headerLength, file.starts(with: magic) else { return nil }
    var reader = ByteReader(file[magic.count...])
    do throws(ByteReader.Damage) {
      return (UUID(bytes: try reader.read(count: 16)), try RetentionPolicy(&reader))
    } catch {
      return nil
    }
  }

  /// Reads what a file holds; nil where that does not begin as a history does.
  ///
  /// - Parameter skipsDamage: whether there is no journal beside it. (2)
  init?(_ file: [UInt8], skipsDamage: Bool = false) {
    guard let (tip, policy) = Self.beginning(of: file) else { return nil }
    self.policy = policy
    chain = VersionChain(tip: tip)
    end = HistoryEnd(tip: tip, header: Array(file[..<Self.headerLength]))
    while true {
      while let (version, length, checksum) = Self.version(file[end.offset...], after: end.checksum) {
        chain.append(version)
        end.append(version, length: length, checksum)
      }
      guard skipsDamage, let next = Self.nextVersion(in: file, from: end.offset) else { break }
      isDamaged = true
      end.skip(to: next.offset, after: next.previous)
    }
  }

  /// Where the next whole version begins, and the checksum before it.
  private static func nextVersion(
    in file: [UInt8], from start: Int
  ) -> (offset: Int, previous: ContentHash)? {
    let magic = withUnsafeBytes(of: recordMagic.littleEndian, Array.init)
    var offset = max(start + 1, ContentHash.count)
    while offset + magic.count <= file.count {
      if file[offset] == magic[0], file[offset..<(offset + magic.count)].elementsEqual(magic),
        let previous = ContentHash(bytes: file[(offset - ContentHash.count)..<offset]),
        version(file[offset...], after: previous) != nil
      {
        return (offset, previous)
      }
      offset += 1
    }
    return nil
  }

  /// The version that the bytes begin with; nil where they do not, or its checksum is not that of one after `previous`.
  static func version(
    _ bytes: ArraySlice<UInt8>, after previous: ContentHash
  ) -> (VersionRecord, length: Int, checksum: ContentHash)? {
    var reader = ByteReader(bytes)
    do throws(ByteReader.Damage) {
      guard try reader.read(UInt32.self) == recordMagic else { return nil }
      let body = try reader.read(count: Int(try reader.read(UInt32.self)))
      let checksum = Self.checksum(body, after: previous)
      guard ContentHash(bytes: try reader.read(count: ContentHash.count)) == checksum else { return nil }
      var rows = ByteReader(body)
      let version = try VersionRecord(&rows)
      guard rows.remaining == 0 else { return nil }
      return (version, bytes.count - reader.remaining, checksum)
    } catch {
      return nil
    }
  }

  fileprivate static func checksum(_ body: ArraySlice<UInt8>, after previous: ContentHash) -> ContentHash {
    var hash = SHA256()
    previous.withUnsafeBytes { hash.update(bufferPointer: $0) }
    body.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return ContentHash(hash.finalize())
  }

  /// A version as it is in the file.
  fileprivate static func encoded(
    _ version: VersionRecord, after previous: ContentHash
  ) throws(ByteReader.Damage) -> (bytes: [UInt8], checksum: ContentHash) {
    var body = ByteWriter()
    try version.encode(to: &body)
    var writer = ByteWriter()
    writer.write(recordMagic)
    writer.write(UInt32(truncatingIfNeeded: body.bytes.count))
    writer.write(body.bytes)
    let checksum = checksum(body.bytes[...], after: previous)
    writer.write(checksum.bytes)
    return (writer.bytes, checksum)
  }

  /// Puts a version at the end; returns the bytes to be written at `end` as it was before.
  mutating func append(_ version: VersionRecord) throws(ByteReader.Damage) -> [UInt8] {
    let bytes = try end.append(version)
    chain.append(version)
    return bytes
  }

  /// Those of the journal's versions that it does not have yet.
  func missing(_ journal: [VersionRecord]) -> [VersionRecord] {
    // Also where the versions that the journal tells of are dropped by now, or the ones before them.
    let known = Set(chain.versions.flatMap { [$0.revision, $0.next] } + [chain.tip])
    guard let last = journal.lastIndex(where: { known.contains($0.next) }) else { return journal }
    return Array(journal[(last + 1)...])
  }

  /// All of a file with these versions.
  static func contents(
    _ chain: VersionChain, _ policy: RetentionPolicy
  ) throws(ByteReader.Damage) -> [UInt8] {
    var file = HistoryFile(tip: chain.versions.first?.revision ?? chain.tip, policy: policy)
    var bytes = file.header
    for version in chain.versions { bytes += try file.append(version) }
    return bytes
  }
}

extension HistoryFile {
  /// The history in a hidden folder; nil where none is kept.
  ///
  /// - Parameter skipsDamage: whether there is no journal beside it. (2)
  /// - Throws: EILSEQ for a file that is none.
  static func load(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, skipsDamage: Bool = false
  ) throws(SystemError) -> HistoryFile? {
    let name = PackageLayout.history
    guard let status = try disk.statusIfPresent(of: name, in: folder) else { return nil }
    guard status.kind == .file, status.size <= UInt64(maximumSize) else { throw isNone }
    let bytes = try disk.readAll(disk.openFile(name, in: folder), atMost: maximumSize)
    guard var history = HistoryFile(bytes, skipsDamage: skipsDamage) else { throw isNone }
    history.end.isFile(status.identity, length: bytes.count)
    return history
  }

  static let isNone = SystemError("read", PackageLayout.history, code: .illegalByteSequence)

  /// Writes it as a new file in the place of the old one, and makes that last.
  static func replace(
    by chain: VersionChain, _ policy: RetentionPolicy, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) {
    let name = PackageLayout.newHistory
    let contents: [UInt8]
    do {
      contents = try Self.contents(chain, policy)
    } catch {
      throw SystemError("write", name, code: .invalidArgument)
    }
    if try disk.exists(name, in: folder) { try disk.removeFile(name, in: folder) }
    let file = try disk.createFile(name, in: folder, mode: 0o666)
    try disk.write(contents, to: file, at: 0)
    try disk.synchronize(file)
    try disk.rename(name, in: folder, to: PackageLayout.history, in: folder, .replace)
    try disk.synchronize(folder)
  }
}

extension HistoryEnd {
  /// Puts a version at the end; returns the bytes to be written at `offset` as it was before.
  mutating func append(_ version: VersionRecord) throws(ByteReader.Damage) -> [UInt8] {
    let (bytes, checksum) = try HistoryFile.encoded(version, after: checksum)
    append(version, length: bytes.count, checksum)
    return bytes
  }
}
