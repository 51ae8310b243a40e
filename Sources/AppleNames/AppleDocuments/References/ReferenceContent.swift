public import Documents

/// The content of a `Documents.Document` whose model is a class.
public struct ReferenceContent<Model: ReferenceFileDocument>: DocumentContent {
  /// The types that the model reads.
  public static var readableContentTypes: [UTType] { Model.readableContentTypes }
  /// The types that the model writes.
  public static var writableContentTypes: [UTType] { Model.writableContentTypes }

  /// The model.
  public let model: Model
  let link = ChangeLink()

  /// Makes a content of this model.
  public init(_ model: Model) { self.model = model }

  /// Reads a new model, on its actor.
  public init(configuration: ReadConfiguration) async throws {
    model = try await Model(configuration: configuration)
  }

  /// Takes a snapshot of the model on the main queue, and returns its tree, which it makes on the model's actor.
  ///
  /// It waits for the main queue, and must not run on it.
  ///
  /// - Throws: the errors of the model; an error if the main queue runs nothing for 30 seconds.
  public func fileWrapper(configuration: WriteConfiguration) async throws -> FileWrapper {
    // Nothing but this call has the snapshot.
    nonisolated(unsafe) let snapshot = try link.takeSnapshot {
      try model.snapshot(contentType: configuration.contentType)
    }
    return try await model.fileWrapper(snapshot: snapshot, configuration: configuration)
  }
}

extension ReferenceContent: ModelContent {
  package static func awaitTypeLists() async -> ContentTypeLists { await ContentTypeLists(of: Model.self) }
}
