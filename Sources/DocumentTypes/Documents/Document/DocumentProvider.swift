public import FoundationEssentials

/// A place that brings the content of a document here before a program reads it, such as a container.
///
/// `DocumentOptions.provider` gives one to a document. Then opening a placeholder downloads it.
public protocol DocumentProvider: Sendable {
  /// Brings the content of the document at `url` here, and waits for it.
  ///
  /// Returns at once if the content is here, or if the document is not one of this place. A cancelled task ends the
  /// call.
  ///
  /// - Parameter progress: gets the bytes that are here and the bytes that come, from any thread.
  /// - Throws: the reason, in one sentence that says what to do.
  func provide(
    itemAt url: URL, progress: @escaping @Sendable (_ completed: UInt64, _ total: UInt64) -> Void
  ) async throws
}
