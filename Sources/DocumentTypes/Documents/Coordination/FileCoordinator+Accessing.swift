public import FoundationEssentials

extension FileCoordinator {
  /// Reads an item.
  ///
  /// Presenters save the item first, and no other coordinator writes it meanwhile.
  ///
  /// - Parameters:
  ///   - deadline: the time that the call waits for other programs.
  ///   - accessor: receives the item's URL, which is a new one if the item was moved meanwhile.
  /// - Throws: `FileCoordinationError` if the access did not begin; the error that `accessor` throws.
  public func coordinate<Result>(
    readingItemAt url: URL, options: ReadingOptions = [], deadline: Duration = defaultDeadline,
    byAccessor accessor: (URL) async throws -> Result
  ) async throws -> Result {
    let intent = FileAccessIntent.readingIntent(with: url, options: options)
    return try await access([intent], deadline: deadline) { try await accessor(intent.url) }
  }

  /// Writes an item.
  ///
  /// Presenters relinquish the item first, and are notified after the write. No other coordinator reads or writes it
  /// meanwhile.
  ///
  /// - Throws: as `coordinate(readingItemAt:)`.
  public func coordinate<Result>(
    writingItemAt url: URL, options: WritingOptions = [], deadline: Duration = defaultDeadline,
    byAccessor accessor: (URL) async throws -> Result
  ) async throws -> Result {
    let intent = FileAccessIntent.writingIntent(with: url, options: options)
    return try await access([intent], deadline: deadline) { try await accessor(intent.url) }
  }

  /// Reads one item and writes another one. It claims both at once, so that two such calls cannot deadlock.
  ///
  /// - Throws: as `coordinate(readingItemAt:)`.
  public func coordinate<Result>(
    readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
    writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
    deadline: Duration = defaultDeadline, byAccessor accessor: (URL, URL) async throws -> Result
  ) async throws -> Result {
    let reading = FileAccessIntent.readingIntent(with: readingURL, options: readingOptions)
    let writing = FileAccessIntent.writingIntent(with: writingURL, options: writingOptions)
    return try await access([reading, writing], deadline: deadline) {
      try await accessor(reading.url, writing.url)
    }
  }

  /// Writes two items at once, as for a move: one `forMoving`, the other `forReplacing`.
  ///
  /// - Throws: as `coordinate(readingItemAt:)`.
  public func coordinate<Result>(
    writingItemAt url: URL, options: WritingOptions = [],
    writingItemAt otherURL: URL, options otherOptions: WritingOptions = [],
    deadline: Duration = defaultDeadline, byAccessor accessor: (URL, URL) async throws -> Result
  ) async throws -> Result {
    let one = FileAccessIntent.writingIntent(with: url, options: options)
    let other = FileAccessIntent.writingIntent(with: otherURL, options: otherOptions)
    return try await access([one, other], deadline: deadline) { try await accessor(one.url, other.url) }
  }

  /// Reads and writes any number of items, all at once.
  ///
  /// The accessor finds each item at its intent's `url`.
  ///
  /// - Throws: as `coordinate(readingItemAt:)`.
  public func coordinate<Result>(
    with intents: [FileAccessIntent], deadline: Duration = defaultDeadline,
    byAccessor accessor: () async throws -> Result
  ) async throws -> Result {
    try await access(intents, deadline: deadline, accessor)
  }

  /// Asks the presenters of many items to relinquish and save them, all at once.
  ///
  /// In `accessor`, this coordinator then reads and writes the items one by one.
  ///
  /// - Throws: as `coordinate(readingItemAt:)`.
  public func prepare<Result>(
    forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
    writingItemsAt writingURLs: [URL] = [], options writingOptions: WritingOptions = [],
    deadline: Duration = defaultDeadline, byAccessor accessor: () async throws -> Result
  ) async throws -> Result {
    let intents =
      readingURLs.map { FileAccessIntent.readingIntent(with: $0, options: readingOptions) }
      + writingURLs.map { FileAccessIntent.writingIntent(with: $0, options: writingOptions) }
    return try await access(intents, takingClaims: false, deadline: deadline, accessor)
  }
}
