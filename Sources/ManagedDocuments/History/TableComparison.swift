import CSQLiteSession
import FilePackages
import FoundationEssentials
import GRDB

/// Compares the tables of an attached database with those of the main one.
enum TableComparison {
  /// Returns the changes from the attached database to the main one. Both have the same tables.
  ///
  /// Cost: all rows of both.
  static func changeset(from schema: String, in db: Database) throws -> Changeset {
    try changeset(of: RecordedTables.columns(in: db).map(\.table), from: schema, in: db)
  }

  private static func changeset(
    of tables: [String], from schema: String, in db: Database
  ) throws -> Changeset {
    let recorder = try ChangeRecorder.idle(on: db)
    for table in tables { try recorder.addDifferences(of: table, from: schema) }
    return try recorder.changeset()
  }

  /// Returns the differences, also if the databases have other tables.
  static func differences(from schema: String, in db: Database) throws -> ManagedDifferences {
    let old = Dictionary(
      uniqueKeysWithValues: try RecordedTables.columns(of: schema, in: db).map { ($0.table, $0.columns) })
    let new = Dictionary(
      uniqueKeysWithValues: try RecordedTables.columns(in: db).map { ($0.table, $0.columns) })
    let same = new.keys.filter { old[$0] == new[$0] }.sorted()
    var differences = try ManagedDifferences(changeset(of: same, from: schema, in: db), in: db)
    let shadows = try RecordedTables.shadows(in: db)
    for table in Set(old.keys).union(new.keys).subtracting(same).subtracting(shadows) {
      var changed = ManagedDifferences.TableDifference(table: table)
      if old[table] != nil { changed.deleted = try count(table, of: schema, in: db) }
      if new[table] != nil { changed.inserted = try count(table, of: "main", in: db) }
      if changed.inserted + changed.deleted > 0 { differences.tables.append(changed) }
    }
    differences.tables.sort { $0.table < $1.table }
    return differences
  }

  private static func count(_ table: String, of schema: String, in db: Database) throws -> Int {
    try Int.fetchOne(
      db, sql: "SELECT count(*) FROM \(schema.quotedDatabaseIdentifier).\(table.quotedDatabaseIdentifier)")
      ?? 0
  }
}
