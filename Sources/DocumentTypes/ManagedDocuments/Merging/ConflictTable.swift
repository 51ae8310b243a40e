import FilePackages
package import FoundationEssentials
package import GRDB

/// The open conflicts of rows of a document: the table `grdb_conflicts`.
///
/// A row has the values of the base and of both sides as SQLite's changesets have them, each with its type and its
/// bytes. The bytes of a file in a conflict stay (MT3): `grdb_references` has its digests with the change 0. No edit,
/// no version and no cleaning has that number.
package enum ConflictTable {
  static let name = "grdb_conflicts"
  /// The number in `grdb_references` of the files in conflicts.
  static let change: Int64 = 0

  static let schema = """
    CREATE TABLE grdb_conflicts(
      id TEXT PRIMARY KEY NOT NULL, date REAL NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, present TEXT NOT NULL, winner TEXT NOT NULL,
      columns TEXT NOT NULL, keys TEXT NOT NULL, changed TEXT NOT NULL, base BLOB, ours BLOB, theirs BLOB);
    """

  // MARK: Listing

  /// Returns the conflicts, the oldest first.
  ///
  /// - Throws: `DatabaseError`.
  static func all(in db: Database) throws -> [RowConflict] {
    try Row.fetchAll(db, sql: "SELECT * FROM grdb_conflicts ORDER BY date, name, rowid").map(conflict)
  }

  private static func conflict(_ row: Row) throws -> RowConflict {
    guard let id = UUID(uuidString: row["id"]), let kind = RowConflict.Kind(rawValue: row["kind"]),
      let outcome = RowConflict.Outcome(rawValue: row["present"]),
      let winner = ["ours": MergeSide.ours, "theirs": .theirs][row["winner"] as String]
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: name) }
    func names(_ column: String) throws -> [String] {
      try JSONDecoder().decode([String].self, from: Data((row[column] as String).utf8))
    }
    func values(_ column: String) -> EncodedRow? {
      (row[column] as Data?).map { EncodedRow(bytes: Array($0)) }
    }
    return RowConflict(
      id: id, date: Date(timeIntervalSince1970: row["date"]), storedTable: row["name"], kind: kind,
      outcome: outcome, winner: winner, columns: try names("columns"), keyColumns: try names("keys"),
      changedColumns: try names("changed"), baseRow: values("base"),
      oursRow: values("ours"), theirsRow: values("theirs"))
  }

  // MARK: Merging

  static func add(_ conflicts: [RowConflict], to db: Database) throws {
    if conflicts.isEmpty { return }
    let encoder = JSONEncoder()
    func json(_ names: [String]) throws -> String {
      String(decoding: try encoder.encode(names), as: UTF8.self)
    }
    for conflict in conflicts {
      // A merge that was cut short after its transaction is repeated. The row here may have columns of there by then.
      try db.execute(
        sql: """
          INSERT INTO grdb_conflicts SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 WHERE NOT EXISTS (
            SELECT 1 FROM grdb_conflicts WHERE name = ?3 AND base IS ?10 AND theirs IS ?12 AND winner = ?6
              AND (ours IS ?11 OR ?6 = 'ours' AND coalesce(?10, ?12) IS NOT NULL))
          """,
        arguments: [
          conflict.id.uuidString, conflict.date.timeIntervalSince1970, conflict.storedTable,
          conflict.kind.rawValue, conflict.outcome.rawValue, "\(conflict.winner)",
          try json(conflict.columns), try json(conflict.keyColumns), try json(conflict.changedColumns),
          conflict.baseRow.map { Data($0.bytes) }, conflict.oursRow.map { Data($0.bytes) },
          conflict.theirsRow.map { Data($0.bytes) },
        ])
    }
  }

  /// Adds the conflicts that `theirs` has since the base, and removes those that it has resolved since then.
  static func merge(base: String, theirs: String, in db: Database) throws {
    let (base, theirs) = (base.quotedName, theirs.quotedName)
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO main.grdb_conflicts
          SELECT * FROM \(theirs).grdb_conflicts WHERE id NOT IN (SELECT id FROM \(base).grdb_conflicts);
        DELETE FROM main.grdb_conflicts WHERE id IN (
          SELECT id FROM \(base).grdb_conflicts EXCEPT SELECT id FROM \(theirs).grdb_conflicts);
        """)
  }

  /// Makes the references of files in conflicts those of the present conflicts.
  ///
  /// - Returns: the digests.
  @discardableResult
  static func refer(in db: Database) throws -> Set<Data> {
    var digests: Set<Data> = []
    let rows = try Row.fetchAll(
      db, sql: "SELECT * FROM grdb_conflicts WHERE name = ?", arguments: [PrivateTables.content])
    for row in rows { digests.formUnion(Self.digests(of: try conflict(row))) }
    try db.execute(sql: "DELETE FROM grdb_references WHERE change = ?", arguments: [change])
    try ChangeLog.refer(to: digests, from: change, in: db)
    return digests
  }

  /// Returns the digests of the files of both sides.
  private static func digests(of conflict: RowConflict) -> [Data] {
    if conflict.storedTable != PrivateTables.content { return [] }
    return [conflict.ours, conflict.theirs].compactMap { $0?["digest"].flatMap(Data.fromDatabaseValue) }
  }

  /// Returns the digests of the losing files.
  static func losingDigests(in db: Database) throws -> Set<Data> {
    let files = try all(in: db).filter { $0.storedTable == PrivateTables.content }
    return Set(files.compactMap { $0.other?["digest"].flatMap(Data.fromDatabaseValue) })
  }

  /// Removes the conflicts of files from a copy of a document, which has only the bytes of its present files.
  static func removeFiles(from db: Database) throws {
    try db.execute(sql: "DELETE FROM grdb_conflicts WHERE name = ?", arguments: [PrivateTables.content])
  }

  // MARK: Resolving

  /// Resolves a conflict in a transaction of the caller, as a change of its rows: triggers run, constraints hold.
  ///
  /// A conflict of single columns changes only these, so that later changes of the row stay. A row that is removed
  /// meanwhile is made again. The losing values are gone after that, unless the change can be undone.
  ///
  /// - Parameter side: the side whose values the row gets; nil leaves the row as it is.
  /// - Returns: the digests of the files that the change concerns. The caller's change refers to them.
  /// - Throws: `RowConflictError`; `DatabaseError` if a constraint refuses the row. The caller's transaction then ends.
  @discardableResult
  package static func resolve(_ id: UUID, taking side: MergeSide?, in db: Database) throws -> Set<Data> {
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM grdb_conflicts WHERE id = ?", arguments: [id.uuidString])
    else { throw RowConflictError.noSuchConflict(id) }
    let conflict = try conflict(row)
    var digests: Set<Data> = []
    if let side {
      digests = try digestsOfFile(conflict, side, in: db)
      try apply(conflict, side, in: db)
    }
    // Undoing brings the conflict back, with the files of both sides.
    digests.formUnion(self.digests(of: conflict))
    try db.execute(sql: "DELETE FROM grdb_conflicts WHERE id = ?", arguments: [id.uuidString])
    try refer(in: db)
    return digests
  }

  private static func apply(_ conflict: RowConflict, _ side: MergeSide, in db: Database) throws {
    let table = conflict.storedTable.quotedName
    let values = conflict.row(side)?.values
    let known = Set(try db.columns(in: conflict.storedTable).map(\.name))
    guard known.isSuperset(of: conflict.columns) else {
      throw RowConflictError.otherColumns(table: conflict.storedTable)
    }
    let identity = conflict.row(side) ?? conflict.row(side.other) ?? conflict.baseRow
    guard let key = identity?.values else { return }
    let columns = conflict.columns.indices
    let keys = columns.filter { conflict.keyColumns.contains(conflict.columns[$0]) }
    let condition = keys.enumerated().map { place, column in
      "\(conflict.columns[column].quotedName) = ?\(place + 1)"
    }.joined(separator: " AND ")
    let keyValues = keys.map { key[$0] }
    func run(_ sql: String, _ values: [EncodedValue]) throws {
      let statement = try ValueStatement(db, sql)
      if try statement.run(values) == .done { return }
      throw RowConflictError.constraint(table: conflict.storedTable)
    }
    let isPresent = try !ValueStatement.rows(
      db, "SELECT 1 FROM main.\(table) WHERE \(condition)", keyValues, count: 1
    ).isEmpty
    switch (values, isPresent) {
    case (nil, true): try run("DELETE FROM main.\(table) WHERE \(condition)", keyValues)
    case (nil, false): break
    case (let values?, false):
      let names = columns.map { conflict.columns[$0].quotedName }.joined(separator: ", ")
      let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      try run("INSERT INTO main.\(table)(\(names)) VALUES (\(places))", values)
    case (let values?, true):
      let isWhole = conflict.changedColumns.isEmpty
      let changed = columns.filter { isWhole || conflict.changedColumns.contains(conflict.columns[$0]) }
      let sets = changed.enumerated().map { place, column in
        "\(conflict.columns[column].quotedName) = ?\(keys.count + place + 1)"
      }
      if sets.isEmpty { break }
      try run(
        "UPDATE main.\(table) SET \(sets.joined(separator: ", ")) WHERE \(condition)",
        keyValues + changed.map { values[$0] })
    }
    // GRDB's observers do not see SQLite's own statements.
    try db.notifyChanges(in: Table(conflict.storedTable))
  }

  /// Prepares the change of a file: the next save publishes it.
  ///
  /// - Returns: the digest of the present file.
  private static func digestsOfFile(_ conflict: RowConflict, _ side: MergeSide, in db: Database) throws
    -> Set<Data>
  {
    guard conflict.storedTable == PrivateTables.content,
      let path = conflict.key["path"].flatMap(String.fromDatabaseValue)
    else { return [] }
    if conflict.row(side) != nil, let obstacle = try ContentPath(stored: path).obstacle(in: db) {
      throw RowConflictError.obstacle(path: path, obstacle)
    }
    try PendingFile.touch([path], in: db)
    return try Data.fetchSet(
      db, sql: "SELECT digest FROM grdb_content WHERE path = ?", arguments: [path])
  }
}
