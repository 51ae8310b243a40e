import FilePackages

/// Finds files as a Mac does: without regard to case, and to the way of writing accents.
struct CaseInsensitiveNames {
  /// For each folder that was looked at, its names by their spelling in lower case. Equal strings may differ in their
  /// bytes.
  private var folders: [PackagePath: [String: String]] = [:]

  /// Returns the path on disk of a file that a text names; the path itself if nothing fits.
  ///
  /// The exact name comes first. Of several names that fit, it is the first in byte order.
  mutating func path(_ path: String, in tree: FileWrapper) throws -> String {
    var folder = tree
    var found = ""
    for name in path.split(separator: "/") {
      guard folder.isDirectory else { return path }
      let known = try actualName(String(name), in: folder, at: found)
      guard let known, let child = try folder.child(named: known) else { return path }
      found += found.isEmpty ? known : "/\(known)"
      folder = child
    }
    return found
  }

  private mutating func actualName(_ name: String, in folder: FileWrapper, at path: String) throws -> String?
  {
    if try folder.child(named: name) != nil { return name }
    let path = PackagePath(path)
    if folders[path] == nil {
      folders[path] = Dictionary(try folder.childNames().map { ($0.lowercased(), $0) }) { first, _ in first }
    }
    return folders[path]?[name.lowercased()]
  }
}
