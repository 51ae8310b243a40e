package import FilePackages
package import FoundationEssentials
import ObjectStores

// A reader of foreign bytes: any writer to the store can make an entry. No library knows this format.

/// One object of the feed: versions that a device committed, or the last versions that the store has after a loss.
///
/// Its bytes have the hash of the entry before. So the hash of one entry stands for all entries up to it.
package struct FeedEntry: Sendable, Hashable {
  /// A version of a document.
  package struct Version: Sendable, Hashable {
    package var document: CloudDocumentID
    /// The number; 0 in a loss if the store has no version of the document.
    package var sequence: Int
    /// The digest of the version's bytes.
    package var digest: VersionDigest

    package init(_ document: CloudDocumentID, _ sequence: Int, _ digest: VersionDigest) {
      (self.document, self.sequence, self.digest) = (document, sequence, digest)
    }
  }

  /// The reason for an entry.
  package enum Kind: UInt8, Sendable {
    /// The device committed them.
    case committed = 0
    /// The store lost later versions of these documents, or other ones of these numbers, or only entries of the feed.
    case lost = 1
  }

  /// The reason why bytes are no entry.
  package enum Problem: Error, Hashable { case tooLarge, newerFormat, invalid }

  /// The largest number of versions.
  package static let maximumCount = 256
  /// The size of the largest entry, in bytes.
  package static let maximumSize = 35 + 64 + maximumCount * versionSize
  private static let versionSize = 32 + 8 + ContentHash.count
  private static let format: UInt8 = 1

  /// The hash of the bytes of the entry before; zeros for the first one.
  package var previous: ContentHash
  package var kind: Kind
  /// The device that made the entry.
  package var device: String
  package var versions: [Version]

  package init(after previous: ContentHash, _ kind: Kind, by device: String, _ versions: [Version]) {
    (self.previous, self.kind, self.device, self.versions) = (previous, kind, device, versions)
  }

  /// The bytes of the object: the format, the hash of the entry before, the kind, the size of the device's identity and
  /// the identity. Then come 72 bytes for each version: the document in 32 digits, the number in 8 bytes with the lowest
  /// first, and the digest.
  package var bytes: Data {
    var writer = ByteWriter()
    writer.write(Self.format)
    writer.write(previous)
    writer.write(kind.rawValue)
    writer.write(UInt8(device.utf8.count))
    writer.write(device)
    for version in versions {
      writer.write(version.document.string)
      writer.write(UInt64(version.sequence))
      writer.write(version.digest.hash)
    }
    return Data(writer.bytes)
  }

  /// Reads an entry of any origin.
  package init(decoding bytes: Data) throws(Problem) {
    guard bytes.count <= Self.maximumSize else { throw .tooLarge }
    if let format = bytes.first, format > Self.format { throw .newerFormat }
    var reader = ByteReader([UInt8](bytes)[...])
    guard let read = try? FeedEntry(from: &reader) else { throw .invalid }  // `invalid` says it.
    self = read
  }

  /// Reads an entry; nil for anything else.
  private init?(from reader: inout ByteReader) throws(ByteReader.Damage) {
    guard try reader.read(UInt8.self) == Self.format,
      let previous = ContentHash(bytes: try reader.read(count: ContentHash.count)),
      let kind = Kind(rawValue: try reader.read())
    else { return nil }
    let name = Array(try reader.read(count: Int(try reader.read(UInt8.self))))
    guard let device = String(validating: name, as: UTF8.self), CloudVersion.isDevice(device) else {
      return nil
    }
    self.init(after: previous, kind, by: device, [])
    while reader.remaining > 0 {
      let document = CloudDocumentID(String(decoding: try reader.read(count: 32), as: UTF8.self))
      let sequence = try reader.read(UInt64.self)
      guard let document, let digest = ContentHash(bytes: try reader.read(count: ContentHash.count)),
        (kind.smallestNumber...UInt64(CloudVersion.maximumSequence)).contains(sequence),
        versions.count < Self.maximumCount
      else { return nil }
      versions.append(Version(document, Int(sequence), VersionDigest(digest)))
    }
  }
}

extension FeedEntry.Kind {
  fileprivate var smallestNumber: UInt64 {
    switch self {
    case .committed: 1
    case .lost: 0
    }
  }
}

extension FeedEntry.Problem {
  /// The reason in words, about the container.
  package var words: String {
    switch self {
    case .tooLarge: "has an entry of its feed that is larger than it may be"
    case .newerFormat: "has an entry of its feed that a newer version of this program wrote"
    case .invalid: "has an entry of its feed that is damaged"
    }
  }
}
