import FilePackages
package import FoundationEssentials

/// Files on this machine that may have bytes of files that come from a container.
///
/// Any program may change the files meanwhile, so the caller compares the bytes with a hash.
package protocol NearbyBytes: Sendable {
  /// Returns the bytes of a file in a range; nil if it has fewer bytes, or cannot be read.
  func bytes(of path: PackagePath, in range: Range<UInt64>) async -> Data?
}
