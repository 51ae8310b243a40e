import GRDB

/// The indexes of virtual tables while changes are taken back.
///
/// A page of an index is a row of a table, and of many rows of the application. So no page goes back beside another
/// change of it: SQLite makes the index again. An index that it cannot make again refuses.
struct IndexReversal {
  private let tables: [FullTextTable]
  private let pages: Set<String>
  /// The tables of indexes that cannot be made again.
  let fixed: Set<String>
  /// The tables that changed.
  private var changed: Set<String> = []
  /// Whether an index does not agree with its rows.
  var isStale = false

  /// Of a database without virtual tables.
  init() { (tables, pages, fixed) = ([], [], []) }

  init(in db: Database) throws {
    let shapes = try TableShape.all(in: db)
    tables = try FullTextTable.all(in: db, shapes)
    pages = Set(tables.flatMap(\.pages))
    fixed = Set(shapes.filter { $0.kind == .shadow }.map(\.name)).subtracting(pages)
      .subtracting(tables.flatMap(\.rows))
  }

  func isPage(_ table: String) -> Bool { pages.contains(table) }

  /// Notes changes that are taken back.
  mutating func note(_ changeset: Changeset) throws {
    if !tables.isEmpty { changed.formUnion(try changeset.extent().tables) }
  }

  /// Makes the indexes again that do not agree with their rows.
  func end(in db: Database) throws {
    let names = Set(changed.map { $0.lowercased() })
    for table in tables {
      let content = table.content ?? ""
      // A view may be over any table.
      let follows = try names.contains(content) || !db.tableExists(content)
      let isDue = table.isAlwaysMadeAgain ? follows : isStale && !changed.isDisjoint(with: table.pages)
      if isDue { try table.makeAgain(in: db) }
    }
  }
}
