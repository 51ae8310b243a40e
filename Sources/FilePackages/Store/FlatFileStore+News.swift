public import FoundationEssentials
import SystemPackage

extension FlatFileStore: KnownState {
  /// The places themselves where the file is not the one that was read or last written, by number, size and times.
  public func news(of document: URL, at paths: [String], found: [String]) -> [String] {
    news(of: document).isEmpty ? [] : paths + found
  }

  /// The empty path where the file is not the one that was read or last written.
  public func news(of document: URL) -> [String] {
    // A file that cannot be looked at is not known.
    guard let path = try? FilePath(of: document, for: .watch), (try? isKnown(at: path)) == true else {
      return [""]
    }
    return []
  }
}
