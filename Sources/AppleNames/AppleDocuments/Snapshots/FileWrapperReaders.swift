public import FilePackages
public import Foundation

/// A reader that makes a snapshot from a file wrapper.
///
/// Counterpart of SwiftUI's `FileWrapperDocumentReader`. The wrapper reads only the children that the closure asks for.
public struct FileWrapperDocumentReader<Snapshot>: DocumentReader {
  private let makeSnapshot: (FileWrapper) async throws -> sending Snapshot

  /// Makes a reader.
  public init(
    _ configuration: sending ReadConfiguration,
    makeSnapshot: @escaping (FileWrapper) async throws -> sending Snapshot
  ) {
    self.makeSnapshot = makeSnapshot
  }

  /// Reads the file or folder at a URL.
  @concurrent
  public func read(
    from source: sending URL, progress: consuming Subprogress
  ) async throws -> sending Snapshot {
    try await read(FileWrapper(url: source, options: []))
  }

  @concurrent
  func read(_ wrapper: FileWrapper) async throws -> sending Snapshot { try await makeSnapshot(wrapper) }
}

/// A writer that makes a file wrapper from a snapshot.
///
/// Counterpart of SwiftUI's `FileWrapperDocumentWriter`. A save does not write a child again if its wrapper or its bytes
/// are the same.
public struct FileWrapperDocumentWriter<Snapshot>: DocumentWriter {
  private let makeFileWrapper: (Snapshot, FileWrapper?) async throws -> FileWrapper

  /// Makes a writer. The closure's second argument is the tree that was last read or written; nil for a new document.
  public init(
    _ configuration: sending WriteConfiguration,
    makeFileWrapper: @escaping (Snapshot, FileWrapper?) async throws -> FileWrapper
  ) {
    self.makeFileWrapper = makeFileWrapper
  }

  /// Writes a file or folder at a URL.
  @concurrent
  public func write(
    snapshot: sending Snapshot, to destination: sending URL, previous: sending Snapshot?,
    progress: consuming Subprogress
  ) async throws {
    let present = FileManager.default.fileExists(atPath: destination.path)
    let existing = present ? try FileWrapper(url: destination, options: .immediate) : nil
    try await write(snapshot, over: existing)
      .write(to: destination, options: .atomic, originalContentsURL: nil)
  }

  @concurrent
  func write(_ snapshot: sending Snapshot, over existing: FileWrapper?) async throws -> FileWrapper {
    try await makeFileWrapper(snapshot, existing)
  }
}
