import GRDB

/// Decides about rows that are not as an edit left them, when the edit is taken back.
///
/// | Row | `error` | store trump | object trump | `overwrite` | `rollback` |
/// | --- | --- | --- | --- | --- | --- |
/// | an update meets other values | abort | other columns go back | goes back | goes back | stays |
/// | a removal meets other values | abort | stays | is removed | is removed | stays |
/// | an update meets no row | abort | stays away | stays away | stays away | stays away |
/// | a removal meets no row | done | done | done | done | done |
/// | an insert meets a row of its key | abort | stays | is replaced | is replaced | stays |
/// | a constraint refuses the row | abort | stays | stays | stays | stays |
/// | a foreign key leads nowhere | abort | abort | abort | abort | abort |
/// | a page of an index that SQLite can make again | stays | stays | stays | stays | stays |
/// | a page of another index | abort | abort | abort | abort | abort |
struct ChangesetConflictHandler {
  let policy: MergePolicy
  private let indexes: IndexReversal
  /// Whether a page of an index stays as another change left it.
  private(set) var leavesPage = false
  /// The updates of single columns, which follow the rest.
  private(set) var partialUpdates: [ChangeConflict] = []

  init(_ policy: MergePolicy, _ indexes: IndexReversal) { (self.policy, self.indexes) = (policy, indexes) }

  /// Returns the answer to a conflict.
  mutating func answer(to conflict: ChangeConflict) -> ChangeConflict.Answer {
    if let table = conflict.row?.table {
      if indexes.fixed.contains(table) { return .abort }
      if indexes.isPage(table) {
        leavesPage = true
        return .omit
      }
    }
    let operation = conflict.row?.operation
    switch conflict.kind {
    case .foreignKey, .lostBytes: return .abort
    case .notFound where operation == .delete: return .omit
    case .notFound, .constraint: return policy == .error ? .abort : .omit
    case .data, .taken:
      switch policy {
      case .error: return .abort
      case .rollback: return .omit
      case .overwrite, .mergeByPropertyObjectTrump: return .replace
      case .mergeByPropertyStoreTrump:
        // A path and its digest are one property.
        if operation == .update && conflict.row?.table != PrivateTables.content {
          partialUpdates.append(conflict)
        }
        return .omit
      }
    }
  }

  /// Takes back the columns that only the edit changed, in the rows in conflict.
  func updateColumns(in db: Database) throws {
    for conflict in partialUpdates {
      guard let row = conflict.row else { continue }
      let names = try db.columns(in: row.table).map(\.name)
      var (sets, wheres): ([String], [String]) = ([], [])
      var (values, keys): ([DatabaseValue], [DatabaseValue]) = ([], [])
      for (column, name) in names.enumerated() where column < row.new.count {
        let quoted = name.quotedName
        if row.isKey[column] {
          wheres.append("\(quoted) = ?")
          keys.append(row.old[column] ?? .null)
        } else if let new = row.new[column], row.old[column] == conflict.current[column] {
          sets.append("\(quoted) = ?")
          values.append(new)
        }
      }
      if sets.isEmpty { continue }
      do {
        try db.execute(
          sql: """
            UPDATE \(row.table.quotedName) SET \(sets.joined(separator: ", "))
            WHERE \(wheres.joined(separator: " AND "))
            """, arguments: StatementArguments(values + keys))
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        // The row stays.
      }
    }
  }

  /// Checks the foreign keys, since another program's rows may refer to a row that is gone now. Cost: all rows.
  ///
  /// - Parameter before: reads the state before the change. Rows may have referred to no row there, too.
  static func checkForeignKeys(of db: Database, before: ((Database) throws -> [Row]) throws -> [Row]) throws {
    let violations = { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }
    let present = try violations(db)
    if present.isEmpty { return }
    let old = try before(violations)
    let new = present.first { !old.contains($0) } ?? (present.count > old.count ? present.first : nil)
    if let new { throw ChangeConflict(kind: .foreignKey, table: new[0]) }
  }
}
