package import FilePackages
package import FoundationEssentials

/// The SHA-256 of a version's bytes, which names it among all versions.
package struct VersionDigest: Sendable, Hashable, Comparable, CustomStringConvertible {
  private let name: BlobName

  package init(_ hash: ContentHash) { name = BlobName(hash) }

  /// Makes the digest of a version of these bytes.
  package init(of bytes: Data) { name = BlobName(of: bytes) }

  /// The SHA-256.
  package var hash: ContentHash { name.hash }

  /// Reads 64 hexadecimal digits in lower case; nil for anything else.
  package init?(_ string: some StringProtocol) {
    guard let name = BlobName(digits: string) else { return nil }
    self.name = name
  }

  /// The digits.
  package var description: String { name.description }

  /// Compares the bytes.
  package static func < (left: VersionDigest, right: VersionDigest) -> Bool { left.name < right.name }
}
