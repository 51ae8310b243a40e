import CSQLiteSession
import GRDB

/// The tables of three databases whose rows are merged.
struct MergedSchema {
  private(set) var tables: [MergedTable] = []
  /// The full-text tables that are made from other tables again, each with the table that it indexes in lower case, and
  /// nil for a view.
  private(set) var fullText: [String: String?] = [:]

  private let db: Database
  private let base: String
  private let theirs: String
  /// The tables of the main database: kind, and whether they have no row numbers.
  private var kinds: [String: (kind: String, isWithoutNumbers: Bool, isStrict: Bool)] = [:]
  private let ours: Objects

  /// - Throws: `MergeProblem` if the schemas differ, or if rows of `theirs` that changed have no identity.
  init(of db: Database, base: String, theirs: String) throws {
    (self.db, self.base, self.theirs) = (db, base, theirs)
    ours = try Objects(of: "main", in: db)
    try checkSchemas()
    for row in try Row.fetchAll(
      db, sql: "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'")
    {
      kinds[row[0]] = (row[1], row[2], row[3])
    }
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
    var shadows: [String: String] = [:]
    for shadow in kinds.keys where kinds[shadow]?.kind == "shadow" {
      shadows[shadow] = kinds.keys.filter { kinds[$0]?.kind == "virtual" && shadow.hasPrefix($0 + "_") }
        .max { $0.count < $1.count }
    }
    // The virtual tables whose shadow tables are merged as a whole. Other shadow tables follow from rows.
    var opaque: Set<String> = []
    for name in kinds.keys.sorted() where kinds[name]?.kind == "virtual" {
      if let content = content(ofFullText: name) {
        fullText[name] = .some(kinds[content]?.kind == "table" ? content.lowercased() : nil)
      } else if shadows.values.contains(name) {
        opaque.insert(name)
      }
    }
    for name in kinds.keys.sorted() {
      guard let kind = kinds[name]?.kind, kind == "table" || kind == "shadow" else { continue }
      guard PrivateTables.isRecorded(name) else { continue }
      let owner = kind == "shadow" ? shadows[name] : nil
      if kind == "shadow" && !(owner.map(opaque.contains) ?? false) { continue }
      try addOrdinary(name, owner: owner)
    }
  }

  /// Returns the table or view that a full-text table indexes; nil if it has a content of its own, or none.
  private func content(ofFullText name: String) -> String? {
    guard let sql = ours.byName[name]?.sql, let module = VirtualTableModule(sql: sql),
      ["fts3", "fts4", "fts5"].contains(module.module), let content = module.option("content"), content != ""
    else { return nil }
    return kinds.keys.first { $0.lowercased() == content.lowercased() } ?? content
  }

  private mutating func addOrdinary(_ name: String, owner: String?) throws {
    guard let kind = kinds[name] else { return }
    let infos = try Row.fetchAll(
      db, sql: "SELECT name, type, \"notnull\", pk, hidden, dflt_value FROM pragma_table_xinfo(?)",
      arguments: [name])
    if let problem = Self.problem(of: infos, isWithoutNumbers: kind.isWithoutNumbers, isShadow: owner != nil)
    {
      if try isChangedByThem(name) { throw MergeProblem.unmergeable(table: name, reason: problem) }
      return
    }
    var table = MergedTable(
      name: name,
      columns: infos.map {
        MergedTable.Column(name: $0["name"], isUntyped: Self.isUntyped($0["type"], isStrict: kind.isStrict))
      },
      keys: infos.indices.filter { infos[$0]["pk"] as Int > 0 })
    table.hasIntegerKey =
      !kind.isWithoutNumbers && table.keys.count == 1
      && (infos[table.keys[0]]["type"] as String).uppercased() == "INTEGER"
    if !kind.isWithoutNumbers && !table.hasIntegerKey {
      let names = Set(infos.map { ($0["name"] as String).lowercased() })
      table.number = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    }
    table.isAutoincrement =
      try table.hasIntegerKey && isAutoincrement(table.columns[table.keys[0]].name, of: name)
    table.foreignKeys = try foreignKeys(of: name)
    table.isOneProperty = name == PrivateTables.content
    table.owner = owner
    table.isInBase = try db.tableExists(name, in: base)
    if table.isInBase { try addDefaults(infos, to: &table) }
    tables.append(table)
  }

