import Documents
import FilePackages
import Foundation
import Synchronization

/// The snapshots of a model, as the content of a `Documents.Document`.
struct SnapshotContent: DocumentContent {
  static var readableContentTypes: [UTType] { [.item] }

  /// The changes of the document, and what it writes.
  let link = ChangeLink()
  let source = SnapshotSource()
  /// The tree that was read; nil for a new document.
  let read: FileWrapper?

  init() { read = nil }
  init(configuration: ReadConfiguration) { read = configuration.file }

  /// Returns the tree that the model's writer makes of a snapshot.
  func fileWrapper(configuration: WriteConfiguration) async throws -> FileWrapper {
    guard let owner = source.owner else {
      // The document is gone, and with it the model and its changes.
      return configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    }
    return try await owner.write(over: configuration.existingFile)
  }
}

/// The owner of snapshots.
@MainActor
protocol SnapshotOwner: AnyObject, Sendable {
  /// Returns the tree of a new snapshot.
  func write(over existing: FileWrapper?) async throws -> FileWrapper
  /// Notes whether the last save has succeeded.
  func noteSave()
  func note(_ event: DocumentEvent) async
  func note(_ error: any Error)
}

/// The document whose snapshots a save writes.
final class SnapshotSource: Sendable {
  private struct State {
    weak var owner: (any SnapshotOwner)?
  }

  private let state = Mutex(State())

  var owner: (any SnapshotOwner)? { state.withLock { $0.owner } }

  /// The snapshots come from this owner from now on.
  func attach(_ owner: any SnapshotOwner) { state.withLock { $0.owner = owner } }
}
