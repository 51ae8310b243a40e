import CSQLiteSession
import GRDB

/// Finds the rows that have the key or a unique value of another row.
///
/// SQLite itself finds them, with its collations, partial indexes and expressions. It inserts the row with `INSERT OR
/// REPLACE`, and its hook for changes reports the rows that it removes. A rollback takes all of that back.
struct BlockingRows {
  private final class Collector {
    let keys: [Int]
    var found: [[EncodedValue]] = []
    init(_ keys: [Int]) { self.keys = keys }

    func note(_ connection: OpaquePointer?) {
      found.append(
        keys.map { column in
          var value: OpaquePointer?
          var writer = ChangesetWriter()
          if sqlite3_preupdate_old(connection, Int32(column), &value) == SQLITE_OK { writer.appendKey(value) }
          return writer.bytes[...]
        })
    }
  }

  /// Returns the rows that block the insertion of one with these values.
  static func find(_ table: MergedTable, at position: Int, _ values: [EncodedValue], _ db: Database) throws
    -> [RowIdentity]
  {
    let collector = Collector(table.keys)
    try ChangeRecorder.withoutHook(on: db) {
      sqlite3_preupdate_hook(
        db.sqliteConnection,
        { context, connection, operation, _, _, _, _ in
          guard let context, operation == SQLITE_DELETE else { return }
          Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue().note(connection)
        }, Unmanaged.passUnretained(collector).toOpaque())
      defer { sqlite3_preupdate_hook(db.sqliteConnection, nil, nil) }
      try db.inSavepoint {
        let insert = try ValueStatement(db, table.insert(.replace, withNumber: false))
        _ = try insert.run(values)  // The rows count that it removes before it fails or succeeds.
        return .rollback
      }
    }
    return withExtendedLifetime(collector) { collector.found.map { RowIdentity(table: position, key: $0) } }
  }
}
