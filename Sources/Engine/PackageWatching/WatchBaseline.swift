public import FoundationEssentials

/// A state of a document on disk that a program knows.
///
/// A watcher asks it before each report, so that it does not report the program's own writes. The answer must come from
/// a moment without a write of its own under way. An actor that writes and answers gives no other answer. A
/// `PackageStore` is a known state; a document that writes by itself can be one.
public protocol WatchBaseline: AnyObject, Sendable {
  /// Returns the places whose state on disk differs from the known state.
  ///
  /// - Parameters:
  ///   - document: the current place of the document, which may be news itself.
  ///   - paths: places within the document with an event. A place that was never looked at is news. The empty path is
  ///     the document itself; only its being the same file or folder counts.
  ///   - found: places in folders that came as a whole, for example by a rename. No event is known at these places. So
  ///     a place that was never looked at is no news, if its folder is known to hold it.
  func news(of document: URL, at paths: [String], found: [String]) async -> [String]

  /// Returns all places whose state on disk differs from the known state, after a known package replaced another one.
  ///
  /// A place that was never looked at is no news.
  func news(of document: URL) async -> [String]
}
