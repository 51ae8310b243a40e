import FoundationEssentials
import GRDB

/// A file of the last save that is not under its visible name yet.
struct PendingFile: Sendable, Hashable {
  var path: ContentPath
  /// The number of the save: its last change.
  var save: Int64
  /// The new digest; nil if the file is removed.
  var digest: Data?
  /// The bytes of a small file.
  var bytes: Data?
  /// The file as it was published before.
  var published: PublishedFile?

  /// Notes that an edit touched these files.
  static func touch(_ paths: [String], in db: Database) throws {
    for path in paths {
      try db.cachedStatement(sql: "INSERT OR IGNORE INTO grdb_touched(path) VALUES (?)")
        .execute(arguments: [path])
    }
  }

  /// Returns the files that edits touched since the last save, in byte order of their paths, and whether they are gone.
  static func touched(in db: Database) throws -> [(path: ContentPath, isRemoved: Bool)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT path, digest FROM grdb_touched LEFT JOIN grdb_content USING (path) ORDER BY path")
    )
    .map { row in (ContentPath(stored: row[0]), (row[1] as Data?) == nil) }
  }

  /// Makes the touched files those of the save that this transaction commits (MT5).
  ///
  /// - Parameter save: the number of the save.
  static func commit(_ save: Int64, in db: Database) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO grdb_unpublished(path, save, digest)
        SELECT path, ?, digest FROM grdb_touched LEFT JOIN grdb_content USING (path)
        """
    ).execute(arguments: [save])
    try db.cachedStatement(sql: "DELETE FROM grdb_touched").execute()
  }

  /// Returns all files of the last save that are not published.
  static func all(in db: Database) throws -> [PendingFile] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT path, max(save), digest, bytes FROM grdb_unpublished LEFT JOIN grdb_objects USING (digest)
          GROUP BY path ORDER BY path
          """))
    return try rows.map { row in
      let path = ContentPath(stored: row[0])
      return PendingFile(
        path: path, save: row[1], digest: row[2], bytes: row[3], published: try PublishedFile.at(path, in: db)
      )
    }
  }

  /// Notes that the file is published; those of later saves are not.
  func removeRows(in db: Database) throws {
    try db.cachedStatement(sql: "DELETE FROM grdb_unpublished WHERE path = ? AND save <= ?")
      .execute(arguments: [path.string, save])
  }
}
