import Synchronization

/// The memory of the blobs that a store has, so that no upload asks for them.
package protocol KnownBlobs: Sendable {
  /// The moment before a blob is stored.
  var moment: Int { get }
  /// Returns whether the store is known to have a blob, and to keep it for long enough.
  func contains(_ name: BlobName) async throws -> Bool
  /// Notes a blob that the store has since a moment.
  func insert(_ name: BlobName, since moment: Int)
}

/// The blobs that this process has uploaded.
package final class UploadedBlobs: KnownBlobs {
  private let names = Mutex<Set<BlobName>>([])

  package init() {}

  package var moment: Int { 0 }

  package func contains(_ name: BlobName) -> Bool { names.withLock { $0.contains(name) } }

  package func insert(_ name: BlobName, since moment: Int) {
    names.withLock { _ = $0.insert(name) }  // Known or new.
  }
}
