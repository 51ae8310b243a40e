import DurableIO
import FilePackages
package import SystemPackage

/// Whether a folder is one document.
package enum PackageRecognition {
  /// Whether what is at a path, symbolic links followed, is a package.
  package static func isPackage(at path: FilePath) -> Bool {
    // What cannot be looked at is no place to put anything into; the system says why when that is tried.
    (try? ItemPlace(path, following: true)).map(isPackage) ?? false
  }

  /// It has the hidden folder, or a name with an extension and metadata, or one of a type that is a package.
  static func isPackage(_ place: ItemPlace) -> Bool {
    guard place.isThere, let name = place.names.last else { return false }
    // The usual folder costs one call; one that cannot be opened is none that can be looked into either.
    let disk = PosixDisk()
    guard let folder = try? disk.openDirectory(at: place.path) else { return false }
    if (try? disk.exists(PackageLayout.hidden, in: folder)) == true { return true }
    guard name.bytes.dropFirst().contains(UInt8(ascii: ".")) else { return false }
    if (try? disk.exists(PackageLayout.metadata, in: folder)) == true { return true }
    return UTType(filename: name.string, isDirectory: true).isPackageOrBundle
  }
}
