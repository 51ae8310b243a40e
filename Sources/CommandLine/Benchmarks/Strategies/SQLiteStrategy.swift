import CSQLiteSession
import DurableIO
import FoundationEssentials
import SystemPackage

/// One SQLite database in place of the folder, with a row for each child. A save is a transaction in the
/// write-ahead log, with a sync at its end.
final class SQLiteStrategy: DirectSaveStrategy {
  static let name = "sqlite"

  private let connection: OpaquePointer
  private let update: OpaquePointer

  init(_ model: ModelPackage, at place: SavePlace) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open(place.folder.appending("Package.sqlite").string, &opened)
    guard let opened, code == SQLITE_OK else {
      sqlite3_close(opened)
      throw BenchmarkError("SQLite cannot open a database (\(code))")
    }
    connection = opened
    try opened.run(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE children (name TEXT PRIMARY KEY, contents BLOB NOT NULL);
      """)
    update = try opened.prepare("UPDATE children SET contents = ?1 WHERE name = ?2")
    try opened.run("BEGIN")
    let insert = try opened.prepare("INSERT INTO children (contents, name) VALUES (?1, ?2)")
    defer { sqlite3_finalize(insert) }
    for child in 0..<model.childCount {
      try opened.step(insert, model.contents(of: child), model.name(of: child))
    }
    try opened.step(insert, model.metadata, ModelPackage.metadataName)
    try opened.run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE);")
  }

  deinit {
    sqlite3_finalize(update)
    sqlite3_close(connection)
  }

  func save(_ change: SaveChange) throws {
    try connection.run("BEGIN IMMEDIATE")
    for (name, contents) in change.files { try connection.step(update, contents, name) }
    try connection.run("COMMIT")
  }

  func verify(_ model: ModelPackage) throws {
    let select = try connection.prepare("SELECT contents FROM children WHERE name = ?1")
    defer { sqlite3_finalize(select) }
    func check(_ name: FileName, _ expected: Data) throws {
      sqlite3_bind_text(select, 1, name.string, -1, copied)
      defer { sqlite3_reset(select) }
      let found = sqlite3_step(select) == SQLITE_ROW
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(select, 0), count: Int(sqlite3_column_bytes(select, 0)))
      guard found, expected.elementsEqual(bytes) else {
        throw BenchmarkError("'\(name.display)' differs from the last save")
      }
    }
    for child in 0..<model.childCount { try check(model.name(of: child), model.contents(of: child)) }
    try check(ModelPackage.metadataName, model.metadata)
  }
}

/// SQLITE_TRANSIENT, an address that is none: SQLite copies the bytes.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A connection to SQLite.
extension OpaquePointer {
  fileprivate func run(_ sql: String) throws(BenchmarkError) {
    try check(sqlite3_exec(self, sql, nil, nil, nil), SQLITE_OK)
  }

  fileprivate func prepare(_ sql: String) throws(BenchmarkError) -> OpaquePointer {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(self, sql, -1, &statement, nil), SQLITE_OK)
    guard let statement else { throw BenchmarkError("'\(sql)' is not a statement") }
    return statement
  }

  /// Runs a statement in which `?1` is a child's bytes and `?2` its name.
  fileprivate func step(_ statement: OpaquePointer, _ contents: Data, _ name: FileName) throws(BenchmarkError)
  {
    let code = contents.withUnsafeBytes { bytes in
      // The bytes outlive the run of the statement, so SQLite copies none of them.
      sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil)
      sqlite3_bind_text(statement, 2, name.string, -1, copied)
      let code = sqlite3_step(statement)
      sqlite3_reset(statement)
      return code
    }
    try check(code, SQLITE_DONE)
  }

  private func check(_ code: Int32, _ expected: Int32) throws(BenchmarkError) {
    if code == expected { return }
    throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(self))) (\(code))")
  }
}
