public import FoundationEssentials

/// What somebody knows of a document on disk, asked before a watcher reports anything: so are a program's own
/// writes never reported to it.
///
/// The answer has to be one of a moment at which no write of one's own is under way; an actor that writes and
/// answers gives no other. A `PackageStore` is a known state; a document that writes by itself can be one.
public protocol KnownState: AnyObject, Sendable {
  /// Which of these places hold something else than what is known to be there.
  ///
  /// - Parameters:
  ///   - document: where the document is by now, which may be news itself.
  ///   - paths: places within the document at which something happened: news also where nobody ever looked. The
  ///     empty path is the document itself, of which only matters whether it is the same file or folder.
  ///   - found: places in folders that came as a whole, by a rename for one. Nothing is known to have happened
  ///     there, so that one at which nobody ever looked, in a folder that is known to have it, is no news.
  func news(of document: URL, at paths: [String], found: [String]) async -> [String]

  /// All places that hold something else than what is known to be there, asked when a package that is known took
  /// the place of another one. One at which nobody ever looked is no news.
  func news(of document: URL) async -> [String]
}
