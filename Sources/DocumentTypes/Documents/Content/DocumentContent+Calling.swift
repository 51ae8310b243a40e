import FilePackages

// The calls of a content's own code. The engine makes them here alone, on a thread that may wait. A type of the main
// actor is read and written there, as on Apple's systems, and at run time nothing tells such a type.

extension DocumentContent {
  /// Reads the types of the content, which declares them.
  ///
  /// - Throws: `UnansweredCall` if they belong to the main actor, and it does not run.
  static func typeLists() throws -> ContentTypeLists {
    try waitBlocking(within: UnansweredCall.usualLimit) {
      await ContentTypeLists(of: Self.self)
    }
  }

  /// The types that this value reads and writes.
  var ownTypeLists: ContentTypeLists {
    get throws { try (self as? any TypedContent)?.typeLists ?? Self.typeLists() }
  }

  /// Reads a tree as content.
  ///
  /// - Parameters:
  ///   - type: the type of the document, after the content has declared its types.
  ///   - pathExtension: the extension of the document's name.
  static func read(
    _ tree: FileWrapper, _ type: @autoclosure () -> UTType, pathExtension: String
  ) throws -> Self {
    let lists = try typeLists()
    let own = lists.typeToRead(type(), pathExtension: pathExtension, isDirectory: tree.isDirectory)
    let configuration = ReadConfiguration(contentType: own, file: tree)
    return try waitBlocking { try await Self(configuration: configuration) }
  }

  /// Returns the tree to save over `tree`; the parameters are those of `read`.
  func written(
    over tree: FileWrapper, _ type: @autoclosure () -> UTType, pathExtension: String
  ) throws -> FileWrapper {
    let own = try ownTypeLists.typeToWrite(
      type(), pathExtension: pathExtension, isDirectory: tree.isDirectory)
    return try self.tree(.init(contentType: own, existingFile: tree))
  }

  /// Returns the tree to save.
  func tree(_ configuration: WriteConfiguration) throws -> FileWrapper {
    try waitBlocking { try await fileWrapper(configuration: configuration) }
  }
}
