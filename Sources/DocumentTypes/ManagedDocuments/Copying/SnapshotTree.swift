import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// Makes the tree of a copy from the copied database, and makes the database that of a document by itself.
struct SnapshotTree {
  /// The copied database.
  let db: Database
  let reader: StoreReader
  private var location: Location { reader.location }

  /// Returns the tree without the database, and metadata whose sums have the files below `AdditionalContent`.
  func make() throws -> (FileWrapper, PackageMetadata) {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    let content = ContentObjects.contentFolder
    for folder in [PackageLayout.storeFolder, content] {
      try tree.setDescendant(FileWrapper(directoryWithFileWrappers: [:]), at: folder.string)
    }
    try addOthers(in: .root, to: tree, leavingOut: [content, PackageLayout.metadata, PackageLayout.hidden])
    try db.execute(sql: "DELETE FROM grdb_counted")
    let counted = CountedFiles(db: db, location: location)
    for row in try Row.fetchAll(db, sql: "SELECT path, digest, size FROM grdb_content") {
      let path = ContentPath(stored: row[0])
      let file = try file(at: path, row[1])
      try tree.setDescendant(file, at: path.visible.string)
      let isExecutable = file.snapshot().root.attributes.mode & 0o100 != 0
      try counted.count(path, row[1], size: row[2], isExecutable: isExecutable)
    }
    guard let saved = try SavedMetadata.read(db) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    var metadata = try detach(saved.metadata)
    metadata.databasePath = reader.database.string
    metadata.summary = try counted.summary()
    return (tree, metadata)
  }

  /// Adds the children that are neither the database nor the document's files.
  private func addOthers(
    in folder: PackagePath, to tree: FileWrapper, leavingOut others: Set<FileName>
  ) throws {
    let listing = try location.disk.list(location.openDirectory(folder))
    for position in listing.sortedPositions() where listing.kind(at: position).isSupported {
      let (name, place) = (listing.name(at: position), folder.appending(listing.name(at: position)))
      if others.contains(name) || reader.databaseFiles.contains(place) { continue }
      if reader.database.isWithin(place) {
        try addOthers(in: place, to: tree, leavingOut: [])
      } else {
        let path = location.path.appending(place.string)
        try tree.setDescendant(FileWrapper(path, on: location.disk), at: place.string)
      }
    }
  }

  /// Returns a file with the bytes of a row.
  private func file(at path: ContentPath, _ digest: Data) throws -> FileWrapper {
    let content = AdditionalContent(db: db, objects: reader.objects)
    if let bytes = try content.storedBytes(digest) { return FileWrapper(regularFileWithContents: bytes) }
    guard let stored = try content.storedFile(digest, at: [path]) else {
      throw reader.objects.problem(.changedOnDisk, .copy, path.string)
    }
    return try FileWrapper(location.path.appending(stored.place.string), on: location.disk)
  }

  /// Removes the rows that belong to the original alone: what can be undone, and where its files are.
  ///
  /// - Returns: the metadata of the state.
  private func detach(_ saved: PackageMetadata) throws -> PackageMetadata {
    var head = try DocumentHead(of: db)
    let hasUnsavedChanges = head.hasUnsavedChanges
    (head.savedState, head.savedChange) = (head.state, head.last)
    try db.execute(sql: "PRAGMA secure_delete = ON")
    try db.inTransaction {
      try db.execute(
        sql: """
          DELETE FROM grdb_changes; DELETE FROM grdb_references; DELETE FROM grdb_unpublished; DELETE FROM grdb_touched;
          DELETE FROM grdb_objects; DELETE FROM grdb_published; UPDATE grdb_document SET plist = NULL;
          INSERT INTO grdb_published SELECT path, digest, size, 0, 0, 0 FROM grdb_content;
          """)
      try ConflictTable.removeFiles(from: db)
      try head.write(to: db)
      return .commit
    }
    try Self.compact(db)
    if !hasUnsavedChanges { return saved }
    return try MetadataDraft(after: saved, nil, location).completed(ContentSummary()).metadata
  }

  /// Makes a database as small as it can be, unless that would number its rows anew.
  private static func compact(_ db: Database) throws {
    let isNumbered = try TableShape.ofApplication(in: db).contains(where: \.hasHiddenNumbers)
    if !isNumbered { try db.execute(sql: "VACUUM") }
  }
}
