import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

// H1 A version is in the journal's record of the save that replaced it, so it is durable when that save is. The journal
//    has the versions that the history file does not have yet.
// H2 The versions that the journal has, too, may not be durable in the file: a power cut may have left a later one
//    without the one before it. They count up to the first that is not intact. The other versions are durable. One
//    that is not intact was damaged later, and those after it count.
// H3 The journal is removed, emptied or restarted only after the file and the folder of kept files are synced. After any
//    power cut either they have the version, or the journal and the staged files do.

/// The versions of a package on disk: a header, then the versions, each with a checksum that covers the earlier ones.
///
/// Loading it costs its size, for a document of any size. A save needs only its end: `HistoryEnd`.
struct HistoryFile {
  private(set) var chain: VersionChain
  var policy: RetentionPolicy
  /// The end of the last version.
  package private(set) var end: HistoryEnd
  /// Whether there are invalid bytes between the versions.
  private(set) var isDamaged = false

  static let magic = Array("DOCPKGH1".utf8)
  static let recordMagic: UInt32 = 0x5352_4556  // VERS
  static let headerLength = 8 + 16 + RetentionPolicy.encodedLength
  /// The maximum size; a larger history is not read.
  static let maximumSize = PackageLayout.maximumHistorySize

  /// Makes a history without versions, of a document in the state `tip`.
  init(tip: UUID, policy: RetentionPolicy = .standard) {
    chain = VersionChain(tip: tip)
    self.policy = policy
    end = HistoryEnd(tip: tip, header: Self.header(tip, policy))
  }

  /// The header of a file that has no versions yet.
  var header: [UInt8] { Self.header(chain.tip, policy) }

  private static func header(_ tip: UUID, _ policy: RetentionPolicy) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(magic)
    writer.write(tip)
    policy.encode(to: &writer)
    return writer.bytes
  }

  /// Returns the state and the policy in the header of a file; nil if the file is no history.
  static func beginning(of file: [UInt8]) -> (tip: UUID, policy: RetentionPolicy)? {
    guard file.count >= headerLength, file.starts(with: magic) else { return nil }
    var reader = ByteReader(file[magic.count...])
    do throws(ByteReader.Damage) {
      return (UUID(bytes: try reader.read(count: 16)), try RetentionPolicy(&reader))
    } catch {
      return nil
    }
  }

  /// Decodes a file; nil if it does not begin as a history does.
  ///
  /// - Parameter vouched: the states that the journal's versions lead to (H2); nil to end at the first damage.
  init?(_ file: [UInt8], besides vouched: Set<UUID>? = nil) {
    guard let (tip, policy) = Self.beginning(of: file) else { return nil }
    self.policy = policy
    chain = VersionChain(tip: tip)
    end = HistoryEnd(tip: tip, header: Array(file[..<Self.headerLength]))
    while true {
      while let (version, length, checksum) = Self.version(file[end.offset...], after: end.checksum) {
        chain.append(version)
        end.append(version, length: length, checksum)
      }
      guard let vouched, let next = Self.nextVersion(in: file, from: end.offset, besides: vouched) else {
        break
      }
      isDamaged = true
      end.skip(to: next.offset, after: next.previous)
    }
  }

  /// Returns the offset of the next intact version that is durable, and the checksum before it.
  private static func nextVersion(
    in file: [UInt8], from start: Int, besides vouched: Set<UUID>
  ) -> (offset: Int, previous: ContentHash)? {
    let magic = withUnsafeBytes(of: recordMagic.littleEndian, Array.init)
    var offset = max(start + 1, ContentHash.count)
    while offset + magic.count <= file.count {
      if file[offset] == magic[0], file[offset..<(offset + magic.count)].elementsEqual(magic),
        let previous = ContentHash(bytes: file[(offset - ContentHash.count)..<offset]),
        let (version, _, _) = version(file[offset...], after: previous), !vouched.contains(version.next)
      {
        return (offset, previous)
      }
      offset += 1
    }
    return nil
  }

  /// Returns the version at the start of the bytes; nil if there is none, or if its checksum does not follow
  /// `previous`.
  package static func version(
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
    hash.update(previous)
    body.withUnsafeBytes { hash.update($0) }
    return hash.finalize()
  }

  /// Returns the bytes of a version in the file.
  fileprivate static func encoded(
    _ version: VersionRecord, after previous: ContentHash
  ) throws(ByteReader.Damage) -> (bytes: [UInt8], checksum: ContentHash) {
    var body = ByteWriter()
    try version.encode(to: &body)
    var writer = ByteWriter()
    writer.write(recordMagic)
    let bytes = body.bytes
    writer.write(UInt32(truncatingIfNeeded: bytes.count))
    writer.write(bytes)
    let checksum = checksum(bytes[...], after: previous)
    writer.write(checksum)
    return (writer.bytes, checksum)
  }

  /// Adds a version; returns the bytes that a caller must write at the previous `end`.
  mutating func append(_ version: VersionRecord) throws(ByteReader.Damage) -> [UInt8] {
    let bytes = try end.append(version)
    chain.append(version)
    return bytes
  }

  /// Returns the journal's versions that the history does not have yet.
  ///
  /// - Parameter states: the states that the last version may lead to; nil for any. A journal may have
  ///   come from another computer, without the document that it belongs to.
  func missing(_ journal: [VersionRecord], before states: Set<UUID>?) -> [VersionRecord] {
    if let states, let last = journal.last, !states.contains(last.next) { return [] }
    // This also covers journal versions that the history has dropped, with those before them.
    let known = Set(chain.versions.flatMap { [$0.revision, $0.next] } + [chain.tip])
    guard let last = journal.lastIndex(where: { known.contains($0.next) }) else { return journal }
    return Array(journal[(last + 1)...])
  }

  /// Returns the bytes of a file with these versions.
  package static func contents(
    _ chain: VersionChain, _ policy: RetentionPolicy
  ) throws(ByteReader.Damage) -> [UInt8] {
    var file = HistoryFile(tip: chain.versions.first?.revision ?? chain.tip, policy: policy)
    var bytes = file.header
    for version in chain.versions { bytes += try file.append(version) }
    return bytes
  }
}

