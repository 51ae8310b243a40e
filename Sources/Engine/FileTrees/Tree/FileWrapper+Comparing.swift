package import DurableIO
import FoundationEssentials
package import PackageFormat
import Synchronization

extension FileWrapper {
  /// Returns whether both are regular files of the same bytes, or symbolic links to the same destination.
  ///
  /// Reads no bytes if both are the same wrapper, are the same unchanged file on disk, or differ in size. Otherwise it
  /// reads all bytes, at most 1 MiB at a time.
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

  /// Returns the SHA-256 of a regular file's bytes.
  ///
  /// - Throws: as `contents()`.
  package func contentHash() throws -> ContentHash {
    var hash = SHA256()
    try forEachChunk { hash.update($0) }
    return hash.finalize()
  }

  /// The file on disk that a wrapper was read from or saved as, regardless of its name.
  ///
  /// Two wrappers of one file in one state have equal values.
  package typealias StoredFile = FileIdentity

  /// The identity of the wrapper's file on disk; nil if the wrapper is not of one.
  package var storedFile: StoredFile? {
    guard let status = stored?.status, status.kind == .file else { return nil }
    var identity = status.identity
    // Renaming a file moves the status time.
    identity.changed = identity.modified
    return identity
  }

  /// Returns the same node for another tree, in no directory yet.
  ///
  /// Bytes on disk are still read from there.
  package func copy() -> FileWrapper {
    var state = state.withLock { $0 }
    (state.parents, state.disk) = ([], state.stored.map { DiskNode($0) })
    return FileWrapper(state: state)
  }

  /// Returns a new file of the same bytes, without the name, the permissions and the date of this one.
  ///
  /// Bytes on disk are still read from there.
  ///
  /// - Throws: `wrongKind` if this is no regular file.
  package func newFile() throws(FilePackageError) -> FileWrapper {
    FileWrapper(state: State(node: .file(try fileContents), attributes: .newFile()))
  }
}
