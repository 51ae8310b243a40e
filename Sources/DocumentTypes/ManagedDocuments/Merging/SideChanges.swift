import GRDB

/// The rows that one side of a merge changed since the base, or one of two databases compared with the other one.
struct SideChanges: Sendable {
  struct Change: Sendable, Hashable {
    /// The row in the base; nil if there was none.
    var base: EncodedRow?
    /// The row on this side; nil if it is removed.
    var row: EncodedRow?
  }

  private(set) var rows: [RowIdentity: Change] = [:]
  /// The positions of the tables that changed.
  var tables: Set<Int> { Set(rows.keys.map(\.table)) }

  /// Compares a database with the base, table by table.
  ///
  /// Cost: the time to read all rows of both; the memory of the changed rows.
  init(in schema: String, from base: String, _ compared: [MergedTable], _ db: Database) throws {
    for (position, table) in compared.enumerated() {
      let count = table.columns.count
      if !table.isInBase {
        for row in try ValueStatement.rows(db, table.selectAll(in: schema), count: count) {
          rows[table.identity(row, table: position)] = Change(base: nil, row: row)
        }
        continue
      }
      let changed = try ValueStatement(db, table.selectChanged(in: schema, from: base))
      while try changed.next() {
        let row = changed.row(0..<count)
        let base = changed.integer(count) != 0 ? changed.row(count + 1..<2 * count + 1) : nil
        if row != base { rows[table.identity(row, table: position)] = Change(base: base, row: row) }
      }
      for row in try ValueStatement.rows(db, table.selectRemoved(in: schema, from: base), count: count) {
        rows[table.identity(row, table: position)] = Change(base: row, row: nil)
      }
    }
  }
}
