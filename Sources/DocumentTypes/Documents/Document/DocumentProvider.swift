public import FoundationEssentials

/// A source that downloads the content of a document before a program reads it, such as a container.
///
/// `DocumentOptions.provider` gives one to a document. Then opening a placeholder downloads it.
public protocol DocumentProvider: Sendable {
  /// Downloads the content of the document at `url`, and waits for it.
  ///
  /// Returns at once if the content is on this machine, or if the document does not belong to this source. Cancelling
  /// the task ends the call.
  ///
  /// - Parameter progress: gets the number of bytes downloaded so far and the number of all bytes, on any thread.
  /// - Throws: the reason, in one sentence that says what to do.
  func provide(
    itemAt url: URL, progress: @escaping @Sendable (_ completed: UInt64, _ total: UInt64) -> Void
  ) async throws
}
