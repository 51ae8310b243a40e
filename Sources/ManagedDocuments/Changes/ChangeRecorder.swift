import CSQLiteSession
import FoundationEssentials
import GRDB

/// Records the changes that one transaction makes, as a session of SQLite.
///
/// It records the user's tables and the list of additional content, and none of the other private tables.
struct ChangeRecorder: ~Copyable {
  private let session: OpaquePointer

  private init(owning session: OpaquePointer) { self.session = session }

  /// Makes a recorder that records nothing, and keeps SQLite's hook for changes in place.
  ///
  /// SQLite looks at the hook when it compiles a statement. So the hook must be there before the first one.
  static func idle(on db: Database) throws -> ChangeRecorder {
    guard let connection = db.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
    }
    var session: OpaquePointer?
    try check(sqlite3session_create(connection, "main", &session), "sqlite3session_create")
    guard let session else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    return ChangeRecorder(owning: session)
  }

  /// Begins to record.
  static func recording(on db: Database) throws -> ChangeRecorder {
    let recorder = try idle(on: db)
    sqlite3session_table_filter(
      recorder.session,
      { _, name in
        guard let name else { return 0 }
        return PrivateTables.isRecorded(String(cString: name)) ? 1 : 0
      }, nil)
    try check(sqlite3session_attach(recorder.session, nil), "sqlite3session_attach")
    return recorder
  }

  /// Adds the changes that lead from a table of an attached database to the main one's table. Cost: all rows of both.
  borrowing func addDifferences(of table: String, from schema: String) throws {
    try Self.check(sqlite3session_attach(session, table), "sqlite3session_attach")
    try Self.check(sqlite3session_diff(session, schema, table, nil), "sqlite3session_diff")
  }

  /// Returns the changes so far.
  borrowing func changeset() throws -> Changeset {
    if sqlite3session_isempty(session) != 0 { return Changeset(bytes: Data()) }
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    try Self.check(sqlite3session_changeset(session, &count, &bytes), "sqlite3session_changeset")
    defer { sqlite3_free(bytes) }
    guard let bytes, count > 0 else { return Changeset(bytes: Data()) }
    return Changeset(bytes: Data(bytes: bytes, count: Int(count)))
  }

  private static func check(_ code: Int32, _ call: String) throws {
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: call) }
  }

  deinit { sqlite3session_delete(session) }
}
