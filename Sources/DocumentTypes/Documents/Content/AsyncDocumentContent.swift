public import FilePackages

/// A content whose reading or writing awaits: it decodes images in tasks, calls another actor, or belongs to the main
/// actor.
///
/// ```swift
/// struct Album: AsyncDocumentContent {
///   static var readableContentTypes: [UTType] { [UTType(exportedAs: "org.example.album", conformingTo: .package)] }
///   var pictures: [String: Picture] = [:]
///
///   init(reading configuration: ReadConfiguration) async throws {
///     for (name, file) in try configuration.file.children() {
///       pictures[name] = try await Picture(decoding: file.contents())
///     }
///   }
///
///   func fileWrapper(writing configuration: WriteConfiguration) async throws -> FileWrapper {
///     // The tree as it was last saved; a child that stays is not written again.
///     let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
///     for (name, picture) in pictures where picture.isNew {
///       try await tree.put(picture.encoded(), named: name)
///     }
///     return tree
///   }
/// }
/// ```
///
/// It is a `DocumentContent` in all other respects. Either method may also be synchronous. A type of the main actor
/// conforms, too, and the document reads and writes it on the main actor.
///
/// The document can be edited while a method runs. The document's store waits on a thread of its own, and makes no
/// other access to the files. So neither method may wait for a save, a read or the closing of the same document.
@preconcurrency
public protocol AsyncDocumentContent: DocumentContent {
  /// Reads the content. The wrapper reads only the children that the content asks for.
  init(reading configuration: ReadConfiguration) async throws

  /// Returns the tree to save, as `fileWrapper(configuration:)` does.
  func fileWrapper(writing configuration: WriteConfiguration) async throws -> FileWrapper
}

// The forms that every `DocumentContent` has.

extension AsyncDocumentContent {
  /// Reads the content.
  public init(configuration: ReadConfiguration) async throws {
    // Its tasks run beside each other, and not on the thread that waits.
    self = try await withTaskExecutorPreference(WaitedExecutor.shared) {
      try await Self(reading: configuration)
    }
  }

  /// Returns the tree to save.
  public func fileWrapper(configuration: WriteConfiguration) async throws -> FileWrapper {
    try await withTaskExecutorPreference(WaitedExecutor.shared) {
      try await fileWrapper(writing: configuration)
    }
  }

  /// Reads the content; the calling thread waits.
  @available(*, noasync, message: "use init(reading:)")
  public init(configuration: ReadConfiguration) throws {
    self = try waitBlocking { try await Self(reading: configuration) }
  }

  /// Returns the tree to save; the calling thread waits.
  @available(*, noasync, message: "use fileWrapper(writing:)")
  public func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    try waitBlocking { try await fileWrapper(writing: configuration) }
  }
}
