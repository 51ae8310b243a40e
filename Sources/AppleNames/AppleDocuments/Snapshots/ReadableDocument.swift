/// A document model that is read as snapshots.
///
/// Counterpart of SwiftUI's `ReadableDocument`. `SnapshotDocument` opens it.
public protocol ReadableDocument: AnyObject {
  /// The type that reads snapshots.
  associatedtype Reader: DocumentReader

  /// The facts for a read.
  typealias ReadConfiguration = DocumentReadConfiguration

  /// The types that the reader reads.
  static var readableContentTypes: [UTType] { get }
  /// The types that a model writes if it is writable; by default those that it reads.
  static var writableContentTypes: [UTType] { get }

  /// Returns the reader for one read.
  func reader(configuration: sending ReadConfiguration) -> sending Reader

  /// Updates the model from a snapshot that the reader read.
  ///
  /// - Parameter previous: the snapshot that was read before; nil for the first one.
  @MainActor func apply(snapshot: sending Reader.Snapshot, previous: sending Reader.Snapshot?) async throws
}

extension ReadableDocument {
  /// By default the types that the model reads.
  public static var writableContentTypes: [UTType] { readableContentTypes }
}

/// A document model that is written as snapshots.
///
/// Counterpart of SwiftUI's `WritableDocument`. `SnapshotDocument` saves it.
public protocol WritableDocument: AnyObject {
  /// The type that writes snapshots.
  associatedtype Writer: DocumentWriter

  /// The facts for a write.
  typealias WriteConfiguration = DocumentWriteConfiguration

  /// The types that the writer writes.
  static var writableContentTypes: [UTType] { get }

  /// Returns the writer for one write.
  func writer(configuration: sending WriteConfiguration) -> sending Writer

  /// Returns the present state of the model.
  @MainActor func snapshot(contentType: UTType) async throws -> sending Writer.Snapshot
}

/// The facts for a read.
public struct DocumentReadConfiguration: Sendable {
  /// The type of the document on disk.
  public let contentType: UTType

  /// Makes a configuration, also for tests.
  public init(contentType: UTType) { self.contentType = contentType }
}

/// The facts for a write.
public struct DocumentWriteConfiguration: Sendable {
  /// The type to write.
  public let contentType: UTType

  /// Makes a configuration, also for tests.
  public init(contentType: UTType) { self.contentType = contentType }
}
