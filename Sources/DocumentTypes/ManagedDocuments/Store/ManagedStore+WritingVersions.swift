import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

extension ManagedStore {
  /// Makes a package of its own from a version, without its history.
  func write(_ revision: UUID, to path: FilePath, contentType: UTType?) async throws {
    let copy = try await BlockingThread().run { try self.copy(of: revision) }
    let tree = try await BlockingThread().run { try self.tree(of: copy) }
    // The tree reads the copy while the package is made.
    defer { withExtendedLifetime(copy) {} }
    let (made, _) = try await PackageStore.create(
      tree, path, contentType: contentType, on: PosixDisk(), by: options.program,
      databasePath: options.databasePath)
    try await made.close()
  }

  /// Returns the children of a package with the database and the files of a version.
  private func tree(of copy: DatabaseCopies.Temporary) throws -> FileWrapper {
    let files = FileWrapper(directoryWithFileWrappers: [:])
    try copy.queue.writeWithoutTransaction { db in
      let content = content(db)
      for path in try content.paths() { try files.setDescendant(file(path, content, copy), at: path) }
      try PrivateTables.detach(db)
      try DatabaseCopies.compact(db)
    }
    let database = try FileWrapper(regularFileWithContentsOf: URL(filePath: copy.path))
    return FileWrapper(directoryWithFileWrappers: [
      PackageLayout.storeFolder.string: FileWrapper(directoryWithFileWrappers: [
        options.persistentStoreName: database
      ]
      ),
      ContentObjects.contentFolder.string: files,
    ])
  }

  /// Returns a file of the version. A publisher may move a large one meanwhile, so the tree reads a copy.
  private func file(
    _ path: String, _ content: AdditionalContent, _ copy: DatabaseCopies.Temporary
  ) throws -> FileWrapper {
    guard let row = try content.row(path) else { throw objects.problem(.noSuchFile, .read, path) }
    if let bytes = try content.storedBytes(row.digest) { return FileWrapper(regularFileWithContents: bytes) }
    guard let file = try content.openFile(row.digest, at: path) else {
      throw objects.problem(.changedOnDisk, .read, path)
    }
    return try FileWrapper(regularFileWithContentsOf: URL(filePath: copy.add(file)))
  }
}
