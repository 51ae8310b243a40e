import DurableIO
import FilePackages
import TestSupport

import CloudContainers

/// Entries for tests of trees.
enum TreeFixture {
  static func file(_ path: String, _ content: String = "", mode: UInt16 = 0o644) -> TreeEntry {
    let bytes = Array(content.utf8)
    return TreeEntry(
      PackagePath(path),
      .file(
        FileContent(
          size: UInt64(bytes.count), hash: ContentHash(of: bytes),
          modified: FileTime(seconds: 1_000, nanoseconds: 7))),
      mode: mode)
  }

  /// Returns entries in order.
  static func files(_ count: Int) -> [TreeEntry] {
    ([TreeEntry("Images", .directory, mode: 0o755)]
      + (0..<count).map { file("Images/\($0).png", "image \($0)") }).sorted { $0.path < $1.path }
  }

  /// Returns an entry of any kind at a path.
  static func entry(_ path: String, _ random: inout SeededGenerator) -> TreeEntry {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return TreeEntry(PackagePath(path), .directory, mode: 0o755)
    case 1: return TreeEntry(PackagePath(path), .link(Array("../a\(random.next() % 9)".utf8)), mode: 0)
    case 2, 3:
      let content = FileContent(
        size: random.next() % (1 << 24) + 1, hash: ContentHash(of: [2]),
        modified: FileTime(seconds: -5, nanoseconds: 999_999_999), list: BlobName(ContentHash(of: [3])))
      return TreeEntry(PackagePath(path), .file(content), mode: 0o755)
    default: return file(path, "\(random.next() % 50)")
    }
  }
}
