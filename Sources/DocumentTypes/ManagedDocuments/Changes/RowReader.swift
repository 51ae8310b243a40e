import GRDB

/// Reads rows of one table, with statements that stay compiled.
///
/// It may read while another statement of the connection runs, and within SQLite's hook for changes.
final class RowReader {
  let table: RecordedTable
  private let db: Database
  // A statement that could not be compiled is tried again: the reason may have passed.
  private var byKey: ValueStatement?
  private var byNumber: ValueStatement?

  init(_ table: RecordedTable, _ db: Database) { (self.table, self.db) = (table, db) }

  /// Adds the values of a row to `values`.
  ///
  /// - Returns: whether the row is there.
  func read(key: ArraySlice<UInt8>, into values: inout ChangesetWriter) throws -> Bool {
    let statement = try byKey ?? ValueStatement(db, table.selectByKey, stays: true)
    byKey = statement
    try statement.start(key, count: table.keys.count)
    return try readRow(with: statement, into: &values)
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
    let statement = try byNumber ?? ValueStatement(db, select, stays: true)
    byNumber = statement
    try statement.start(number)
    return try readRow(with: statement, into: &values)
  }

  private func readRow(with statement: ValueStatement, into values: inout ChangesetWriter) throws -> Bool {
    defer { statement.end() }
    guard try statement.next() else { return false }
    statement.append(0..<table.columnCount, to: &values)
    return true
  }
}
