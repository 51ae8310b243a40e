import CommandSupport
import FoundationEssentials

/// Paths as the arguments spell them.
struct PathSpellings {
  private var folders: [(prefix: String, argument: String)] = []

  init(_ arguments: [String]) {
    folders = arguments.map { (url($0).path, $0.hasSuffix("/") && $0 != "/" ? String($0.dropLast()) : $0) }
      .sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
  }

  func spelling(of path: String) -> String {
    for (prefix, argument) in folders {
      if path == prefix { return argument }
      let start = prefix == "/" ? prefix : prefix + "/"
      if path.hasPrefix(start) {
        return (argument == "/" ? "" : argument) + "/" + path.dropFirst(start.count)
      }
    }
    return path
  }
}
