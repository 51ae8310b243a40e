import DurableIO
package import FilePackages
package import FoundationEssentials
package import SystemPackage

/// A package on this machine, whose files may have bytes of files that come from a container.
///
/// Any program may change the files meanwhile, so the caller compares the bytes with a hash.
package struct NearbyPackage: Sendable {
  private let location: Location

  package init(at path: FilePath) { location = Location(path, on: PosixDisk()) }

  /// Returns the bytes of a file in a range; nil if it has fewer bytes, or cannot be read.
  package func bytes(of path: PackagePath, in range: Range<UInt64>) async -> Data? {
    await BlockingThread().run {
      let bytes = try? read(path, range)  // The container has the bytes, too.
      return bytes?.count == range.count ? bytes : nil
    }
  }

  private func read(_ path: PackagePath, _ range: Range<UInt64>) throws -> Data {
    let file = try StoredNode(location: location, path: path).openFile()
    guard try range.upperBound <= location.disk.status(of: file).size else { return Data() }
    return Data(try location.disk.read(file, at: range.lowerBound, atMost: range.count))
  }
}
