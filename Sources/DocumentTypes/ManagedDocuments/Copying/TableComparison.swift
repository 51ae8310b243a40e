import CSQLiteSession
import FilePackages
import FoundationEssentials
import GRDB

/// Compares the tables of an attached database with those of the main one.
enum TableComparison {
  private static func changeset(
    of tables: [String], from schema: String, in db: Database
  ) throws -> Changeset {
    try ChangeRecorder.withoutHook(on: db) {
      let session = try Session(on: db)
      for table in tables { try session.addDifferences(of: table, from: schema) }
      return try session.changeset()
    }
  }

  /// Returns the differences, also if the databases have other tables.
  ///
  /// Cost: all rows of both.
  static func differences(from schema: String, in db: Database) throws -> ManagedDifferences {
    let old = Dictionary(
      uniqueKeysWithValues: try RecordedTables.columns(of: schema, in: db).map { ($0.table, $0.columns) })
    let new = Dictionary(
      uniqueKeysWithValues: try RecordedTables.columns(in: db).map { ($0.table, $0.columns) })
    let same = new.keys.filter { old[$0] == new[$0] }.sorted()
    var differences = try ManagedDifferences(changeset(of: same, from: schema, in: db), in: db)
    let shadows = try RecordedTables.shadows(in: db)
    for table in Set(old.keys).union(new.keys).subtracting(same).subtracting(shadows) {
      var changed = ManagedDifferences.TableDifference(table: table)
      if old[table] != nil { changed.deleted = try count(table, of: schema, in: db) }
      if new[table] != nil { changed.inserted = try count(table, of: "main", in: db) }
      if changed.inserted + changed.deleted > 0 { differences.tables.append(changed) }
    }
    differences.tables.sort { $0.table < $1.table }
    return differences
  }

  private static func count(_ table: String, of schema: String, in db: Database) throws -> Int {
    try Int.fetchOne(
      db, sql: "SELECT count(*) FROM \(schema.quotedName).\(table.quotedName)")
      ?? 0
  }
}

/// A session of SQLite that compares tables, and records no change of its connection.
private struct Session: ~Copyable {
  private let session: OpaquePointer

  init(on db: Database) throws {
    guard let connection = db.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
    }
    var session: OpaquePointer?
    try Changeset.check(sqlite3session_create(connection, "main", &session), "sqlite3session_create")
    guard let session else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    self.session = session
  }

  deinit { sqlite3session_delete(session) }

  /// Adds the changes that lead from a table of an attached database to the main one's table. Cost: all rows of both.
  borrowing func addDifferences(of table: String, from schema: String) throws {
    try Changeset.check(sqlite3session_attach(session, table), "sqlite3session_attach")
    try Changeset.check(sqlite3session_diff(session, schema, table, nil), "sqlite3session_diff")
  }

  /// Returns the changes so far.
  borrowing func changeset() throws -> Changeset {
    if sqlite3session_isempty(session) != 0 { return Changeset(bytes: Data()) }
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    try Changeset.check(sqlite3session_changeset(session, &count, &bytes), "sqlite3session_changeset")
    defer { sqlite3_free(bytes) }
    guard let bytes, count > 0 else { return Changeset(bytes: Data()) }
    return Changeset(bytes: Data(bytes: bytes, count: Int(count)))
  }
}
