import GRDB

/// Gives new keys to rows of `ours` whose integer key `theirs` gave to another new row.
///
/// Two programs that insert rows apart take the same next integer. Then each has a row of its own under one key. The
/// row of `ours` gets a key that is greater than all keys of the three databases. The declared foreign keys of `ours`
/// follow it, through any number of tables. Two rows with the same values are one row.
///
/// A reference that no foreign key declares does not follow: the schema does not have it. Such a program makes its keys
/// itself, as UUIDs in a TEXT or BLOB column. `RowMergeOutcome.renumbered` has the old and the new keys.
///
/// A row keeps its key if the key is itself a foreign key, as in a table with one row for each row of another one. It
/// also keeps its key if a constraint allows no other one, as `CHECK (id = 1)`. Such rows merge as two changes of one
/// row.
struct KeyRenumbering {
  let db: Database
  let schema: MergedSchema
  let base: String
  let theirs: String
  /// The changes of `theirs`.
  let changed: SideChanges

  func run() throws -> [RenumberedRow] {
    var renumbered: [RenumberedRow] = []
    for position in schema.parentsFirst {
      let table = schema.tables[position]
      guard table.hasIntegerKey, table.owner == nil else { continue }
      let column = table.columns[table.keys[0]].name
      if table.foreignKeys.contains(where: { $0.columns.contains(column) }) { continue }
      for old in try collisions(table, at: position) {
        let new = try nextKey(table, column)
        var isDone = false
        try db.inSavepoint {
          isDone = try move(table, column, to: new, "\(column.quotedName) = \(old)", above: [])
          return isDone ? .commit : .rollback
        }
        if isDone { renumbered.append(RenumberedRow(table: table.name, old: old, new: new)) }
      }
    }
    return renumbered
  }

  /// Returns the keys that both sides gave to new rows with other values.
  private func collisions(_ table: MergedTable, at position: Int) throws -> [Int64] {
    let select = try ValueStatement(db, table.selectRow)
    return try changed.rows.compactMap { identity, change in
      guard identity.table == position, change.base == nil, let theirs = change.row else { return nil }
      try select.start(identity.values)
      defer { select.end() }
      guard try select.next(), select.row(0..<table.columns.count) != theirs else { return nil }
      return identity.values.first.flatMap { Int64.fromDatabaseValue($0.databaseValue) }
    }.sorted()
  }

  private func nextKey(_ table: MergedTable, _ column: String) throws -> Int64 {
    let greatest = try Self.greatest(of: table, base: base, theirs: theirs, db)
    if greatest == .max { throw MergeProblem.noFreeKey(table: table.name) }
    return greatest + 1
  }

  /// The greatest key in the three databases.
  static func greatest(of table: MergedTable, base: String, theirs: String, _ db: Database) throws -> Int64 {
    let key = table.columns[table.keys[0]].name.quotedName
    var greatest: Int64 = 0
    for schema in ["main", base, theirs] where schema != base || table.isInBase {
      let found = try Int64.fetchOne(
        db, sql: "SELECT max(\(key)) FROM \(schema.quotedName).\(table.name.quotedName)")
      greatest = max(greatest, found ?? 0, try sequence(of: table, in: schema, db))
    }
    return greatest
  }

  /// The greatest key that a table with AUTOINCREMENT ever gave.
  private static func sequence(of table: MergedTable, in schema: String, _ db: Database) throws -> Int64 {
    guard table.isAutoincrement,
      try Int.fetchOne(
        db, sql: "SELECT 1 FROM \(schema.quotedName).sqlite_master WHERE name = 'sqlite_sequence'") != nil
    else { return 0 }
    return try Int64.fetchOne(
      db, sql: "SELECT seq FROM \(schema.quotedName).sqlite_sequence WHERE name = ?", arguments: [table.name])
      ?? 0
  }

  /// Changes a column in the rows of a condition, and before that in the rows that refer to them by it.
  ///
  /// - Parameter above: the tables and columns on the way here, against circles.
  /// - Returns: false if a constraint refuses the new value.
  private func move(
    _ table: MergedTable, _ column: String, to new: Int64, _ condition: String, above: Set<[String]>
  ) throws -> Bool {
    let here = above.union([[table.name, column]])
    for childTable in schema.tables {
      for key in childTable.foreignKeys where key.parent == table.name {
        guard let place = key.parentColumns.firstIndex(where: { $0.lowercased() == column.lowercased() })
        else {
          continue
        }
        if here.contains([childTable.name, key.columns[place]]) { continue }
        let matches = zip(key.parentColumns, key.columns).map { "p.\($0.quotedName) = c.\($1.quotedName)" }
        let keyNames = childTable.keys.map { childTable.columns[$0].name.quotedName }
        let keyList = keyNames.joined(separator: ", ")
        // The rows of the condition are those of the parent that still have the old value.
        let referring = """
          (\(keyList)) IN (SELECT \(keyNames.map { "c.\($0)" }.joined(separator: ", "))
          FROM \(childTable.quoted) AS c, (SELECT * FROM \(table.quoted) WHERE \(condition)) AS p
          WHERE \(matches.joined(separator: " AND ")))
          """
        if try !move(childTable, key.columns[place], to: new, referring, above: here) { return false }
      }
    }
    let update = try ValueStatement(
      db, "UPDATE OR ABORT \(table.quoted) SET \(column.quotedName) = \(new) WHERE \(condition)")
    return try update.run([]) == .done
  }
}

/// A row of `ours` that got another integer key.
package struct RenumberedRow: Sendable, Hashable {
  package var table: String
  package var old: Int64
  package var new: Int64

  package init(table: String, old: Int64, new: Int64) { (self.table, self.old, self.new) = (table, old, new) }
}
