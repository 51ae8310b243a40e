import GRDB

/// The reason why the library does not open a database.
enum TablesProblem: Error, Sendable, Hashable {
  /// A newer version of this library made the private tables.
  case newerFormat(Int)
  /// A newer version of the application made the schema.
  case newerSchema
  /// A table has no primary key.
  case noPrimaryKey(table: String)
  /// A column of a primary key may be NULL.
  case nullableKey(table: String, column: String)
  /// A table has a generated column.
  case generatedColumn(table: String, column: String)
  /// An edit changed the schema.
  case schemaChanged
  /// The database and the write-ahead log beside it do not agree.
  case foreignLog
  /// The library's tables or the application's migrations are missing, and the document cannot be written.
  case cannotBePrepared

  var reason: String {
    switch self {
    case .newerFormat(let format):
      "its private tables have format \(format), and this program knows only formats up to \(PrivateTables.format)"
    case .newerSchema: "a newer version of the application made its schema"
    case .noPrimaryKey(let table):
      "table '\(table)' has no primary key, so its changes cannot be undone; declare one in the migrator"
    case .nullableKey(let table, let column):
      "column '\(column)' in the primary key of table '\(table)' may be NULL, so its changes cannot be undone; "
        + "declare it NOT NULL in the migrator"
    case .generatedColumn(let table, let column):
      "table '\(table)' has the generated column '\(column)', and this SQLite cannot undo its changes; "
        + "use a view or an index on the expression"
    case .schemaChanged: "an edit changed the schema; the migrator does that"
    case .foreignLog:
      "the database is damaged, or the write-ahead log beside it is of another one; without the log, it is as its last "
        + "checkpoint left it"
    case .cannotBePrepared: "its schema is older than this program's, and it cannot be changed in this place"
    }
  }
}

extension TablesProblem {
  /// Checks that the changes of each table can be undone.
  static func check(_ db: Database) throws {
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
    for table in tables where PrivateTables.isRecorded(table) { try check(table, in: db) }
  }

  private static func check(_ table: String, in db: Database) throws {
    let columns = try Row.fetchAll(
      db, sql: "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?)", arguments: [table])
    for column in columns where [2, 3].contains(column["hidden"] as Int) {
      throw generatedColumn(table: table, column: column["name"])
    }
    let keys = columns.filter { $0["pk"] as Int > 0 }
    if keys.isEmpty { throw noPrimaryKey(table: table) }
    // An INTEGER PRIMARY KEY is the row's number, which is never NULL.
    let isRowID = keys.count == 1 && (keys[0]["type"] as String).uppercased() == "INTEGER"
    if isRowID { return }
    if let column = keys.first(where: { $0["notnull"] as Int == 0 }) {
      throw nullableKey(table: table, column: column["name"])
    }
  }
}
