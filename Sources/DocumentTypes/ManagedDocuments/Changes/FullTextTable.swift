import GRDB

/// A full-text table whose index SQLite can make again from rows.
struct FullTextTable: Sendable, Hashable {
  var name: String
  /// The table or view that has the rows, in lower case; nil if the full-text table has them itself.
  var content: String?
  /// Whether undoing always makes the index again. It has the numbers of rows, and a row that comes back gets another one.
  ///
  /// No change of such an index is recorded.
  var isAlwaysMadeAgain: Bool

  /// Returns those of the main database, which has tables of these shapes. One without content has no rows.
  static func all(in db: Database, _ shapes: [TableShape]) throws -> [FullTextTable] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, sql FROM main.sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
    let tables = shapes.filter { $0.kind == .table && !$0.name.hasPrefix("grdb_") }
    return rows.compactMap { row in
      guard let module = VirtualTableModule(sql: row[1]), ["fts3", "fts4", "fts5"].contains(module.module)
      else { return nil }
      let content = module.option("content")?.lowercased()
      if content == "" { return nil }
      // A view may be over any table.
      let table = tables.first { $0.name.lowercased() == content }
      let isHidden = table?.hasHiddenNumbers ?? tables.contains(where: \.hasHiddenNumbers)
      return FullTextTable(name: row[0], content: content, isAlwaysMadeAgain: content != nil && isHidden)
    }
  }

  /// The tables of the index, of any module.
  var pages: [String] {
    ["data", "idx", "docsize", "segments", "segdir", "stat"].map { "\(name)_\($0)" }
  }

  /// The other tables, whose rows are those of the full-text table and its settings.
  var rows: [String] { ["content", "config"].map { "\(name)_\($0)" } }

  /// Makes the index again. Cost: all rows.
  func makeAgain(in db: Database) throws {
    try db.execute(sql: "INSERT INTO main.\(name.quotedName)(\(name.quotedName)) VALUES ('rebuild')")
  }
}