extension HistoryFile {
  /// Loads the history in a hidden folder; nil if there is none.
  ///
  /// - Parameter vouched: the states that the journal's versions lead to (H2).
  /// - Throws: EILSEQ for a file that is no history.
  static func load(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, besides vouched: Set<UUID>
  ) throws(SystemError) -> HistoryFile? {
    let name = PackageLayout.history
    guard let status = try disk.statusIfPresent(of: name, in: folder) else { return nil }
    guard status.kind == .file, status.size <= UInt64(maximumSize) else { throw isNone }
    let bytes = try disk.readAll(disk.openFile(name, in: folder), atMost: maximumSize)
    guard var history = HistoryFile(bytes, besides: vouched) else { throw isNone }
    history.end.isFile(status.identity, length: bytes.count)
    return history
  }

  static let isNone = SystemError("read", PackageLayout.history, code: .illegalByteSequence)

  /// Writes a new file, replaces the old one with it, and makes that durable.
  static func replace(
    by chain: VersionChain, _ policy: RetentionPolicy, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) {
    let contents: [UInt8]
    do {
      contents = try Self.contents(chain, policy)
    } catch {
      throw SystemError("write", PackageLayout.newHistory, code: .invalidArgument)
    }
    _ = try disk.replace(PackageLayout.history, by: PackageLayout.newHistory, in: folder) {
      file throws(SystemError) in try disk.write(contents, to: file, at: 0)
    }
    try disk.synchronize(folder)
  }
}

extension HistoryEnd {
  /// Adds a version; returns the bytes that a caller must write at the previous `offset`.
  mutating func append(_ version: VersionRecord) throws(ByteReader.Damage) -> [UInt8] {
    let (bytes, checksum) = try HistoryFile.encoded(version, after: checksum)
    append(version, length: bytes.count, checksum)
    return bytes
  }
}
