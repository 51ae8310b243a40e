import Crypto
import DurableIO
import FoundationEssentials
import SystemPackage

// (1) A version is in the journal's record of the save that replaced it, so it lasts as that save does. What the
//     history file does not have yet is found there.
// (2) What follows the last whole version in the file is nothing.
// (3) The journal goes, or starts again, only after the file and the folder for versions are on the medium.

/// The versions of a package as they are on disk: a header, then one version after the other, each with a checksum
/// that goes over those before it.
///
/// Loading it costs its size, whatever the document's.
final class HistoryFile {
  private(set) var chain: VersionChain
  var policy: RetentionPolicy
  /// Where the next version goes.
  private(set) var end: Int
  private var checksum: ContentHash
  /// Which file it is.
  var identity: FileIdentity?

  static let magic = Array("DOCPKGH1".utf8)
  private static let recordMagic: UInt32 = 0x5352_4556  // VERS
  static let headerLength = 8 + 16 + RetentionPolicy.encodedLength
  /// A history beyond this is not read.
  static let maximumSize = 1 << 30

  /// One without versions, of a document that is in the state `tip`.
  init(tip: UUID, policy: RetentionPolicy = .standard) {
    chain = VersionChain(tip: tip)
    self.policy = policy
    let header = Self.header(tip, policy)
    end = header.count
    checksum = ContentHash(of: header)
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

  /// Reads what a file holds; nil where that does not begin as a history does.
  init?(_ file: [UInt8]) {
    guard file.count >= Self.headerLength, file.starts(with: Self.magic) else { return nil }
    var reader = ByteReader(file[Self.magic.count...])
    do throws(ByteReader.Damage) {
      chain = VersionChain(tip: UUID(bytes: try reader.read(count: 16)))
      policy = try RetentionPolicy(&reader)
    } catch {
      return nil
    }
    checksum = ContentHash(of: Array(file[..<Self.headerLength]))
    end = Self.headerLength
    while let (version, length, next) = Self.version(file[end...], after: checksum) {
      chain.append(version)
      checksum = next
      end += length
    }
  }

  private static func version(
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

  private static func checksum(_ body: ArraySlice<UInt8>, after previous: ContentHash) -> ContentHash {
    var hash = SHA256()
    previous.withUnsafeBytes { hash.update(bufferPointer: $0) }
    body.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return ContentHash(hash.finalize())
  }

  /// Puts a version at the end; returns the bytes to be written at `end` as it was before.
  func append(_ version: VersionRecord) throws(ByteReader.Damage) -> [UInt8] {
    var body = ByteWriter()
    try version.encode(to: &body)
    var writer = ByteWriter()
    writer.write(Self.recordMagic)
    writer.write(UInt32(truncatingIfNeeded: body.bytes.count))
    writer.write(body.bytes)
    checksum = Self.checksum(body.bytes[...], after: checksum)
    writer.write(checksum.bytes)
    chain.append(version)
    end += writer.bytes.count
    return writer.bytes
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
    let file = HistoryFile(tip: chain.versions.first?.revision ?? chain.tip, policy: policy)
    var bytes = header(file.chain.tip, policy)
    for version in chain.versions { bytes += try file.append(version) }
    return bytes
  }
}

extension HistoryFile {
  /// The history in a hidden folder; nil where none is kept.
  ///
  /// - Throws: EILSEQ for a file that is none.
  static func load(
    in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> HistoryFile? {
    let name = PackageLayout.history
    guard let status = try disk.statusIfPresent(of: name, in: folder) else { return nil }
    guard status.kind == .file, status.size <= UInt64(maximumSize),
      let history = HistoryFile(try disk.readAll(disk.openFile(name, in: folder), atMost: maximumSize))
    else { throw SystemError("read", name, code: .illegalByteSequence) }
    history.identity = status.identity
    return history
  }

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
