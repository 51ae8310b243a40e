import GRDB

/// Takes changes back exactly, also if rows exchanged unique values.
///
/// SQLite applies a changeset row by row. If two rows exchanged a unique value, neither can go first. Then all changed
/// rows are removed, and those of the earlier state are inserted.
struct ExactReversal {
  private let db: Database
  private let changeset: Changeset

  init(_ changeset: Changeset, in db: Database) { (self.changeset, self.db) = (changeset, db) }

  /// Takes the changes back, in a transaction of the caller. The rows get other numbers.
  ///
  /// - Parameter indexes: those whose pages stay, since the caller makes them again.
  /// - Throws: `ChangeConflict` if a row is not as the changes left it. The caller's transaction then ends.
  func run(_ indexes: IndexReversal) throws {
    var restored: [(table: String, values: [DatabaseValue])] = []
    try changeset.forEachRow { row in
      if indexes.isPage(row.table) { return }
      var values = row.old
      if row.operation != .delete {
        let present = try remove(row)
        // An update says the changed columns only.
        if row.operation == .update {
          values = zip(row.old, present).map { $0 ?? $1 }
        }
      }
      if row.operation != .insert { restored.append((row.table, values.map { $0 ?? .null })) }
    }
    for (table, values) in restored {
      let places = values.map { _ in "?" }.joined(separator: ", ")
      do {
        try db.execute(
          sql: "INSERT INTO \(table.quotedName) VALUES (\(places))",
          arguments: StatementArguments(values))
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        throw ChangeConflict(kind: .constraint, table: table)
      }
    }
  }

  /// Removes a row that the changes made or updated, and returns its values.
  private func remove(_ row: ChangedRow) throws -> [DatabaseValue] {
    let columns = try db.columns(in: row.table).map(\.name.quotedName)
    let keys = row.isKey.indices.filter { row.isKey[$0] }
    // The key of an updated row is among its old values.
    let key = keys.map { row.new[$0] ?? row.old[$0] ?? .null }
    let table = row.table.quotedName
    let condition = keys.map { "\(columns[$0]) = ?" }.joined(separator: " AND ")
    let found = try Row.fetchOne(
      db, sql: "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(condition)",
      arguments: StatementArguments(key))
    guard let found else { throw ChangeConflict(kind: .notFound, table: row.table) }
    let present = Array(found.databaseValues)
    let isAsLeft = zip(row.new, present).allSatisfy { $0 == nil || $0 == $1 }
    guard isAsLeft else { throw ChangeConflict(kind: .data, table: row.table) }
    try db.execute(sql: "DELETE FROM \(table) WHERE \(condition)", arguments: StatementArguments(key))
    return present
  }
}
