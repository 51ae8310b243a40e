import DurableIO
package import FilePackages
import FoundationEssentials
import GRDB
package import SystemPackage

// Losing the state costs a new look at the documents here, never data: a document that is not here, and that the
//     state does not know, is a placeholder and never a deletion.

/// The knowledge of this machine about a container: a small SQLite database in the container folder.
package final class ContainerState: Sendable {
  private let database: DatabaseQueue

  /// Opens the database, or makes it. A damaged one is set aside.
  package init(at path: FilePath) throws {
    do {
      database = try Self.open(path)
    } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
      let disk = PosixDisk()
      let folder = try disk.openDirectory(at: path.removingLastComponent())
      let name = FileName(path.lastComponent?.string ?? "")
      for ending in ["-wal", "-shm", ""] {
        let old = FileName(name.string + ending)
        guard try disk.statusIfPresent(of: old, in: folder) != nil else { continue }
        try disk.rename(
          old, in: folder, to: FileName(name.string + ".damaged" + ending), in: folder, .replace)
      }
      database = try Self.open(path)
    }
  }

  private static func open(_ path: FilePath) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.journalMode = .wal
    // An eviction is durable before it removes anything, so each transaction is.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let queue = try DatabaseQueue(path: path.string, configuration: configuration)
    try migrator.migrate(queue)
    return queue
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.execute(
        sql: """
          CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
          CREATE TABLE document (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, head BLOB, base BLOB, baseName TEXT, pending BLOB,
            pendingRoot BLOB, unannounced INTEGER, isWanted INTEGER NOT NULL, shownConflicts TEXT NOT NULL,
            device INTEGER, inode INTEGER, bornSeconds INTEGER, bornNanoseconds INTEGER, downloadingError TEXT,
            uploadingError TEXT);
          CREATE TABLE child (document TEXT NOT NULL, \(KnownChild.columns), PRIMARY KEY (document, path))
            WITHOUT ROWID;
          CREATE TABLE blob (name BLOB PRIMARY KEY, date INTEGER NOT NULL) WITHOUT ROWID;
          """)
    }
    return migrator
  }

  // MARK: Settings

  /// A number that the container keeps.
  package enum Setting: String, Sendable {
    /// The time of the last entry of the feed that was read, by the store's clock.
    case feedCursor
    /// The time of the last listing of all versions, by this machine's clock.
    case lastListing
    /// The store's clock less this machine's, in milliseconds.
    case clockOffset
    /// The time of that comparison, by this machine's clock.
    case clockMeasured
    /// The inode of the container folder.
    case folder
  }

  package func number(_ setting: Setting) async throws -> Int64? {
    try await database.read { db in
      try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [setting.rawValue])
        .flatMap(Int64.init)
    }
  }

  package func set(_ setting: Setting, to number: Int64) async throws {
    try await database.write { db in
      try db.execute(
        sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [setting.rawValue, String(number)])
    }
  }

  /// A number that differs after another process changed the state.
  package func foreignChanges() async throws -> Int {
    try await database.read { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
  }

  /// Forgets everything.
  package func reset() async throws {
    try await database.write { db in
      for table in ["setting", "document", "child", "blob"] { try db.execute(sql: "DELETE FROM \(table)") }
    }
  }

  // MARK: Documents

  package func records() async throws -> [DocumentRecord] {
    try await database.read { try DocumentRecord.order(Column("id")).fetchAll($0) }
  }

  package func record(_ id: CloudDocumentID) async throws -> DocumentRecord? {
    try await database.read { try DocumentRecord.fetchOne($0, key: id.string) }
  }

  /// Stores a record, with the entries of its base if they change with it, in one transaction.
  package func save(_ record: DocumentRecord, children: [KnownChild]? = nil) async throws {
    try await database.write { db in
      try record.upsert(db)
      guard let children else { return }
      try db.execute(sql: "DELETE FROM child WHERE document = ?", arguments: [record.id])
      let marks = Array(repeating: "?", count: 16).joined(separator: ", ")
      let statement = try db.makeStatement(sql: "INSERT INTO child VALUES (\(marks))")
      for child in children {
        try statement.execute(arguments: StatementArguments([record.id] + child.values))
      }
    }
  }

  /// Notes whether a program wants the content of a placeholder, and nothing else.
  package func setWanted(_ isWanted: Bool, _ id: String) async throws {
    try await database.write { db in
      try db.execute(
        sql: "UPDATE document SET isWanted = ? WHERE id = ? AND base IS NULL", arguments: [isWanted, id])
    }
  }

  package func save(_ records: [DocumentRecord]) async throws {
    try await database.write { db in for record in records { try record.upsert(db) } }
  }

  package func remove(_ record: DocumentRecord) async throws {
    try await database.write { db in
      try db.execute(sql: "DELETE FROM child WHERE document = ?", arguments: [record.id])
      try record.delete(db)
    }
  }

  /// Returns the entries of a document's base.
  package func children(of id: String) async throws -> [PackagePath: KnownChild] {
    try await database.read { db in
      var children: [PackagePath: KnownChild] = [:]
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM child WHERE document = ?", arguments: [id])
      while let row = try rows.next() {
        if let child = KnownChild(row) { children[child.entry.path] = child }
      }
      return children
    }
  }

  // MARK: Blobs

  /// Returns the time when this machine stored a blob; nil if it is not known.
  package func dateOfBlob(_ name: BlobName) async throws -> Int64? {
    try await database.read { db in
      try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT date FROM blob WHERE name = ?"), arguments: [Data(name.hash.bytes)])
    }
  }

  package func noteBlobs(_ names: [BlobName: Int64], forgettingBefore date: Int64) async throws {
    try await database.write { db in
      try db.execute(sql: "DELETE FROM blob WHERE date < ?", arguments: [date])
      let statement = try db.makeStatement(sql: "INSERT OR REPLACE INTO blob VALUES (?, ?)")
      for (name, date) in names { try statement.execute(arguments: [Data(name.hash.bytes), date]) }
    }
  }
}
