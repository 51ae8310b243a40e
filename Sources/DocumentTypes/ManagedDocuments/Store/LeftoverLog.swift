import FilePackages
import FoundationEssentials
import GRDB

/// The write-ahead log that a killed program left, or that another program put beside the database.
///
/// SQLite checks the frames of a log, and not whether they are of this database. So the first program that opens the
/// document checks both before its first write.
enum LeftoverLog {
  /// Checks the database at `path` with its log, on a connection that writes to neither.
  ///
  /// Cost: reads the whole database.
  ///
  /// - Parameter identifier: the document's, in `Metadata.plist`; nil if there is none.
  /// - Throws: `TablesProblem` if the database is damaged, or is another document's with the log; `DatabaseError`.
  static func check(_ path: String, _ identifier: UUID?, _ usual: Configuration) throws {
    var configuration = usual
    // Such a connection does not bring the log into the database when it closes.
    configuration.readonly = true
    let isSound = try DatabaseQueue.using(path, configuration) { queue in
      try queue.read { db in
        guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else { return false }
        guard let identifier, try db.tableExists("grdb_document"), let saved = try SavedMetadata.read(db)
        else { return true }
        return saved.metadata.identifier == identifier
      }
    }
    if !isSound { throw TablesProblem.foreignLog }
  }
}
