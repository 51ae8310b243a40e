import FilePackages

// The calls of a content's own code. The engine makes them here alone, on a thread that may wait. A type of the main
// actor is read and written there, as on Apple's systems, and at run time nothing tells such a type.

extension DocumentContent {
  /// Reads the types of the content, which declares them.
  ///
  /// - Throws: `UnansweredCall` if they belong to the main actor, and it does not run.
  static func typeLists() throws -> ContentTypeLists {
    try waitBlocking(within: UnansweredCall.usualLimit) {
      if let type = Self.self as? any ModelContent.Type { return await type.awaitTypeLists() }
      return await ContentTypeLists(of: Self.self)
    }
  }

  /// Reads the content.
  static func read(_ configuration: ReadConfiguration) throws -> Self {
    try waitBlocking { try await Self(configuration: configuration) }
  }

  /// Returns the tree to save.
  func tree(_ configuration: WriteConfiguration) throws -> FileWrapper {
    try waitBlocking { try await fileWrapper(configuration: configuration) }
  }
}
