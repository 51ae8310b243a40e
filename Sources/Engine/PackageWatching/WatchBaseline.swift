public import FoundationEssentials

/// A state of a document on disk that a program knows.
///
/// A watcher asks this object before each report, so that the watcher does not report the program's own writes. The
/// object must not answer during a write of its own. An actor whose writes have no `await` never does. `PackageStore`
/// conforms; a document that writes its files itself can conform, too.
public protocol WatchBaseline: AnyObject, Sendable {
  /// Returns the places whose state on disk differs from the known state.
  ///
  /// - Parameters:
  ///   - document: the current place of the document, which may itself differ.
  ///   - paths: places within the document with an event. A place that was never looked at counts as different. The
  ///     empty path is the document itself, which differs only if it is another file or folder.
  ///   - found: places in folders that appeared as a whole, for example by a rename. They had no events of their own.
  ///     So a place that was never looked at does not differ if its folder is known to hold it.
  func news(of document: URL, at paths: [String], found: [String]) async -> [String]

  /// Returns all places whose state on disk differs from the known state, after a known package replaced another one.
  ///
  /// A place that was never looked at does not count.
  func news(of document: URL) async -> [String]
}
