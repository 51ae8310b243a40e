import CSQLiteSession
import GRDB

/// A statement of SQLite whose parameters and results are encoded values, so that each value keeps its type and bytes.
final class ValueStatement {
  /// The outcome of a change.
  enum Outcome: Sendable, Hashable {
    case done
    /// Another row has the key or a unique value.
    case notUnique
    /// CHECK, NOT NULL or the type of a STRICT table refuses the row.
    case invalid
  }

  private let connection: OpaquePointer?
  private let sql: String
  private var statement: OpaquePointer?

  /// - Parameter stays: whether it is used again and again.
  init(_ db: Database, _ sql: String, stays: Bool = false) throws {
    (connection, self.sql) = (db.sqliteConnection, sql)
    let flags = stays ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(connection, sql, -1, flags, &statement, nil)
    if code != SQLITE_OK { throw error(code) }
  }

  deinit { sqlite3_finalize(statement) }

  private func error(_ code: Int32) -> DatabaseError {
    let message = connection.map { String(cString: sqlite3_errmsg($0)) }
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
  }

  /// Begins with these parameters.
  func start(_ values: [EncodedValue] = []) throws {
    sqlite3_reset(statement)
    for (position, value) in values.enumerated() {
      var encoded = EncodedValues(value)
      try bind(&encoded, to: position + 1)
    }
  }

  /// Begins with a number of parameters, one after the other.
  func start(_ values: ArraySlice<UInt8>, count: Int) throws {
    sqlite3_reset(statement)
    var encoded = EncodedValues(values)
    for parameter in 1...count { try bind(&encoded, to: parameter) }
  }

  /// Begins with one number.
  func start(_ number: Int64) throws {
    sqlite3_reset(statement)
    let code = sqlite3_bind_int64(statement, 1, number)
    if code != SQLITE_OK { throw error(code) }
  }

  private func bind(_ values: inout EncodedValues, to parameter: Int) throws {
    let code = values.bindNext(to: Int32(parameter), of: statement)
    if code != SQLITE_OK { throw error(code) }
  }

  /// Steps to the next row; false after the last one.
  func next() throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(statement)
      return false
    case let code:
      let error = error(code)
      sqlite3_reset(statement)
      throw error
    }
  }

  /// Ends before the last row.
  func end() { sqlite3_reset(statement) }

  /// Returns the present row.
  func row() -> EncodedRow { row(0..<Int(sqlite3_column_count(statement))) }

  /// Returns some columns of the present row.
  func row(_ columns: Range<Int>) -> EncodedRow {
    var writer = ChangesetWriter()
    append(columns, to: &writer)
    return EncodedRow(bytes: writer.bytes)
  }

  /// Adds some columns of the present row to `values`.
  func append(_ columns: Range<Int>, to values: inout ChangesetWriter) {
    for column in columns { values.append(Int32(column), of: statement) }
  }

  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

  /// Runs a change.
  func run(_ values: [EncodedValue]) throws -> Outcome {
    try start(values)
    defer { sqlite3_reset(statement) }
    let code = sqlite3_step(statement)
    if code == SQLITE_DONE || code == SQLITE_ROW { return .done }
    guard code & 0xff == SQLITE_CONSTRAINT else { throw error(code) }
    switch ResultCode(rawValue: sqlite3_extended_errcode(connection)) {
    case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID: return .notUnique
    default: return .invalid
    }
  }

  /// Returns all rows of a query, each with the first `count` columns.
  static func rows(_ db: Database, _ sql: String, _ values: [EncodedValue] = [], count: Int) throws
    -> [EncodedRow]
  {
    let statement = try ValueStatement(db, sql)
    try statement.start(values)
    var rows: [EncodedRow] = []
    while try statement.next() { rows.append(statement.row(0..<count)) }
    return rows
  }
}
