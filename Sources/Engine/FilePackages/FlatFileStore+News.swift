public import FoundationEssentials
import SystemPackage

extension FlatFileStore: WatchBaseline {
  /// Returns all these places if the file is not the one that was read or last written, by inode number, size and
  /// times.
  public func news(of document: URL, at paths: [String], found: [String]) -> [String] {
    news(of: document).isEmpty ? [] : paths + found
  }

  /// Returns the empty path if the file is not the one that was read or last written.
  public func news(of document: URL) -> [String] {
    // A file that cannot be looked at is not known.
    guard let path = try? FilePath(of: document, for: .watch), (try? isKnown(at: path)) == true else {
      return [""]
    }
    return []
  }
}
