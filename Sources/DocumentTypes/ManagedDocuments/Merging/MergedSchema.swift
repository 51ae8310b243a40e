import CSQLiteSession
import GRDB

/// The tables of three databases whose rows are merged.
struct MergedSchema {
  private(set) var tables: [MergedTable] = []
  /// The full-text tables that are made from other tables or views again.
  private(set) var fullText: [FullTextTable] = []

  private let db: Database
  private let base: String
  private let theirs: String
  /// The tables of the main database and of the base.
  private let shapes: [TableShape]
  private let baseShapes: [TableShape]
  private let ours: Objects

  /// - Throws: `MergeProblem` if the schemas differ, or if rows of `theirs` that changed have no identity.
  init(of db: Database, base: String, theirs: String) throws {
    (self.db, self.base, self.theirs) = (db, base, theirs)
    ours = try Objects(of: "main", in: db)
    (shapes, baseShapes) = (try TableShape.all(in: db), try TableShape.all(of: base, in: db))
    try checkSchemas()
    try addTables()
  }

  func position(of table: String) -> Int? {
    tables.firstIndex { $0.name.lowercased() == table.lowercased() }
  }

  // MARK: The same schema

  /// The statements that made the objects of a schema.
  private struct Objects {
    var byName: [String: (table: String, sql: String)] = [:]

    init(of schema: String, in db: Database) throws {
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT name, tbl_name, type || ' ' || coalesce(sql, '') FROM \(schema.quotedName).sqlite_master
          WHERE tbl_name NOT LIKE 'grdb\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          """)
      for row in rows { byName[row[0]] = (row[1], row[2]) }
    }

    /// Returns the tables with an object that differs.
    func difference(from other: Objects) -> Set<String> {
      Set(
        Set(byName.keys).union(other.byName.keys).filter { byName[$0]?.sql != other.byName[$0]?.sql }
          .compactMap { byName[$0]?.table ?? other.byName[$0]?.table })
    }
  }

  private func checkSchemas() throws {
    let (base, theirs) = (try Objects(of: self.base, in: db), try Objects(of: self.theirs, in: db))
    let (oursChanged, theirsChanged) = (ours.difference(from: base), theirs.difference(from: base))
    let differences = ours.difference(from: theirs).sorted().map { table in
      let side: MergeProblem.ChangedSide =
        !theirsChanged.contains(table) ? .ours : oursChanged.contains(table) ? .both : .theirs
      return MergeProblem.Difference(table: table, side: side)
    }
    if !differences.isEmpty { throw MergeProblem.schemasDiffer(differences) }
    let (here, there) = (try migrations("main"), try migrations(self.theirs))
    if here != there {
      throw MergeProblem.migrationsDiffer(
        missingInOurs: there.subtracting(here).sorted(), missingInTheirs: here.subtracting(there).sorted())
    }
  }

  private func migrations(_ schema: String) throws -> Set<String> {
    guard try db.tableExists("grdb_migrations", in: schema) else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM \(schema.quotedName).grdb_migrations")
  }

  // MARK: Tables

  private mutating func addTables() throws {
    // The virtual tables whose shadow tables are merged as a whole. Other shadow tables follow from rows.
    fullText = try FullTextTable.all(in: db, shapes).filter { $0.content != nil }
    let virtual = shapes.filter { $0.kind == .virtual }.map(\.name)
    let opaque = Set(virtual).subtracting(fullText.map(\.name))
    for shape in shapes where shape.isMerged {
      // The longest name counts: `notes_more_data` is of `notes_more`.
      let owner =
        shape.kind == .table
        ? nil : virtual.filter { shape.name.hasPrefix($0 + "_") }.max { $0.count < $1.count }
      if shape.kind == .shadow && !opaque.contains(where: { $0 == owner }) { continue }
      try add(shape, owner: owner)
    }
  }

  private func shape(of table: String) -> TableShape? {
    shapes.first { $0.name.lowercased() == table.lowercased() }
  }

  private mutating func add(_ shape: TableShape, owner: String?) throws {
    let name = shape.name
    let base = baseShapes.first { $0.name == name }
    if let problem = shape.problem {
      if try isChangedByThem(shape, isInBase: base != nil) {
        throw MergeProblem.unmergeable(table: name, problem)
      }
      return
    }
    var table = MergedTable(shape)
    table.isAutoincrement =
      try table.hasIntegerKey && isAutoincrement(table.columns[table.keys[0]].name, of: name)
    table.foreignKeys = try foreignKeys(of: name)
    table.isOneProperty = name == PrivateTables.content
    table.owner = owner
    table.isInBase = base != nil
    if let base { try addDefaults(shape, base, to: &table) }
    tables.append(table)
  }

