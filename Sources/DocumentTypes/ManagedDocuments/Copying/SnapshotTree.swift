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
    var summary = ContentSummary()
    var folders: Set<PackagePath> = [.root]
    // An earlier version may have made the document, without some of the tables.
    try PrivateTables.make(on: db)
    try db.execute(sql: "DELETE FROM grdb_counted")
    let counted = CountedFiles(db: db, location: location)
    for row in try Row.fetchAll(db, sql: "SELECT path, digest, size FROM grdb_content") {
      let path = ContentPath(stored: row[0])
      let file = try file(at: path, row[1])
      try tree.setDescendant(file, at: path.visible.string)
      let isExecutable = file.snapshot().root.attributes.mode & 0o100 != 0
      summary.add(try counted.count(path, row[1], size: row[2], isExecutable: isExecutable))
      folders.formUnion(path.folders)
    }
    for folder in folders { summary.add(CountedFiles.folder(folder)) }
    guard let saved = try SavedMetadata.read(db) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    var metadata = try detach(saved.metadata)
    metadata.databasePath = reader.database.string
    metadata.summary = summary
    return (tree, metadata)
  }

  /// Adds the children that are neither the database nor the document's files.
  private func addOthers(
    in folder: PackagePath, to tree: FileWrapper, leavingOut others: Set<FileName>
  ) throws {
    let listing = try location.disk.list(location.openDirectory(folder))
    for position in listing.sortedPositions() where listing.kind(at: position).isSupported {
      let (name, place) = (listing.name(at: position), folder.appending(listing.name(at: position)))
      if others.contains(name) || isOfDatabase(place) { continue }
      if reader.database.isWithin(place) {
        try addOthers(in: place, to: tree, leavingOut: [])
      } else {
        let path = location.path.appending(place.string)
        try tree.setDescendant(FileWrapper(path, on: location.disk), at: place.string)
      }
    }
  }

  private func isOfDatabase(_ path: PackagePath) -> Bool {
    ["", "-wal", "-shm", "-journal"].contains { PackagePath(reader.database.string + $0) == path }
  }

  /// Returns a file with the bytes of a row.
  private func file(at path: ContentPath, _ digest: Data) throws -> FileWrapper {
    let content = AdditionalContent(db: db, objects: reader.objects)
    switch try content.source(of: digest, at: path) {
    case .bytes(let bytes): return FileWrapper(regularFileWithContents: bytes)
    case .file(let place):
      return try FileWrapper(location.path.appending(place.string), on: location.disk)
    case nil: throw reader.objects.problem(.changedOnDisk, .copy, path.string)
    }
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
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM pragma_table_list AS list WHERE schema = 'main' AND type = 'table' AND wr = 0
          AND name NOT LIKE 'grdb\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND NOT EXISTS (SELECT 1 FROM pragma_table_info(list.name) WHERE pk > 0 AND upper(type) = 'INTEGER')
        """)
    if tables.isEmpty { try db.execute(sql: "VACUUM") }
  }
}

extension AdditionalContent {
  /// The place of a file's bytes.
  enum Source {
    case bytes(Data)
    /// A file of the package.
    case file(PackagePath)
  }

  /// Finds the bytes of a row, as `read` does; nil if another program changed them.
  func source(of digest: Data, at path: ContentPath) throws -> Source? {
    if let bytes = try storedBytes(digest) { return .bytes(bytes) }
    let published = try PublishedFile.all(of: digest, in: db)
    let own = published.filter { $0.path == path }
    for file in own + published.filter({ $0.path != path }) {
      if let opened = try objects.openVisible(file.path.path), try file.isSame(as: objects.status(of: opened))
      {
        return .file(file.path.visible)
      }
    }
    if try objects.open(digest) != nil {
      return .file(ContentObjects.folderPath.appending(ContentObjects.name(digest)))
    }
    for place in [path] + published.map(\.path) {
      if let opened = try objects.openVisible(place.path), try objects.digest(of: opened) == digest {
        return .file(place.visible)
      }
    }
    return nil
  }
}
