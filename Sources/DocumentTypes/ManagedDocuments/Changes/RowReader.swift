import CSQLiteSession
import GRDB

/// Reads rows of one table, with statements that stay compiled.
///
/// It may read while another statement of the connection runs, and within SQLite's hook for changes.
final class RowReader {
  let table: RecordedTable
  private let connection: OpaquePointer?
  private var byKey: OpaquePointer?
  private var byNumber: OpaquePointer?

  init(_ table: RecordedTable, _ db: Database) { (self.table, connection) = (table, db.sqliteConnection) }

  deinit {
    sqlite3_finalize(byKey)
    sqlite3_finalize(byNumber)
  }

  /// Adds the values of a row to `values`.
  ///
  /// - Returns: whether the row is there.
  func read(key: ArraySlice<UInt8>, into values: inout ChangesetWriter) throws -> Bool {
    try compile(&byKey, table.selectByKey)
    var key = EncodedValues(key)
    for parameter in 1...Int32(table.keys.count) {
      try Changeset.check(key.bindNext(to: parameter, of: byKey), "sqlite3_bind")
    }
    return try readRow(with: byKey, into: &values)
  }

  /// Adds the values of a row that is about to change to `values`.
  ///
  /// SQLite may have removed it from its indices already. So a row with a number is read by its number.
  ///
  /// - Returns: whether the row is there.
  func readChanging(
    number: Int64, key: ArraySlice<UInt8>, into values: inout ChangesetWriter
  ) throws -> Bool {
    guard let select = table.selectByNumber else { return try read(key: key, into: &values) }
    try compile(&byNumber, select)
    try Changeset.check(sqlite3_bind_int64(byNumber, 1, number), "sqlite3_bind")
    return try readRow(with: byNumber, into: &values)
  }

  private func readRow(with statement: OpaquePointer?, into values: inout ChangesetWriter) throws -> Bool {
    defer { sqlite3_reset(statement) }
    switch sqlite3_step(statement) {
    case SQLITE_ROW:
      for column in 0..<Int32(table.columnCount) { values.append(column, of: statement) }
      return true
    case SQLITE_DONE: return false
    case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "sqlite3_step")
    }
  }

  private func compile(_ statement: inout OpaquePointer?, _ sql: String) throws {
    if statement != nil { return }
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    if code == SQLITE_OK { return }
    let message = connection.map { String(cString: sqlite3_errmsg($0)) }
    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
  }
}
