import CSQLiteSession
import FoundationEssentials
package import GRDB
import Glibc

/// Records the changes that transactions of one connection make, as changesets of SQLite.
///
/// SQLite's sessions do the same, and compile five statements for each table of each transaction. This recorder knows
/// the tables, and has its statements, from one transaction to the next.
///
/// It reads a row before its first change and at the end. So a part of the transaction that was rolled back leaves
/// nothing. Sessions take the old values from the hook. SQLite 3.40 gives NULL there for a column that a migration added
/// with a default.
///
/// It records the user's tables that have a primary key, and the list of additional content. A connection has one
/// recorder or sessions, never both: SQLite has one hook.
///
/// `@unchecked`: only closures on the connection use it, one after the other.
package final class ChangeRecorder: @unchecked Sendable {
  private var readers: [RowReader] = []
  /// Whether a virtual table has tables of its own.
  private var hasShadows = false
  /// The schema of the tables.
  private var schemaVersion: Int?
  private var isRecording = false
  private var touched = TouchedRows()
  /// The table of the last change.
  private var last = 0
  /// The first error while it recorded.
  private var problem: (any Error)?

  /// Sets SQLite's hook for changes; called before the first statement of the connection, since SQLite looks at the hook
  /// when it compiles one.
  package init(on db: Database) {
    Self.setHook(of: db, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func setHook(of db: Database, _ recorder: UnsafeMutableRawPointer) {
    sqlite3_preupdate_hook(
      db.sqliteConnection,
      { context, connection, operation, schema, table, number, _ in
        guard let context, let schema, let table else { return }
        let recorder = Unmanaged<ChangeRecorder>.fromOpaque(context).takeUnretainedValue()
        recorder.note(operation, connection, schema, table, number)
      }, recorder)
  }

  /// Calls `body` while the connection has no hook of a recorder, so that a session can have its own.
  static func withoutHook<Result>(on db: Database, _ body: () throws -> Result) rethrows -> Result {
    let recorder = sqlite3_preupdate_hook(db.sqliteConnection, nil, nil)
    defer { if let recorder { setHook(of: db, recorder) } }
    return try body()
  }

  /// Removes the hook, and ends the statements; called on the connection, before it closes.
  package func release(on db: Database) {
    (readers, schemaVersion) = ([], nil)
    // A closed connection has no hook.
    if let connection = db.sqliteConnection { sqlite3_preupdate_hook(connection, nil, nil) }
  }

  // MARK: Recording

  /// Calls `body` within a transaction, and returns the changes that it made.
  ///
  /// - Parameter schemaVersion: SQLite's number of the schema, which `body` does not change.
  package func recording<Result>(
    _ db: Database, _ schemaVersion: Int, _ body: () throws -> Result
  ) throws -> (Result, Changeset) {
    if self.schemaVersion != schemaVersion {
      let shapes = try TableShape.all(in: db)
      let derived = try FullTextTable.all(in: db, shapes).filter(\.isAlwaysMadeAgain).flatMap(\.pages)
      readers = shapes.filter { !derived.contains($0.name) }.compactMap(RecordedTable.init)
        .map { RowReader($0, db) }
      hasShadows = shapes.contains { $0.kind == .shadow }
      (self.schemaVersion, last) = (schemaVersion, 0)
    }
    touched.removeAll()
    problem = nil
    isRecording = true
    defer { isRecording = false }
    let result = try body()
    // FTS5 writes to its tables before a savepoint, or at the end of the transaction.
    if hasShadows { try db.inSavepoint { .commit } }
    if let problem { throw problem }
    return (result, try changeset())
  }

  private func note(
    _ operation: Int32, _ connection: OpaquePointer?, _ schema: UnsafePointer<CChar>,
    _ name: UnsafePointer<CChar>, _ number: Int64
  ) {
    guard isRecording, problem == nil, strcmp(schema, "main") == 0, let position = position(of: name) else {
      return
    }
    // A change of the schema fails at its end.
    guard sqlite3_preupdate_count(connection) == Int32(readers[position].table.columnCount) else { return }
    do {
      let isIndirect = sqlite3_preupdate_depth(connection) > 0
      if operation != SQLITE_INSERT {
        try addKey(position, isIndirect: isIndirect, number: number) {
          sqlite3_preupdate_old(connection, $0, &$1)
        }
      }
      if operation != SQLITE_DELETE {
        try addKey(position, isIndirect: isIndirect, number: nil) {
          sqlite3_preupdate_new(connection, $0, &$1)
        }
      }
    } catch {
      problem = error
    }
  }

  /// Notes a row, with its values if it is there.
  ///
  /// A row whose key has a NULL has no identity, and is not noted.
  ///
  /// - Parameters:
  ///   - number: the number of a row that is there, in a table with numbers; nil for a new row.
  ///   - read: gives the value of a column.
  private func addKey(
    _ position: Int, isIndirect: Bool, number: Int64?, _ read: (Int32, inout OpaquePointer?) -> Int32
  ) throws {
    let reader = readers[position]
    let start = touched.values.count
    for column in reader.table.keys {
      var value: OpaquePointer?
      try Changeset.check(read(Int32(column), &value), "sqlite3_preupdate")
      if sqlite3_value_type(value) == SQLITE_NULL { return touched.values.truncate(to: start) }
      touched.values.appendKey(value)
    }
    let end = touched.values.count
    let isNew = touched.add(table: position, keyStart: start, isIndirect: isIndirect)
    guard isNew, let number else { return }
    let key = touched.values.bytes[start..<end]
    guard try reader.readChanging(number: number, key: key, into: &touched.values) else {
      throw DatabaseError(
        resultCode: .SQLITE_INTERNAL, message: "a row of \(reader.table.name) cannot be read")
    }
    touched.endOldValues()
  }

  private func position(of name: UnsafePointer<CChar>) -> Int? {
    if last < readers.count && strcmp(readers[last].table.name, name) == 0 { return last }
    guard let found = readers.firstIndex(where: { strcmp($0.table.name, name) == 0 }) else { return nil }
    last = found
    return found
  }

  // MARK: The result

  private func changeset() throws -> Changeset {
    var writer = ChangesetWriter()
    var byTable: [Int: [TouchedRows.Row]] = [:]
    var order: [Int] = []
    for row in touched.rows {
      if byTable[row.table] == nil { order.append(row.table) }
      byTable[row.table, default: []].append(row)
    }
    for position in order {
      let rows = byTable[position] ?? []
      // New rows come first. Taking the changes back then removes them first: another row may have their key in other
      // letters, or their value of a unique column.
      try write(rows.filter(\.isNew) + rows.filter { !$0.isNew }, readers[position], to: &writer)
    }
    return Changeset(bytes: Data(writer.bytes))
  }

  private func write(
    _ rows: [TouchedRows.Row], _ reader: RowReader, to writer: inout ChangesetWriter
  ) throws {
    let start = writer.count
    writer.begin(reader.table)
    let rowsStart = writer.count
    var present = ChangesetWriter()
    for row in rows {
      present.removeAll(keepingCapacity: true)
      let isPresent = try reader.read(key: touched.values.bytes[row.key], into: &present)
      let old = row.oldValues.map { touched.values.bytes[$0] }
      switch (old, isPresent) {
      case (nil, true): writer.append(SQLITE_INSERT, isIndirect: row.isIndirect, present.bytes[...])
      case (let old?, false): writer.append(SQLITE_DELETE, isIndirect: row.isIndirect, old)
      case (let old?, true):
        writer.append(changed: reader.table, isIndirect: row.isIndirect, from: old, to: present.bytes[...])
      case (nil, false): break
      }
    }
    if writer.count == rowsStart { writer.truncate(to: start) }
  }
}
