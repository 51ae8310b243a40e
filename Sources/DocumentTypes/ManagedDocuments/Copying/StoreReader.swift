import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// The database of a package, for a program that only reads it.
///
/// A closed document has its database as one file, and reading leaves no trace in it. Another connection takes part in
/// the write-ahead log of an open document, and waits for no writer.
struct StoreReader: Sendable {
  let location: Location
  /// The path of the database in the package.
  let database: PackagePath
  var objects: ContentObjects { ContentObjects(location) }
  /// The database, and the files that SQLite keeps beside it.
  var databaseFiles: [PackagePath] {
    ["", "-wal", "-shm", "-journal"].map { PackagePath(database.string + $0) }
  }

  /// Calls `body` with the database and the files of one moment, once or twice: only its last result counts.
  ///
  /// It may block its thread.
  func read<Result>(_ body: (Database, AdditionalContent) throws -> Result) throws -> Result {
    if let before = try quietStatus() {
      let result = Swift.Result { try connect(immutable: true, body) }
      // No program opened the document meanwhile.
      if try quietStatus() == before { return try result.get() }
    }
    return try connect(immutable: false, body)
  }

  /// Copies all pages, in one read transaction (ME1).
  ///
  /// The backup takes as long as VACUUM INTO: 0.3 s for 106 MB. It leaves each row its number, which an index of full
  /// text may refer to, and VACUUM INTO does not.
  func copyDatabase(to path: FilePath) throws {
    try read { db, _ in
      try DatabaseQueue.using(path.string) { copy in
        try copy.writeWithoutTransaction { target in try db.backup(to: target) }
      }
    }
  }

  /// The status of the database's file; nil if it has a write-ahead log.
  private func quietStatus() throws -> FileStatus? {
    let folder = try location.openDirectory(database.parent)
    guard let name = database.name, let status = try location.disk.statusIfPresent(of: name, in: folder),
      status.kind == .file
    else {
      throw FilePackageError(.noSuchFile, .open, StoredNode(location: location, path: database))
    }
    return try location.disk.exists(FileName(name.string + "-wal"), in: folder) ? nil : status
  }

  private func connect<Result>(
    immutable: Bool, _ body: (Database, AdditionalContent) throws -> Result
  ) throws -> Result {
    let path = location.path.appending(database.string).string
    var configuration = Configuration()
    configuration.busyMode = .waiting
    configuration.readonly = immutable
    configuration.prepareDatabase { db in
      if !immutable { try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }
    return try DatabaseQueue.using(
      FolderVFS.usual.database(at: path, isImmutable: immutable), configuration
    ) { queue in
      try queue.read { db in
        try PrivateTables.check(db)
        return try body(db, AdditionalContent(db: db, objects: objects))
      }
    }
  }
}

extension DatabaseQueue {
  /// Calls `body` with a connection of its own, and closes it. Closing brings a log into the database's file.
  static func using<Result>(
    _ path: String, _ configuration: Configuration = Configuration(), _ body: (DatabaseQueue) throws -> Result
  ) throws -> Result {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let result = Swift.Result { try body(queue) }
    try queue.close()
    return try result.get()
  }
}
