import GRDB

/// A table whose changes are recorded.
struct RecordedTable: Sendable, Hashable {
  let name: String
  /// For each column, its place in the primary key, from 1; 0 outside of it.
  let keyFlags: [UInt8]
  /// The columns of the primary key, in the order of the table.
  let keys: [Int]
  /// Reads a row by its key.
  let selectByKey: String
  /// Reads a row by its number; nil if the table has no numbers.
  let selectByNumber: String?

  var columnCount: Int { keyFlags.count }

  /// Returns the tables of the database that have a primary key.
  static func all(in db: Database) throws -> [RecordedTable] {
    let tables = try Row.fetchAll(
      db,
      sql: """
        SELECT name, wr FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """)
    return try tables.compactMap { table in
      let name: String = table[0]
      return try PrivateTables.isRecorded(name)
        ? RecordedTable(name, isWithoutNumbers: table[1], in: db) : nil
    }
  }

  /// - Returns: nil if the table has no primary key; if it has a generated column, whose value no program may write; or
  ///   if its columns have all names of the row's number.
  private init?(_ name: String, isWithoutNumbers: Bool, in db: Database) throws {
    let columns = try Row.fetchAll(
      db, sql: "SELECT name, pk, hidden FROM pragma_table_xinfo(?)", arguments: [name])
    if columns.contains(where: { $0["hidden"] as Int != 0 }) { return nil }
    let flags: [UInt8] = columns.map { $0["pk"] }
    let keys = flags.indices.filter { flags[$0] != 0 }
    if keys.isEmpty { return nil }
    (self.name, keyFlags, self.keys) = (name, flags, keys)
    let quoted = columns.map { ($0["name"] as String).quotedName }
    let select = "SELECT \(quoted.joined(separator: ", ")) FROM main.\(name.quotedName)"
    // The first comparison finds the row in the index of the key. The second one tells texts apart that the column's
    // collation takes for equal.
    let conditions = keys.enumerated().map { parameter, column in
      "\(quoted[column]) = ?\(parameter + 1) AND \(quoted[column]) = ?\(parameter + 1) COLLATE BINARY"
    }
    selectByKey = "\(select) WHERE \(conditions.joined(separator: " AND "))"
    if isWithoutNumbers {
      selectByNumber = nil
    } else {
      let names = Set(columns.map { ($0["name"] as String).lowercased() })
      guard let number = ["rowid", "_rowid_", "oid"].first(where: { !names.contains($0) }) else { return nil }
      selectByNumber = "\(select) WHERE \(number) = ?1"
    }
  }
}
