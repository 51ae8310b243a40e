import DurableIO
package import FilePackages
import FoundationEssentials
import GRDB
import Synchronization
package import SystemPackage

// Losing the state costs a new look at the documents here, never data: a document that is not here, and that the
//     state does not know, is a placeholder and never a deletion.

/// The knowledge of this machine about a container: a small SQLite database in the container folder.
package final class ContainerState: Sendable {
  private let database: DatabaseQueue
  /// The entries of the document that was last asked for or stored. A run asks for them at each of its steps.
  private let recent = Mutex<RecentChildren?>(nil)

  /// The entries of a document, as this connection read or stored them.
  private struct RecentChildren {
    var document: String
    /// SQLite's count of the changes by other connections.
    var foreignChanges: Int
    var children: [PackagePath: KnownChild]
  }

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
    try await database.read(Self.foreignChanges)
  }

  private static func foreignChanges(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0
  }

  /// Forgets everything.
  package func reset() async throws {
    try await database.write { [self] db in
      recent.withLock { $0 = nil }
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
  ///
  /// Only entries that differ are written.
  package func save(_ record: DocumentRecord, children: [KnownChild]? = nil) async throws {
    try await database.write { [self] db in
      try record.upsert(db)
      if let children { try replaceChildren(of: record.id, with: children, db) }
    }
  }

  private func replaceChildren(of id: String, with children: [KnownChild], _ db: Database) throws {
    let old = try self.children(of: id, db)
    let new = Dictionary(children.map { ($0.entry.path, $0) }) { $1 }
    let removal = try db.makeStatement(sql: "DELETE FROM child WHERE document = ? AND path = ?")
    for path in old.keys where new[path] == nil {
      try removal.execute(arguments: [id, Data(path.bytes)])
    }
    let marks = Array(repeating: "?", count: 16).joined(separator: ", ")
    let insertion = try db.makeStatement(sql: "INSERT OR REPLACE INTO child VALUES (\(marks))")
    for (path, child) in new where old[path] != child {
      try insertion.execute(arguments: StatementArguments([id] + child.values))
    }
    let kept = RecentChildren(document: id, foreignChanges: try Self.foreignChanges(db), children: new)
    db.afterNextTransaction { [self] _ in recent.withLock { $0 = kept } }
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
    try await database.write { [self] db in
      recent.withLock { $0 = nil }
      try db.execute(sql: "DELETE FROM child WHERE document = ?", arguments: [record.id])
      try record.delete(db)
    }
  }

  /// Returns the entries of a document's base.
  package func children(of id: String) async throws -> [PackagePath: KnownChild] {
    try await database.read { [self] db in try children(of: id, db) }
  }

  private func children(of id: String, _ db: Database) throws -> [PackagePath: KnownChild] {
    let foreignChanges = try Self.foreignChanges(db)
    let known = recent.withLock { recent in
      recent.flatMap { $0.document == id && $0.foreignChanges == foreignChanges ? $0.children : nil }
    }
    if let known { return known }
    var children: [PackagePath: KnownChild] = [:]
    let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM child WHERE document = ?", arguments: [id])
    while let row = try cursor.next() {
      if let child = KnownChild(row) { children[child.entry.path] = child }
    }
    recent.withLock {
      $0 = RecentChildren(document: id, foreignChanges: foreignChanges, children: children)
    }
    return children
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
