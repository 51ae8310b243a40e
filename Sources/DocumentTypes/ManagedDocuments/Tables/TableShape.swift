import GRDB

/// A table of a database as its statement declares it.
struct TableShape: Sendable, Hashable {
  enum Kind: String, Sendable, Hashable {
    case table, view, virtual
    /// A table in which a virtual table has its data, such as the index of a full-text table.
    case shadow
  }

  struct Column: Sendable, Hashable {
    var name: String
    /// The declared type in upper case.
    var type: String
    var isNotNull: Bool
    /// The place in the primary key, from 1; 0 outside of it.
    var keyPlace: UInt8
    var isGenerated: Bool
    /// The SQL of the default.
    var defaultValue: String?
  }

  var name: String
  var kind: Kind
  var isWithoutNumbers: Bool
  var isStrict: Bool
  /// The columns of a table or a shadow; none of others.
  var columns: [Column] = []

  /// Returns the tables of a database, in order of their names.
  static func all(of schema: String = "main", in db: Database) throws -> [TableShape] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT list.name, list.type, list.wr, list.strict,
          info.name, upper(info.type), info."notnull", info.pk, info.hidden, info.dflt_value
        FROM pragma_table_list AS list LEFT JOIN pragma_table_xinfo(list.name, list.schema) AS info
          ON list.type IN ('table', 'shadow')
        WHERE list.schema = ? AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY list.name, info.cid
        """, arguments: [schema])
    var tables: [TableShape] = []
    for row in rows {
      guard let kind = Kind(rawValue: row[1]) else { throw DatabaseError(resultCode: .SQLITE_FORMAT) }
      if tables.last?.name != row[0] {
        tables.append(TableShape(name: row[0], kind: kind, isWithoutNumbers: row[2], isStrict: row[3]))
      }
      guard let column: String = row[4] else { continue }
      tables[tables.count - 1].columns.append(
        Column(
          name: column, type: row[5], isNotNull: row[6], keyPlace: row[7],
          isGenerated: [2, 3].contains(row[8] as Int), defaultValue: row[9]))
    }
    return tables
  }

  /// Returns the application's tables, with the virtual ones and without their shadows.
  static func ofApplication(in db: Database) throws -> [TableShape] {
    try all(in: db).filter { [.table, .virtual].contains($0.kind) && !$0.name.hasPrefix("grdb_") }
  }

  /// Whether changes of the rows are recorded.
  var isRecorded: Bool { [.table, .shadow].contains(kind) && PrivateTables.isRecorded(name) }

  /// Whether the rows are merged and compared one by one. The conflicts of two machines are a union.
  var isMerged: Bool { isRecorded && name != ConflictTable.name }

  /// The positions of the primary key's columns.
  var keys: [Int] { columns.indices.filter { columns[$0].keyPlace > 0 } }

  /// Whether the key is the row's number, which SQLite gives to a new row, and which is never NULL.
  var hasIntegerKey: Bool { !isWithoutNumbers && keys.count == 1 && columns[keys[0]].type == "INTEGER" }

  /// Whether a row has a number besides its key, which a row that is made again does not keep.
  var hasHiddenNumbers: Bool { kind == .table && !isWithoutNumbers && !hasIntegerKey }

  /// The name of the row's number that is none of a column; nil if there is none.
  var number: String? {
    if isWithoutNumbers { return nil }
    let names = Set(columns.map { $0.name.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
  }

  /// The reason why changes of the rows can neither be undone nor merged.
  var problem: RowProblem? {
    if let column = columns.first(where: \.isGenerated) { return .generatedColumn(column.name) }
    if keys.isEmpty { return .noPrimaryKey }
    // SQLite itself declares the keys of shadows, and those of tables without numbers are never NULL.
    if hasIntegerKey || isWithoutNumbers || kind == .shadow { return nil }
    return keys.first { !columns[$0].isNotNull }.map { .nullableKey(column: columns[$0].name) }
  }

  /// The number of rows.
  func rowCount(of schema: String = "main", in db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM \(schema.quotedName).\(name.quotedName)") ?? 0
  }
}

/// The reason why changes of the rows of a table can neither be undone nor merged.
package enum RowProblem: Sendable, Hashable {
  case noPrimaryKey
  case nullableKey(column: String)
  case generatedColumn(String)
}
