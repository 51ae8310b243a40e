public import Documents
public import OpenCombine

/// A document model that is a class.
///
/// Counterpart of SwiftUI's `ReferenceFileDocument`. `ReferenceDocument` opens and saves it.
///
/// A model of the main actor conforms as `@preconcurrency ReferenceFileDocument`, and is read and written there. If the
/// main actor runs nothing for 30 seconds, the call fails with an error.
@preconcurrency
public protocol ReferenceFileDocument: ObservableObject, Sendable, AwaitedContentTypes, ContentTypes {
  // The order of the protocols counts: generic code finds the members of the last one first.

  /// The state of the model at one moment.
  associatedtype Snapshot

  /// The facts for a read.
  typealias ReadConfiguration = FileDocumentReadConfiguration
  /// The facts for a write.
  typealias WriteConfiguration = FileDocumentWriteConfiguration

  /// Reads the model. It runs on a thread of its own, or on the actor of the model.
  init(configuration: ReadConfiguration) async throws

  /// Returns the present state. It runs on the main queue, so that the user edits nothing meanwhile.
  func snapshot(contentType: UTType) throws -> Snapshot

  /// Returns the tree to save: a new one, or `configuration.existingFile` with new wrappers for changed children only.
  ///
  /// It runs on a thread of its own, and the user may edit meanwhile. So it reads the snapshot and not the model. The
  /// method of a model of the main actor runs on that actor.
  func fileWrapper(snapshot: sending Snapshot, configuration: WriteConfiguration) async throws -> FileWrapper
}

extension ReferenceFileDocument {
  /// By default the types that the model reads, for callers on any actor.
  @_disfavoredOverload
  public static var writableContentTypes: [UTType] { get async { await awaitReadableTypes() } }
}
