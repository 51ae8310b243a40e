import Documents
import FilePackages
import Glibc
import SystemPackage

/// Where a command puts what it makes, as cp(1) takes a destination.
enum Destination {
  /// `path` itself, or the place with that name in the folder that is there.
  static func path(_ path: String, for name: () -> String?) -> String {
    guard isFolder(path), let name = name() else { return path }
    return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }

  /// The last name of a path, and what of it is before the extension; nil for `.`, `..` and the root.
  static func name(of path: String) -> (name: String, stem: String)? {
    guard let name = path.split(separator: "/").last.map(String.init), name != ".", name != ".." else {
      return nil
    }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, name) }
    return (name, String(name[..<dot]))
  }

  /// Whether it is a folder to put things into: it is there, and no package. A name with an extension may be that of a
  /// package whose type is not known, unless the path ends in a slash.
  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard let place = filePath(path), place.withPlatformString({ stat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFDIR, !PackageRecognition.isPackage(at: place)
    else { return false }
    return path.hasSuffix("/") || place.extension == nil
  }

  private static func filePath(_ path: String) -> FilePath? {
    // A path that is none is an error of the command's own work, which says so.
    try? FilePath(of: url(path), for: .create)
  }
}
