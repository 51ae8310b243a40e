package import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
package import SystemPackage

extension PackageMetadata {
  /// Reads the plist of the package at a path, and opens no other file; nil if there is none.
  package static func read(
    from path: FilePath, on disk: any Disk = PosixDisk()
  ) throws(FilePackageError) -> PackageMetadata? {
    let node = StoredNode(location: Location(path, on: disk), path: .root)
    let bytes = try node.attempt(.read) { try plist(in: disk.openDirectory(at: path), on: disk) }
    return try bytes.map { bytes throws(FilePackageError) in try PackageMetadata(decoding: bytes, of: node) }
  }

  /// Decodes the plist of the package at a node.
  init(decoding bytes: Data, of node: StoredNode) throws(FilePackageError) {
    do {
      self = try PackageMetadata(decoding: bytes)
    } catch {
      throw FilePackageError(error.code, .read, node, reason: error.words)
    }
  }

  /// Returns the bytes of the plist in an open folder, one more than there may be at most; nil if there is none.
  private static func plist(
    _ name: FileName = PackageLayout.metadata, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Data? {
    guard try disk.exists(name, in: folder) else { return nil }
    return Data(try disk.readAll(disk.openFile(name, in: folder), atMost: maximumSize + 1))
  }

  /// Reads the plist in an open folder; nil if there is none, or if it is not one that this library reads.
  ///
  /// - Throws: the system's error.
  package static func readIfOwn(
    _ name: FileName = PackageLayout.metadata, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> PackageMetadata? {
    try plist(name, in: folder, on: disk).flatMap { try? PackageMetadata(decoding: $0) }
  }

  /// Returns whether the `Metadata.plist` in an open folder is this library's, also if its format is another one.
  ///
  /// A plist that is damaged counts as another program's.
  ///
  /// - Throws: the system's error; also if there is no such file.
  package static func isOwn(
    in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    let bytes = try disk.readAll(disk.openFile(PackageLayout.metadata, in: folder), atMost: maximumSize + 1)
    do {
      _ = try PackageMetadata(decoding: Data(bytes))
      return true
    } catch {
      return [.newerFormat, .unsupported].contains(error.code)
    }
  }
}
