import DurableIO
package import FilePackages
package import FoundationEssentials
package import ObjectStores

/// The name of a blob: the SHA-256 of its bytes.
///
/// This type alone decides the names and the bytes of blobs in a store.
package struct BlobName: Sendable, Hashable {
  /// The SHA-256 of the bytes.
  package var hash: ContentHash

  package init(_ hash: ContentHash) { self.hash = hash }

  /// Makes the name of these bytes.
  package init(of bytes: Data) { hash = bytes.withUnsafeBytes { ContentHash(of: $0) } }

  /// The beginning of the keys of all blobs.
  package static let prefix = "blobs/"

  /// The object's key: `blobs/`, the first two digits, a slash and all 64 digits.
  package var key: ObjectKey {
    let digits = description
    return checkedKey("\(Self.prefix)\(digits.prefix(2))/\(digits)")
  }

  /// Makes the name of a blob from its key; nil for any other object.
  package init?(_ key: ObjectKey) {
    let segments = key.segments
    guard segments.count == 3, let last = segments.last else { return nil }
    self.init(digits: last)
    // Another folder makes another object.
    if self.key != key { return nil }
  }

  /// Reads 64 hexadecimal digits in lower case; nil for anything else.
  package init?(digits: some StringProtocol) {
    guard let bytes = digits.utf8.hexadecimalDecoded, let hash = ContentHash(bytes: bytes[...]) else {
      return nil
    }
    self.hash = hash
  }
}

extension BlobName: Comparable {
  /// Compares the bytes: the order of the keys in a listing.
  package static func < (left: BlobName, right: BlobName) -> Bool {
    left.hash.bytes.lexicographicallyPrecedes(right.hash.bytes)
  }
}

extension BlobName {
  /// The name before the first entry of a log.
  package static var zeros: BlobName {
    guard let zeros = ContentHash(bytes: [UInt8](repeating: 0, count: ContentHash.count)[...]) else {
      preconditionFailure("32 zeros have the length of a hash")
    }
    return BlobName(zeros)
  }

  /// The identifier of the conflict version of that name in a package: the first sixteen bytes.
  var identifier: UUID { hash.bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } }
}

extension BlobName: CustomStringConvertible {
  /// 64 hexadecimal digits.
  package var description: String { hash.withUnsafeBytes { $0.hexadecimal } }
}
