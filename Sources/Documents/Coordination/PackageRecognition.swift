import DurableIO
import FilePackages
package import SystemPackage

/// Decides whether a folder is one document.
package enum PackageRecognition {
  /// Returns whether the item at `path` is a package; follows symbolic links.
  package static func isPackage(at path: FilePath) -> Bool {
    // An unreadable place receives no item; the system says why when a program tries.
    (try? ItemPlace(path, following: true)).map(isPackage) ?? false
  }

  /// Returns whether the item has the hidden folder, an extension and metadata, or the extension of a package type.
  static func isPackage(_ place: ItemPlace) -> Bool {
    guard place.isThere, let name = place.names.last else { return false }
    // An ordinary folder costs one call. A folder that cannot be opened cannot be a package for this process. If a child
    // cannot be looked at, the name decides.
    let disk = PosixDisk()
    guard let folder = try? disk.openDirectory(at: place.path) else { return false }
    if (try? disk.exists(PackageLayout.hidden, in: folder)) == true { return true }
    guard name.bytes.dropFirst().contains(UInt8(ascii: ".")) else { return false }
    if (try? disk.exists(PackageLayout.metadata, in: folder)) == true { return true }
    return UTType(filename: name.string, isDirectory: true).isPackageOrBundle
  }
}
