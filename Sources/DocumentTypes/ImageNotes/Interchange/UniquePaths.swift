import DurableIO
import FilePackages

/// Paths of files in one tree. No two are the same, also without regard to case and to the way of writing accents, and
/// no file is a folder of another.
struct UniquePaths {
  private var files: Set<String> = []
  private var folders: Set<String> = []
  /// The last number that each path got.
  private var numbers: [String: Int] = [:]

  /// Adds a path and returns it; with a number if it is taken, and without its folders if one of them is a file.
  mutating func add(_ path: String) -> String {
    let path = PackagePath(path).string
    let isInFile = Self.folders(of: path).contains { files.contains($0) }
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = isInFile ? "" : path[..<start]
    let (base, end) = Self.split(String(path[start...]))
    let wanted = String(folder + path[start...])
    var last = 0
    let unique = firstFree(from: (numbers[wanted] ?? 0) + 1) { number in
      last = number
      return number == 1 ? wanted : "\(folder)\(base) \(number)\(end)"
    } isTaken: {
      files.contains($0.lowercased()) || folders.contains($0.lowercased())
    }
    numbers[wanted] = last
    files.insert(unique.lowercased())
    folders.formUnion(Self.folders(of: unique))
    return unique
  }

  /// The parts of a name before and behind its number: with the number, they fit in the 255 bytes of a name.
  private static func split(_ name: String) -> (base: String, end: String) {
    var (base, pathExtension) = FreeName.split(name)
    if pathExtension.utf8.count > 100 { (base, pathExtension) = (name, "") }
    let end = pathExtension.isEmpty ? "" : ".\(pathExtension)"
    while base.utf8.count + end.utf8.count > 240 { base.removeLast() }
    return (base, end)
  }

  /// The folders around a path in lower case, the outermost first.
  private static func folders(of path: String) -> [String] {
    let path = path.lowercased()
    return path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }
}
