import Synchronization

/// The memory of the blobs that a store has, so that no upload asks for them.
package protocol KnownBlobs: Sendable {
  /// Returns whether the store is known to have a blob, and to keep it for long enough.
  func contains(_ name: BlobName) async throws -> Bool
  /// Notes that the store has a blob from now on.
  func insert(_ name: BlobName) async throws
}

/// The blobs that this process has uploaded.
package final class UploadedBlobs: KnownBlobs {
  private let names = Mutex<Set<BlobName>>([])

  package init() {}

  package func contains(_ name: BlobName) -> Bool { names.withLock { $0.contains(name) } }

  package func insert(_ name: BlobName) { names.withLock { _ = $0.insert(name) } }  // Known or new.
}
