import FilePackages
import GRDB

/// Compares the tables of an attached database with those of the main one.
enum TableComparison {
  /// Returns the differences, also if the databases have other tables.
  ///
  /// A row without an identity does not count: its table has no primary key, or its key has a NULL.
  ///
  /// Cost: all rows of both; the memory of the changed rows.
  static func differences(from schema: String, in db: Database) throws -> ManagedDifferences {
    let old = try Self.recorded(of: schema, in: db)
    let new = try Self.recorded(of: "main", in: db)
    let same = new.keys.filter {
      old[$0]?.columns.map(\.name) == new[$0]?.columns.map(\.name) && old[$0]?.keys == new[$0]?.keys
    }
    let tables = same.sorted().compactMap { new[$0] }.filter { !$0.keys.isEmpty }.map { MergedTable($0) }
    var differences = ManagedDifferences(try SideChanges(in: "main", from: schema, tables, db), of: tables)
    for table in Set(old.keys).union(new.keys).subtracting(same) {
      var changed = ManagedDifferences.TableDifference(table: table)
      changed.deleted = try old[table]?.rowCount(of: schema, in: db) ?? 0
      changed.inserted = try new[table]?.rowCount(in: db) ?? 0
      if changed.inserted + changed.deleted > 0 { differences.tables.append(changed) }
    }
    differences.tables.sort { $0.table < $1.table }
    return differences
  }

  /// The tables whose rows are compared, without those that virtual tables have for themselves.
  private static func recorded(of schema: String, in db: Database) throws -> [String: TableShape] {
    let shapes = try TableShape.all(of: schema, in: db).filter { $0.isMerged && $0.kind != .shadow }
    return Dictionary(uniqueKeysWithValues: shapes.map { ($0.name, $0) })
  }
}
