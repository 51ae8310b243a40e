import Documents
import FilePackages
import Foundation

/// A value that goes from one isolation to another.
// `@unchecked`: a model gives its snapshots, readers and writers away, and does not change them any more.
struct Sent<Value>: @unchecked Sendable {
  let value: Value
}

/// The passage of snapshots between a model's reader or writer and the trees of a store.
enum SnapshotFiles {
  /// Reads a snapshot: from the store's tree if the reader takes wrappers, and otherwise in turn with other programs.
  @concurrent
  static func read<Reader: DocumentReader>(
    _ reader: Sent<Reader>, _ wrapper: FileWrapper, at url: URL, presenter: (any FilePresenter)?
  ) async throws -> Sent<Reader.Snapshot> where Reader.Source == URL {
    if let reader = reader.value as? FileWrapperDocumentReader<Reader.Snapshot> {
      return Sent(value: try await reader.read(wrapper))
    }
    return try await FileCoordinator(filePresenter: presenter).coordinate(readingItemAt: url) { url in
      // Before the read, so that the store finds each change that the reader does not see.
      try wrapper.noteStatuses()
      nonisolated(unsafe) let reader = reader.value  // it is used here only
      return Sent(value: try await reader.read(from: url, progress: Subprogress()))
    }
  }

  /// Writes a snapshot, and returns the tree to save.
  ///
  /// - Parameters:
  ///   - existing: the tree on disk; nil for a new document.
  ///   - name: the name of the document.
  @concurrent
  static func write<Writer: DocumentWriter>(
    _ writer: Sent<Writer>, _ snapshot: Sent<Writer.Snapshot>, over existing: FileWrapper?,
    previous: Sent<Writer.Snapshot?>, named name: String
  ) async throws -> FileWrapper where Writer.Destination == URL {
    nonisolated(unsafe) let (writer, snapshot) = (writer.value, snapshot.value)  // each is used here only
    nonisolated(unsafe) let previous = previous.value
    if let writer = writer as? FileWrapperDocumentWriter<Writer.Snapshot> {
      return try await writer.write(snapshot, over: existing)
    }
    let files = try WrittenFiles.folder(beside: nil)
    let url = URL(fileURLWithPath: "\(files.path)/\(name)")
    if let existing, previous != nil { try files.write(existing, as: name) }
    try await writer.write(snapshot: snapshot, to: url, previous: previous, progress: Subprogress())
    let written = try files.read(name)
    try written.lookAtAllChildren()
    guard written.isDirectory, let existing, existing.isDirectory else { return written }
    try existing.become(written)
    return existing
  }
}

extension FileWrapper {
  /// Makes objects of all nodes in a tree that was written by URL: a new store finds another program's change of a node
  /// only if that is an object.
  fileprivate func lookAtAllChildren() throws {
    guard isDirectory else { return }
    for child in try children().values { try child.lookAtAllChildren() }
  }
}
