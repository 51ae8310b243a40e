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
    let old = try Self.recorded(of: schema, in: db)
    let new = try Self.recorded(of: "main", in: db)
    let same = new.keys.filter {
      old[$0]?.columns.map(\.name) == new[$0]?.columns.map(\.name) && old[$0]?.keys == new[$0]?.keys
    }
    var differences = try ManagedDifferences(changeset(of: same.sorted(), from: schema, in: db), in: db)
    for table in Set(old.keys).union(new.keys).subtracting(same)
    where (new[table] ?? old[table])?.kind != .shadow {
      var changed = ManagedDifferences.TableDifference(table: table)
      changed.deleted = try old[table]?.rowCount(of: schema, in: db) ?? 0
      changed.inserted = try new[table]?.rowCount(in: db) ?? 0
      if changed.inserted + changed.deleted > 0 { differences.tables.append(changed) }
    }
    differences.tables.sort { $0.table < $1.table }
    return differences
  }

  private static func recorded(of schema: String, in db: Database) throws -> [String: TableShape] {
    Dictionary(
      uniqueKeysWithValues: try TableShape.all(of: schema, in: db).filter(\.isRecorded).map { ($0.name, $0) })
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
