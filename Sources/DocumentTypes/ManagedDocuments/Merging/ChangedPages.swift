import GRDB

/// The numbers of the rows that two databases may have with other values, from their pages.
///
/// Two copies of a database have most pages at the same places with the same bytes. The rows of such pages are equal,
/// and SQL compares the rows of the other pages only.
///
/// SQL compares all rows of a table WITHOUT ROWID, of a virtual table, and of a table that has other columns in the base.
/// The same holds for a database with a part in its log, and for a file of another format.
///
/// Cost: the time to read all pages of the tables; some bytes of memory for each page.
struct ChangedPages {
  /// The numbers of rows of a table.
  typealias Rows = [ClosedRange<Int64>]

  private static let all: Rows = [.min ... .max]
  private var rows: [Int: Rows] = [:]

  init(in schema: String, from base: String, _ merged: MergedSchema, _ db: Database) throws {
    guard let old = DatabasePages(of: base, in: db), let new = DatabasePages(of: schema, in: db),
      old.size == new.size, old.usable == new.usable, old.encoding == new.encoding
    else { return }
    for (position, table) in merged.tables.enumerated() where table.number != nil && table.isInBase {
      // The same statement: then the same bytes are the same values.
      let roots = try Row.fetchOne(
        db,
        sql: """
          SELECT b.rootpage, s.rootpage
          FROM \(base.quotedName).sqlite_master AS b JOIN \(schema.quotedName).sqlite_master AS s USING (type, name, sql)
          WHERE type = 'table' AND name = ?
          """, arguments: [table.name])
      let pages = roots?.databaseValues.compactMap(UInt32.fromDatabaseValue) ?? []
      if pages.count == 2 {
        rows[position] = TreeComparison(old: old, new: new, oldRoot: pages[0], newRoot: pages[1]).changed
      }
    }
  }

  /// The rows of a table, by its position.
  subscript(table: Int) -> Rows { rows[table] ?? Self.all }

  /// Adds a row that has changed since the pages were compared.
  mutating func insert(_ number: Int64, of table: Int) { rows[table]?.append(number...number) }
}

/// The comparison of one table in two files.
private struct TreeComparison {
  let old: DatabasePages
  let new: DatabasePages
  let oldRoot: UInt32
  let newRoot: UInt32
  /// SQLite's own limit.
  private static let greatestDepth = 20

  /// The numbers of the rows on leaves that are not in both files; nil if a page is not as SQLite's format has it.
  var changed: ChangedPages.Rows? {
    guard let oldLeaves = Self.leaves(below: oldRoot, in: old),
      let newLeaves = Self.leaves(below: newRoot, in: new)
    else { return nil }
    var (onlyOld, rows) = (Set(oldLeaves), ChangedPages.Rows())
    for leaf in newLeaves {
      guard let page = new[leaf], let content = page.rows else { return nil }
      if onlyOld.contains(leaf), old[leaf] == page, content.overflows.allSatisfy(isEqual) {
        onlyOld.remove(leaf)
      } else if let numbers = content.numbers {
        rows.append(numbers)
      }
    }
    for leaf in onlyOld {
      guard let content = old[leaf]?.rows else { return nil }
      if let numbers = content.numbers { rows.append(numbers) }
    }
    return Self.union(rows)
  }

  /// Returns the pages with the rows of a table; nil if the pages are no tree.
  private static func leaves(below root: UInt32, in pages: DatabasePages) -> [UInt32]? {
    var level = [root]
    for _ in 0..<greatestDepth {
      guard let kind = level.first.flatMap({ pages[$0] })?.kind else { return nil }
      if kind == .leaf { return level }
      var next: [UInt32] = []
      for number in level {
        guard let children = pages[number]?.children, next.count + children.count <= Int(pages.count) else {
          return nil
        }
        next += children
      }
      level = next
    }
    return nil
  }

  private func isEqual(_ overflow: DatabasePage.Overflow) -> Bool {
    if overflow.count > Int(new.count) { return false }
    var number = overflow.page
    for _ in 0..<overflow.count {
      guard let page = new[number], old[number] == page else { return false }
      number = page.following
    }
    return true
  }

  private static func union(_ rows: ChangedPages.Rows) -> ChangedPages.Rows {
    var union: ChangedPages.Rows = []
    for range in rows.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = union.last, range.lowerBound <= last.upperBound {
        union[union.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        union.append(range)
      }
    }
    return union
  }
}
