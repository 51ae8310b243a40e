import CSQLiteSession
import GRDB

/// The facts about the database that an edit or a save needs, kept from one to the next.
///
/// They hold until another transaction, of this connection or of another one, changes the database.
struct EditBase: Sendable {
  var head: DocumentHead
  /// SQLite's number of the schema.
  var schemaVersion: Int
  var stack: ChangeLog.Stack
  /// The metadata of the last save.
  var metadata: SavedMetadata
  /// Whether the present state is that of an edit which no log has.
  var isUnrecorded = false

  /// Reads the facts.
  ///
  /// - Parameter earlier: the facts of an earlier moment.
  init(of db: Database, _ log: ChangeLog, earlier: EditBase?) throws {
    head = try DocumentHead(of: db)
    schemaVersion = try Self.schemaVersion(db)
    stack = try log.stack(in: db, earlier: earlier?.stack)
    guard let saved = try SavedMetadata.read(db, known: earlier?.metadata) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT)
    }
    metadata = saved
  }

  /// Writes the row of a save that has all edits so far.
  mutating func save(_ next: SavedMetadata, to db: Database) throws {
    (head.savedState, head.savedChange) = (head.state, head.last)
    (metadata, isUnrecorded) = (next, false)
    try head.write(to: db, with: next)
  }

  static func schemaVersion(_ db: Database) throws -> Int {
    try Int.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version")) ?? 0
  }

  /// Returns SQLite's number of the database's state, as this connection sees it. Each transaction changes it.
  static func dataVersion(_ db: Database) throws -> UInt32 {
    var version: UInt32 = 0
    let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return version
  }
}
