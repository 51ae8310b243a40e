import GRDB

/// The tables whose changes SQLite's sessions record, with their columns and keys.
enum RecordedTables {
  /// Returns the tables and their columns as one text, which differs if a changeset of one database may not hold for the
  /// other.
  static func description(of schema: String = "main", in db: Database) throws -> String {
    try columns(of: schema, in: db).map { "\($0.table)(\($0.columns))" }.joined(separator: "\n")
  }

  /// Returns the tables in order of names, each with its columns as one text.
  static func columns(of schema: String = "main", in db: Database) throws -> [(
    table: String, columns: String
  )] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT list.name, info.name, info.pk FROM pragma_table_list AS list, pragma_table_xinfo(list.name, list.schema) AS info
        WHERE list.schema = ? AND list.type IN ('table', 'shadow') ORDER BY list.name, info.cid
        """, arguments: [schema])
    var tables: [(table: String, columns: String)] = []
    for row in rows {
      let (name, column, key): (String, String, Int) = (row[0], row[1], row[2])
      guard PrivateTables.isRecorded(name) else { continue }
      let text = "\(column.quotedName) \(key)"
      if tables.last?.table == name {
        tables[tables.count - 1].columns += ", \(text)"
      } else {
        tables.append((name, text))
      }
    }
    return tables
  }

  /// Returns the tables that a virtual table has for itself, such as the index of a full-text table.
  static func shadows(in db: Database) throws -> Set<String> {
    Set(
      try String.fetchAll(
        db, sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'"))
  }
}
