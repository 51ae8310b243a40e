import FilePackages

// The calls of a content's own code. The engine makes them here alone, on a thread that may wait.
//
// A type of the main actor is read and written there, as on Apple's systems. At run time nothing tells such a type, so
// each call is one that can wait: see `ContentTypes`. The first call of a step reads the lists. If they belong to the
// main actor and it runs, the later calls of the step may take their time.

extension DocumentContent {
  /// Reads the types of the content, which declares them.
  ///
  /// - Throws: `UnansweredCall`.
  static func typeLists() throws -> ContentTypeLists {
    var (lists, hasWaited) = try CallingThread.run(within: UnansweredCall.usualLimit) {
      if let type = Self.self as? any ModelContent.Type { return await type.awaitTypeLists() }
      return await ContentTypeLists(of: Self.self)
    }
    lists.isOfActor = hasWaited
    return lists
  }

  /// Reads the content.
  ///
  /// - Throws: the error of the content's initialiser; `UnansweredCall`.
  static func read(_ configuration: ReadConfiguration, after lists: ContentTypeLists) throws -> Self {
    try CallingThread.run(within: limit(after: lists)) { try await Self(configuration: configuration) }.value
  }

  /// Returns the tree to save.
  ///
  /// - Throws: the error of the content's method; `UnansweredCall`. A method that the main actor runs later changes only
  ///   the tree that it got, before the next save asks for one.
  func tree(_ configuration: WriteConfiguration, after lists: ContentTypeLists) throws -> FileWrapper {
    try CallingThread.run(within: Self.limit(after: lists)) {
      try await fileWrapper(configuration: configuration)
    }.value
  }

  /// The longest wait for an actor. A content that awaits by itself takes its time.
  private static func limit(after lists: ContentTypeLists) -> Duration? {
    lists.isOfActor || Self.self is any AsyncDocumentContent.Type ? nil : UnansweredCall.usualLimit
  }
}
