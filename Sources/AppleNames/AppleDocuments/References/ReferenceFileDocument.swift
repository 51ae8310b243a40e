/// A document model that is a class.
///
/// Counterpart of SwiftUI's `ReferenceFileDocument`. `ReferenceDocument` opens and saves it.
@preconcurrency
public protocol ReferenceFileDocument: ObservableObject, Sendable {
  /// The state of the model at one moment.
  associatedtype Snapshot

  /// The facts for a read.
  typealias ReadConfiguration = FileDocumentReadConfiguration
  /// The facts for a write.
  typealias WriteConfiguration = FileDocumentWriteConfiguration

  /// The types that `init(configuration:)` reads.
  static var readableContentTypes: [UTType] { get }
  /// The types that `fileWrapper(snapshot:configuration:)` writes; by default those that the model reads.
  static var writableContentTypes: [UTType] { get }

  /// Reads the model. It runs on a thread of its own.
  init(configuration: ReadConfiguration) throws

  /// Returns the present state. It runs on the main queue, so that the user edits nothing meanwhile.
  func snapshot(contentType: UTType) throws -> Snapshot

  /// Returns the tree to save: a new one, or `configuration.existingFile` with new wrappers for changed children only.
  ///
  /// It runs on a thread of its own, and the user may edit meanwhile. So it reads the snapshot and not the model.
  func fileWrapper(snapshot: Snapshot, configuration: WriteConfiguration) throws -> FileWrapper
}

extension ReferenceFileDocument {
  /// The types that the model reads.
  public static var writableContentTypes: [UTType] { readableContentTypes }
}
