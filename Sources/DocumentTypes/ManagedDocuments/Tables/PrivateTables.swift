import FoundationEssentials
package import GRDB

// MT1 The row in `grdb_document`, the rows of the additional content and the rows of the application change in one
//    transaction.
// MT2 A row in `grdb_content` is the truth about a file. The file under its visible name follows after the next save.
// MT3 The bytes of each digest in `grdb_content`, `grdb_references` and `grdb_unpublished` are in `grdb_objects`, in a
//    file of `objects`, or in a file of `grdb_published`.
// MT4 The rows in `grdb_counted` are the files of the last save. The sums of its metadata count exactly these, their
//    folders, and the other children of the package.
// MT5 `grdb_touched` has the paths that edits touched since the last save. A save makes them rows of `grdb_unpublished`,
//    in its own transaction. A row stays until a later one of its path is published, too: a publisher may be at work
//    with it.

/// The tables that the library has in a document's database.
///
/// Their names begin with `grdb_`, so that GRDB counts them as internal.
package enum PrivateTables {
  /// The list of the additional content (MT2).
  static let content = "grdb_content"

  /// The tables with the digests of bytes that the document has.
  static let withDigests = [
    content, "grdb_published", "grdb_unpublished", "grdb_objects", "grdb_references",
  ]

  /// Returns whether a table has a digest.
  static func has(_ digest: Data, in table: String, _ db: Database) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM \(table) WHERE digest = ?")
    return try Int.fetchOne(statement, arguments: [digest]) != nil
  }

  /// Whether changes of a table can be undone.
  static func isRecorded(_ table: String) -> Bool {
    [content, ConflictTable.name].contains(table) || !(table.hasPrefix("grdb_") || table.hasPrefix("sqlite_"))
  }

  /// The format of the tables. The library does not open a newer one.
  static let format = 1

  static let schema = """
    CREATE TABLE grdb_document(
      id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, last INTEGER NOT NULL,
      state INTEGER NOT NULL, saved_state INTEGER NOT NULL, saved_change INTEGER NOT NULL, plist BLOB);
    CREATE TABLE grdb_content(path TEXT PRIMARY KEY NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL);
    CREATE INDEX grdb_content_digest ON grdb_content(digest);
    CREATE TABLE grdb_objects(digest BLOB PRIMARY KEY NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE grdb_published(
      path TEXT PRIMARY KEY NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL,
      seconds INTEGER NOT NULL, nanoseconds INTEGER NOT NULL);
    CREATE INDEX grdb_published_digest ON grdb_published(digest);
    CREATE TABLE grdb_touched(path TEXT PRIMARY KEY NOT NULL);
    CREATE TABLE grdb_unpublished(
      path TEXT NOT NULL, save INTEGER NOT NULL, digest BLOB, PRIMARY KEY (path, save)) WITHOUT ROWID;
    CREATE INDEX grdb_unpublished_digest ON grdb_unpublished(digest);
    CREATE TABLE grdb_changes(
      change INTEGER PRIMARY KEY, session INTEGER NOT NULL, role INTEGER NOT NULL, step INTEGER NOT NULL,
      name TEXT NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL, at REAL NOT NULL,
      steps INTEGER NOT NULL, bytes INTEGER NOT NULL, changeset BLOB NOT NULL);
    CREATE INDEX grdb_changes_other ON grdb_changes(role, session, change) WHERE role <> 1;
    CREATE TABLE grdb_references(
      digest BLOB NOT NULL, change INTEGER NOT NULL, PRIMARY KEY (digest, change)) WITHOUT ROWID;
    CREATE INDEX grdb_references_change ON grdb_references(change);
    INSERT INTO grdb_document VALUES (1, 1, 0, 0, 0, 0, NULL);
    \(CountedFiles.schema)
    \(KeptPolicy.schema)
    \(ConflictTable.schema)
    """

  /// Checks that the database has the tables, in a format that this version knows.
  ///
  /// - Throws: `DatabaseError` for a database of another program; `TablesProblem` for a newer format.
  static func check(_ db: Database) throws {
    if try !arePresent(in: db) {
      throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "it is no document's database")
    }
  }

  /// Makes the tables if there are none.
  ///
  /// - Throws: `TablesProblem` if a newer program made them.
  package static func make(on db: Database) throws {
    if try !arePresent(in: db) { try db.execute(sql: schema) }
  }

  /// Returns whether the database has the tables.
  ///
  /// - Throws: `TablesProblem` if a newer program made them.
  static func arePresent(in db: Database) throws -> Bool {
    guard try db.tableExists("grdb_document") else { return false }
    let format = try Int.fetchOne(db, sql: "SELECT format FROM grdb_document") ?? 0
    if format > Self.format { throw TablesProblem.newerFormat(format) }
    return true
  }
}
