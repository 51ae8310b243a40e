import CSQLiteSession
import GRDB

/// The tables that a database's triggers change, as SQLite's compiler reports them.
struct TriggerTargets {
  /// For the name of a changed table in lower case, the tables and views whose triggers change it.
  private(set) var sources: [String: Set<String>] = [:]
  /// Whether SQLite compiled each trigger. It compiles none with a function that only the application has.
  let areComplete: Bool

  /// Compiles statements that run each trigger, on a connection of its own, and runs none of them.
  init(of db: Database) throws {
    let tables = try Dictionary(
      uniqueKeysWithValues: Row.fetchAll(
        db, sql: "SELECT name, tbl_name FROM main.sqlite_master WHERE type = 'trigger'"
      ).map { ($0[0] as String, $0[1] as String) })
    var compiled: Set<String> = []
    if !tables.isEmpty {
      let compiler = try TriggerCompiler(of: db)
      for table in Set(tables.values) {
        let columns = try String.fetchAll(
          db, sql: "SELECT name FROM main.pragma_table_xinfo(?) WHERE hidden IN (0, 1)", arguments: [table])
        let values = columns.map { "\($0.quotedName) = \($0.quotedName)" }.joined(separator: ", ")
        for sql in [
          "INSERT INTO \(table.quotedName) DEFAULT VALUES", "UPDATE \(table.quotedName) SET \(values)",
          "DELETE FROM \(table.quotedName)",
        ] {
          // A view refuses the statements for which it has no trigger.
          guard let changes = compiler.changes(sql) else { continue }
          for (trigger, changed) in changes {
            compiled.insert(trigger)
            guard let source = tables[trigger] else { continue }
            for target in changed { sources[target.lowercased(), default: []].insert(source) }
          }
        }
      }
    }
    areComplete = compiled.isSuperset(of: tables.keys)
  }
}

/// A connection that only compiles.
private struct TriggerCompiler: ~Copyable {
  private final class Report {
    /// For each trigger, the tables that its own statements change.
    var changes: [String: Set<String>] = [:]
  }

  private let connection: OpaquePointer
  private let report = Report()

  init(of db: Database) throws {
    var connection: OpaquePointer?
    let path = sqlite3_db_filename(db.sqliteConnection, "main").map { String(cString: $0) } ?? ""
    let code = sqlite3_open_v2(
      try FolderVFS.usual.database(at: path), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
    guard code == SQLITE_OK, let connection else {
      sqlite3_close_v2(connection)
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    self.connection = connection
    sqlite3_set_authorizer(
      connection,
      { report, action, table, _, _, trigger in
        guard let report, let trigger else { return SQLITE_OK }
        let changes = Unmanaged<Report>.fromOpaque(report).takeUnretainedValue()
        var targets = changes.changes[String(cString: trigger)] ?? []
        if let table, [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action) {
          targets.insert(String(cString: table))
        }
        changes.changes[String(cString: trigger)] = targets
        return SQLITE_OK
      }, Unmanaged.passUnretained(report).toOpaque())
  }

  deinit { sqlite3_close_v2(connection) }

  /// Returns what the triggers of a statement change; nil if SQLite does not compile it.
  func changes(_ sql: String) -> [String: Set<String>]? {
    report.changes = [:]
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    return sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK ? report.changes : nil
  }
}
