import GRDB

/// A table whose rows are merged, with the SQL that reads and changes them.
struct MergedTable: Sendable, Hashable {
  struct Column: Sendable, Hashable {
    var name: String
    /// Whether two values that are equal in a comparison may differ, as 1 and 1.0 in a column without a type.
    var isUntyped: Bool
    /// The value of a row of the base, if the base has no such column.
    var baseDefault: String?
  }

  /// The columns of a foreign key of this table, and those that they lead to.
  struct ForeignKey: Sendable, Hashable {
    var parent: String
    var columns: [String]
    var parentColumns: [String]
    /// Whether a removed parent makes the columns NULL.
    var setsNull: Bool
  }

  var name: String
  /// The name of the row's number, if it is no column of the table; nil if columns have all such names.
  var number: String?
  var columns: [Column]
  /// The positions of the primary key's columns.
  var keys: [Int]
  /// Whether the key is an integer that SQLite gives to new rows.
  var hasIntegerKey = false
  /// Whether SQLite never gives the number of a removed row again.
  var isAutoincrement = false
  var foreignKeys: [ForeignKey] = []
  /// Whether all columns are one property.
  var isOneProperty = false
  /// The virtual table that has its data here; such tables are taken whole.
  var owner: String?
  /// Whether the base has the table.
  var isInBase = true

  init(_ shape: TableShape) {
    (name, keys, hasIntegerKey) = (shape.name, shape.keys, shape.hasIntegerKey)
    columns = shape.columns.map {
      Column(name: $0.name, isUntyped: Self.isUntyped($0.type, isStrict: shape.isStrict))
    }
    if !hasIntegerKey { number = shape.number }
  }

  /// Whether a column has a type without conversion of numbers.
  private static func isUntyped(_ type: String, isStrict: Bool) -> Bool {
    if type.isEmpty || isStrict && type == "ANY" { return true }
    return type.contains("BLOB") && !["INT", "CHAR", "CLOB", "TEXT"].contains(where: type.contains)
  }

  var quoted: String { "main.\(name.quotedName)" }
  private var keyNames: [String] { keys.map { columns[$0].name } }
  private var columnList: String { columns.map(\.name.quotedName).joined(separator: ", ") }

  // MARK: One row

  /// The condition for a row; its parameters are the key's values, from `first`.
  func condition(from first: Int = 1) -> String {
    zip(keys, first...).map { column, parameter in
      let name = columns[column].name.quotedName
      // The first comparison finds the row in the index. The second one is exact, whatever the column's collation is.
      return hasIntegerKey
        ? "\(name) = ?\(parameter)" : "\(name) = ?\(parameter) AND \(name) = ?\(parameter) COLLATE BINARY"
    }.joined(separator: " AND ")
  }

  /// All columns of the row of a key.
  var selectRow: String { "SELECT \(columnList) FROM \(quoted) WHERE \(condition())" }

  var delete: String { "DELETE FROM \(quoted) WHERE \(condition())" }

  /// The row's number, for a table with one that is no column.
  var selectNumber: String? {
    guard let number else { return nil }
    return "SELECT \(number) FROM \(quoted) WHERE \(condition())"
  }

  enum OnConflict: String { case abort = "ABORT", replace = "REPLACE" }

  /// Inserts all columns, whatever the constraints of the table say about conflicts; the parameter after them is the
  /// row's number.
  func insert(_ onConflict: OnConflict, withNumber: Bool) -> String {
    var names = columns.map(\.name.quotedName)
    if withNumber, let number { names.append(number) }
    let places = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return
      "INSERT OR \(onConflict.rawValue) INTO \(quoted)(\(names.joined(separator: ", "))) VALUES (\(places))"
  }

  // MARK: Two databases

  /// Reads the rows of one database that another one lacks or has with other values. A result has the values, whether
  /// the other one has the row, and its values there.
  ///
  /// SQLite's `sqlite3session_diff` compares with the collation of each column. So it does not see that a text of
  /// NOCASE changed its letters, nor 1.0 in the place of 1.
  func selectChanged(in schema: String, from base: String) -> String {
    let values = columns.map { "s.\($0.name.quotedName)" }.joined(separator: ", ")
    let baseValues = columns.map { baseExpression($0) }.joined(separator: ", ")
    let first = "b.\(keyNames[0].quotedName)"
    return """
      SELECT \(values), \(first) IS NOT NULL, \(baseValues)
      FROM \(schema.quotedName).\(name.quotedName) AS s LEFT JOIN \(base.quotedName).\(name.quotedName) AS b ON \(match)
      WHERE \(first) IS NULL OR \(difference)
      """
  }

  /// Reads all rows, for a table that the base lacks.
  func selectAll(in schema: String) -> String {
    "SELECT \(columnList) FROM \(schema.quotedName).\(name.quotedName)"
  }

  /// Reads the rows of the base that another database lacks.
  func selectRemoved(in schema: String, from base: String) -> String {
    """
    SELECT \(columns.map { baseExpression($0) }.joined(separator: ", "))
    FROM \(base.quotedName).\(name.quotedName) AS b
    WHERE NOT EXISTS (SELECT 1 FROM \(schema.quotedName).\(name.quotedName) AS s WHERE \(match))
    """
  }

  private func baseExpression(_ column: Column) -> String {
    column.baseDefault ?? "b.\(column.name.quotedName)"
  }

  private var match: String {
    keyNames.map(\.quotedName).map { key in
      hasIntegerKey
        ? "s.\(key) = b.\(key)" : "s.\(key) = b.\(key) AND s.\(key) = b.\(key) COLLATE BINARY"
    }.joined(separator: " AND ")
  }

  /// The condition that the rows `s` and `b` of one key differ. It may hold for equal rows with a real zero.
  private var difference: String {
    columns.indices.filter { !(hasIntegerKey && keys.contains($0)) }.map { position in
      let column = columns[position]
      let (s, b) = ("s.\(column.name.quotedName)", baseExpression(column))
      var condition = "\(s) IS NOT \(b) COLLATE BINARY"
      if column.isUntyped {
        // SQL does not show the sign of zero.
        condition += " OR typeof(\(s)) <> typeof(\(b)) OR \(s) = 0 AND typeof(\(s)) = 'real'"
      }
      return condition
    }.joined(separator: " OR ").nilIfEmpty ?? "0"
  }

  func identity(_ row: EncodedRow, table: Int) -> RowIdentity {
    let values = row.values
    return RowIdentity(table: table, key: keys.map { values[$0] })
  }
}

extension String {
  var nilIfEmpty: String? { isEmpty ? nil : self }
}
