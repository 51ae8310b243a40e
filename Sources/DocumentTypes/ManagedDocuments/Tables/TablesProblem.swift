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
    for table in try TableShape.all(in: db) where table.kind == .table && table.isRecorded {
      switch table.problem {
      case .noPrimaryKey: throw noPrimaryKey(table: table.name)
      case .nullableKey(let column): throw nullableKey(table: table.name, column: column)
      case .generatedColumn(let column): throw generatedColumn(table: table.name, column: column)
      case nil: break
      }
    }
  }
}
