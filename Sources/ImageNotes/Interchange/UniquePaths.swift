/// Paths of files in one tree. No two are the same, also without regard to case, and no file is a folder of another.
struct UniquePaths {
  private var files: Set<String> = []
  private var folders: Set<String> = []

  /// Adds a path and returns it; with a number if it is taken, and without its folders if one of them is a file.
  mutating func add(_ path: String) -> String {
    let isInFile = Self.folders(of: path).contains { files.contains($0) }
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = isInFile ? "" : path[..<start]
    let (base, pathExtension) = FreeName.split(String(path[start...]))
    var (unique, number) = (folder + path[start...], 2)
    while files.contains(unique.lowercased()) || folders.contains(unique.lowercased()) {
      unique = "\(folder)\(base) \(number)" + (pathExtension.isEmpty ? "" : ".\(pathExtension)")
      number += 1
    }
    files.insert(unique.lowercased())
    folders.formUnion(Self.folders(of: String(unique)))
    return String(unique)
  }

  /// The folders around a path in lower case, the outermost first.
  private static func folders(of path: String) -> [String] {
    let path = path.lowercased()
    return path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }
}
