import Documents

/// The place of a command's result, with the rules of cp(1).
enum Destination {
  /// Returns `path` itself, or the path of that name in `path` if `path` is a folder.
  static func path(_ path: String, for name: () -> String?) -> String {
    guard isFolder(path), let name = name() else { return path }
    return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }

  /// Returns the last name of a path, and that name without its extension; nil for `.`, `..` and the root.
  static func name(of path: String) -> (name: String, stem: String)? {
    guard let name = path.split(separator: "/").last.map(String.init), name != ".", name != ".." else {
      return nil
    }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, name) }
    return (name, String(name[..<dot]))
  }

  /// Returns whether the path is an existing folder and no package. If the name has an extension, it may be a
  /// package of an unknown type, unless the path ends in a slash.
  private static func isFolder(_ path: String) -> Bool {
    guard isDirectory(path), folderSigns(path)?.showPackage() != true else { return false }
    return path.hasSuffix("/") || name(of: path).map { $0.name == $0.stem } ?? true
  }
}