  private func isAutoincrement(_ column: String, of table: String) throws -> Bool {
    var isAutoincrement: CInt = 0
    let code = sqlite3_table_column_metadata(
      db.sqliteConnection, "main", table, column, nil, nil, nil, nil, &isAutoincrement)
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return isAutoincrement != 0
  }

  /// Whether rows of a table differ between the base and theirs, each counted by all its values. Cost: all rows of both.
  private func isChangedByThem(_ shape: TableShape, isInBase: Bool) throws -> Bool {
    let (name, columns) = (shape.name.quotedName, shape.columns.map(\.name.quotedName))
    let groups = columns.flatMap { ["\($0) COLLATE BINARY", "typeof(\($0))"] }
    let list = columns.joined(separator: ", ")
    let baseRows = isInBase ? "UNION ALL SELECT \(list), -1 FROM \(base.quotedName).\(name)" : ""
    return try Row.fetchOne(
      db,
      sql: """
        SELECT 1 FROM (SELECT \(list), 1 AS grdb_n FROM \(theirs.quotedName).\(name) \(baseRows))
        GROUP BY \(groups.joined(separator: ", ")) HAVING sum(grdb_n) <> 0 LIMIT 1
        """) != nil
  }

  // MARK: The base of a migration

  /// Gives the columns that the base lacks the values that `ALTER TABLE ADD COLUMN` gives them.
  private func addDefaults(_ shape: TableShape, _ base: TableShape, to table: inout MergedTable) throws {
    let known = Dictionary(uniqueKeysWithValues: base.columns.map { ($0.name, $0) })
    let missing = shape.columns.indices.filter { known[shape.columns[$0].name] == nil }
    let isExtended =
      known.count + missing.count == shape.columns.count
      && shape.columns.allSatisfy { column in
        guard let old = known[column.name] else { return column.keyPlace == 0 }
        return old.type == column.type && old.keyPlace == column.keyPlace && !old.isGenerated
      }
    if !isExtended { throw MergeProblem.baseIsOlder(table: table.name) }
    for position in missing {
      let (type, value) = (shape.columns[position].type, shape.columns[position].defaultValue ?? "NULL")
      // A column of the same type converts the value as the table's own does.
      let holder = "grdb_default_\(table.name)_\(position)".quotedName
      let column = "value \(table.columns[position].isUntyped ? "" : type) DEFAULT \(value)"
      try db.execute(
        sql: """
          DROP TABLE IF EXISTS temp.\(holder); CREATE TEMP TABLE \(holder)(row); INSERT INTO temp.\(holder) VALUES (1);
          """)
      do {
        try db.execute(sql: "ALTER TABLE temp.\(holder) ADD COLUMN \(column)")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        // SQLite refuses a default that is computed: it has another value for each row.
        throw MergeProblem.baseIsOlder(table: table.name)
      }
      table.columns[position].baseDefault = "(SELECT value FROM temp.\(holder))"
    }
  }

  // MARK: References

  private func foreignKeys(of table: String) throws -> [MergedTable.ForeignKey] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq
        """, arguments: [table])
    var keys: [Int: MergedTable.ForeignKey] = [:]
    for row in rows {
      let id: Int = row[0]
      guard let parent = shape(of: row[1]) else { continue }
      var key =
        keys[id]
        ?? MergedTable.ForeignKey(
          parent: parent.name, columns: [], parentColumns: [],
          setsNull: (row[4] as String).uppercased() == "SET NULL")
      key.columns.append(row[2])
      if let column = row[3] as String? { key.parentColumns.append(column) }
      keys[id] = key
    }
    return try keys.keys.sorted().compactMap { keys[$0] }.compactMap { key in
      var key = key
      if key.parentColumns.isEmpty {
        key.parentColumns = try db.primaryKey(key.parent).columns
      }
      return key.parentColumns.count == key.columns.count ? key : nil
    }
  }

  /// The positions of the tables, each after the tables to which it refers.
  var parentsFirst: [Int] {
    var (order, seen) = ([Int](), Set<Int>())
    func add(_ position: Int) {
      guard seen.insert(position).inserted else { return }
      for key in tables[position].foreignKeys {
        if let parent = self.position(of: key.parent) { add(parent) }
      }
      order.append(position)
    }
    for position in tables.indices { add(position) }
    return order
  }
}
