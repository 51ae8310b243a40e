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

  private init(_ tree: FileWrapper, _ metadata: PackageMetadata, _ lock: PackageLock?) {
    (self.tree, self.metadata, self.lock) = (tree, metadata, lock)
  }

  /// Reads the moment. It may block its thread.
  ///
  /// Cost: one copy of the database's pages, and a look at each file.
  static func take(_ reader: StoreReader) throws -> ManagedSnapshot {
    let lock = try PackageLock.take(reader.location)
    // The copied database stays as long as the tree has it.
    let files = try WrittenFiles.folder(beside: nil)
    let store = files.path.appending("store")
    try reader.copyDatabase(to: store)
    var (tree, metadata) = try DatabaseQueue.using(store.string) { copy in
      try copy.writeWithoutTransaction { db in try SnapshotTree(db: db, reader: reader).make() }
    }
    try tree.setDescendant(files.read("store"), at: reader.database.string)
    metadata.summary.add(
      try ContentSummary(
        reading: tree.snapshot(),
        leavingOut: metadata.uncounted.union([PackagePath([ContentObjects.contentFolder])])))
    try tree.setDescendant(
      FileWrapper(regularFileWithContents: metadata.encoded()), at: PackageLayout.metadata.string)
    if let name = reader.location.path.lastComponent { tree.preferredFilename = FileName(name.string).string }
    return ManagedSnapshot(tree, metadata, lock)
  }

  /// Releases the lock.
  func end() { lock?.release() }
}
