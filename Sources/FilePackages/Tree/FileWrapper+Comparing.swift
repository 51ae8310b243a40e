import Crypto
import DurableIO
import FoundationEssentials
import Synchronization

extension FileWrapper {
  /// Whether both are regular files of the same bytes, or symbolic links to the same destination.
  ///
  /// Reads no bytes where both are the same wrapper, the same unchanged file on disk, or of different sizes;
  /// otherwise all of them, at most 1 MiB at a time.
  ///
  /// - Throws: as `contents()`.
  public func hasSameContents(as other: FileWrapper) throws -> Bool {
    if self === other { return true }
    if isSymbolicLink && other.isSymbolicLink { return try linkDestination() == other.linkDestination() }
    guard isRegularFile, other.isRegularFile else { return false }
    switch (try fileContents, try other.fileContents) {
    case (.data(let own), .data(let others)): return own == others
    case (.stored(let own), .stored(let others)):
      if let now = own.status, let then = others.status, now.isUnchanged(since: then) { return true }
    default: break
    }
    if let size = regularFileSize, let otherSize = other.regularFileSize, size != otherSize { return false }
    return try contentHash() == other.contentHash()
  }

  func contentHash() throws -> ContentHash {
    var hash = SHA256()
    try forEachChunk { hash.update(bufferPointer: $0) }
    return ContentHash(hash.finalize())
  }

  /// The file on disk that a wrapper was read from or saved as, whatever its name: equal for two wrappers of one
  /// file in one state. Nil for what is not a file on disk.
  package struct StoredFile: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: UInt64
    var modified: FileTime
  }

  /// Which file on disk it is.
  package var storedFile: StoredFile? {
    guard let status = state.withLock({ $0.stored?.status }), status.kind == .file else { return nil }
    // Renaming a file moves its status time.
    let identity = status.identity
    return StoredFile(
      device: identity.device, inode: identity.inode, size: identity.size, modified: identity.modified)
  }

  /// The same node for another tree, in no directory yet. What is on disk is still read from there.
  package func copy() -> FileWrapper {
    var state = state.withLock { $0 }
    state.parents = []
    return FileWrapper(state: state)
  }
}
