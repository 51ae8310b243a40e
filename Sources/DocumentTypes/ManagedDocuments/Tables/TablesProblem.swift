import GRDB

/// The reason why the library does not open a database.
enum TablesProblem: Error, Sendable, Hashable {
  /// A newer version of this library made the private tables.
  case newerFormat(Int)
  /// A newer version of the application made the schema.
  case newerSchema
  /// The changes of a table cannot be undone.
  case unrecordable(table: String, RowProblem)
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
    case .unrecordable(let table, .noPrimaryKey):
      "table '\(table)' has no primary key, so its changes cannot be undone; declare one in the migrator"
    case .unrecordable(let table, .nullableKey(let column)):
      "column '\(column)' in the primary key of table '\(table)' may be NULL, so its changes cannot be undone; "
        + "declare it NOT NULL in the migrator"
    case .unrecordable(let table, .generatedColumn(let column)):
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
    for table in try TableShape.all(in: db) where table.kind == .table && table.isRecorded {
      if let problem = table.problem { throw unrecordable(table: table.name, problem) }
    }
  }
}
