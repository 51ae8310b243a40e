import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

// ME1 A copy is of one moment: its database is read in one transaction, and its files are those of the rows in it.
// ME2 While a copy reads files, the package's lock keeps publishers away: the bytes of each row stay where they are.

/// A document at one moment as a tree, for a copy or an export, with the package's lock while it exists (ME2).
final class ManagedSnapshot: Sendable {
  /// The package with its database, its files and its metadata.
  let tree: FileWrapper
  let metadata: PackageMetadata
  private let lock: PackageLock?
  private let folder: TemporaryFolder

  private init(
    _ tree: FileWrapper, _ metadata: PackageMetadata, _ lock: PackageLock?, _ folder: TemporaryFolder
  ) {
    (self.tree, self.metadata, self.lock, self.folder) = (tree, metadata, lock, folder)
  }

  /// Reads the moment. It may block its thread.
  ///
  /// Cost: one copy of the database's pages, and a look at each file.
  static func take(_ reader: StoreReader) throws -> ManagedSnapshot {
    let lock = try PackageLock.take(reader.location)
    let folder = try TemporaryFolder()
    let store = folder.path.appending("store")
    try reader.copyDatabase(to: store)
    var (tree, metadata) = try DatabaseQueue.using(store.string) { copy in
      try copy.writeWithoutTransaction { db in try SnapshotTree(db: db, reader: reader).make() }
    }
    try tree.setDescendant(FileWrapper(store, on: reader.location.disk), at: reader.database.string)
    metadata.summary.add(
      try ContentSummary(
        reading: tree.snapshot(),
        leavingOut: metadata.uncounted.union([PackagePath([ContentObjects.contentFolder])])))
    try tree.setDescendant(
      FileWrapper(regularFileWithContents: metadata.encoded()), at: PackageLayout.metadata.string)
    if let name = reader.location.path.lastComponent { tree.preferredFilename = FileName(name.string).string }
    return ManagedSnapshot(tree, metadata, lock, folder)
  }

  /// Removes the copied database, and releases the lock.
  func end() {
    folder.remove()
    lock?.release()
  }
}

/// A private folder that goes with this object.
final class TemporaryFolder: Sendable {
  let path: FilePath

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "docpkg-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    path = FilePath(url.path)
  }

  deinit { remove() }

  func remove() {
    // The system removes the remains of temporary files.
    try? FileManager.default.removeItem(atPath: path.string)
  }
}
