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
    let bytes: [UInt8]
    do {
      let package = try disk.openDirectory(at: path)
      guard try disk.exists(PackageLayout.metadata, in: package) else { return nil }
      let file = try disk.openFile(PackageLayout.metadata, in: package)
      bytes = try disk.readAll(file, atMost: maximumSize + 1)
    } catch {
      throw FilePackageError(error, .read, node)
    }
    do {
      return try PackageMetadata(decoding: Data(bytes))
    } catch {
      throw FilePackageError(error.code, .read, node, reason: error.words)
    }
  }

  /// Reads the plist in an open folder; nil if there is none, or if it is not one that this library reads.
  ///
  /// - Throws: the system's error.
  package static func readIfOwn(
    _ name: FileName = PackageLayout.metadata, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> PackageMetadata? {
    guard try disk.exists(name, in: folder) else { return nil }
    let bytes = try disk.readAll(disk.openFile(name, in: folder), atMost: maximumSize + 1)
    return try? PackageMetadata(decoding: Data(bytes))
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