  private func isAutoincrement(_ column: String, of table: String) throws -> Bool {
    var isAutoincrement: CInt = 0
    let code = sqlite3_table_column_metadata(
      db.sqliteConnection, "main", table, column, nil, nil, nil, nil, &isAutoincrement)
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return isAutoincrement != 0
  }

  /// Whether a column has a type without conversion of numbers.
  private static func isUntyped(_ type: String, isStrict: Bool) -> Bool {
    let type = type.uppercased()
    if type.isEmpty || isStrict && type == "ANY" { return true }
    return type.contains("BLOB") && !["INT", "CHAR", "CLOB", "TEXT"].contains(where: type.contains)
  }

  /// The same rules as `TablesProblem` has for opening.
  private static func problem(of infos: [Row], isWithoutNumbers: Bool, isShadow: Bool) -> MergeProblem.Reason?
  {
    if infos.contains(where: { [2, 3].contains($0["hidden"] as Int) }) { return .generatedColumn }
    let keys = infos.filter { $0["pk"] as Int > 0 }
    if keys.isEmpty { return .noPrimaryKey }
    if keys.count == 1 && (keys[0]["type"] as String).uppercased() == "INTEGER" { return nil }
    if isWithoutNumbers || isShadow { return nil }
    return keys.contains { $0["notnull"] as Int == 0 } ? .nullableKey : nil
  }

  /// Whether rows of a table differ between the base and theirs, each counted by all its values. Cost: all rows of both.
  private func isChangedByThem(_ name: String) throws -> Bool {
    // The hidden columns of a virtual table are no values of the row.
    let columns = try String.fetchAll(
      db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1", arguments: [name])
    let groups = columns.flatMap { ["\($0.quotedName) COLLATE BINARY", "typeof(\($0.quotedName))"] }
    let list = columns.map(\.quotedName).joined(separator: ", ")
    let isInBase = try db.tableExists(name, in: base)
    let baseRows = isInBase ? "UNION ALL SELECT \(list), -1 FROM \(base.quotedName).\(name.quotedName)" : ""
    return try Row.fetchOne(
      db,
      sql: """
        SELECT 1 FROM (SELECT \(list), 1 AS grdb_n FROM \(theirs.quotedName).\(name.quotedName) \(baseRows))
        GROUP BY \(groups.joined(separator: ", ")) HAVING sum(grdb_n) <> 0 LIMIT 1
        """) != nil
  }

  // MARK: The base of a migration

  /// Gives the columns that the base lacks the values that `ALTER TABLE ADD COLUMN` gives them.
  private func addDefaults(_ infos: [Row], to table: inout MergedTable) throws {
    let there = try Row.fetchAll(
      db, sql: "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?, ?)", arguments: [table.name, base])
    let known = Dictionary(uniqueKeysWithValues: there.map { ($0["name"] as String, $0) })
    let missing = infos.indices.filter { known[infos[$0]["name"]] == nil }
    let isExtended =
      there.count + missing.count == infos.count
      && infos.allSatisfy { info in
        guard let old = known[info["name"]] else { return info["pk"] as Int == 0 }
        return (old["type"] as String).uppercased() == (info["type"] as String).uppercased()
          && old["pk"] as Int == info["pk"] as Int && old["hidden"] as Int == 0
      }
    if !isExtended { throw MergeProblem.baseIsOlder(table: table.name) }
    for position in missing {
      let value = infos[position]["dflt_value"] as String? ?? "NULL"
      // A column of the same type converts the value as the table's own does.
      let type: String = infos[position]["type"]
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
      guard let parent = kinds.keys.first(where: { $0.lowercased() == (row[1] as String).lowercased() })
      else {
        continue
      }
      var key =
        keys[id]
        ?? MergedTable.ForeignKey(
          parent: parent, columns: [], parentColumns: [],
          setsNull: (row[4] as String).uppercased() == "SET NULL")
      key.columns.append(row[2])
      if let column = row[3] as String? { key.parentColumns.append(column) }
      keys[id] = key
    }
    return try keys.keys.sorted().compactMap { keys[$0] }.compactMap { key in
      var key = key
      if key.parentColumns.isEmpty {
        key.parentColumns = try String.fetchAll(
          db, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", arguments: [key.parent])
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
