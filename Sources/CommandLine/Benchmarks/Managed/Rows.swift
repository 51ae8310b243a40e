import FoundationEssentials
import GRDB
import ManagedDocuments
import SystemPackage

/// The table that all workloads change: each edit adds 1 to the count of one row.
struct Rows: Sendable {
  let count: Int
  private(set) var edits = 0

  init(_ count: Int) { self.count = count }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("entries") { db in
      try db.execute(
        sql: "CREATE TABLE entry(id INTEGER PRIMARY KEY, title TEXT NOT NULL, count INTEGER NOT NULL)")
    }
    return migrator
  }

  static func fill(_ db: Database, _ count: Int) throws {
    try db.execute(
      sql: """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
        INSERT INTO entry SELECT n, 'The title of entry ' || n, 0 FROM number
        """, arguments: [count])
  }

  /// Returns the row of the next edit. Neighbouring edits are on different pages.
  mutating func next() -> Int {
    edits += 1
    return (edits * 7_919) % count + 1
  }

  static func edit(_ db: Database, _ id: Int) throws {
    try db.cachedStatement(sql: "UPDATE entry SET count = count + 1 WHERE id = ?").execute(arguments: [id])
  }

  /// - Throws: `WrongContents` if the database does not have these edits.
  func verify(_ db: Database) throws {
    let sum = try Int.fetchOne(db, sql: "SELECT sum(count) FROM entry") ?? -1
    if sum != edits { throw WrongContents(description: "the rows have \(sum) edits, and not \(edits)") }
  }
}

/// A pool of GRDB without a document.
final class PlainRows: Workload {
  private let pool: DatabasePool
  private var rows: Rows
  private let editsPerRun: Int
  private let isFull: Bool

  /// - Parameter isFull: whether each transaction is flushed.
  init(_ count: Int, edits: Int, isFull: Bool, at place: FilePath) throws {
    (rows, editsPerRun, self.isFull) = (Rows(count), edits, isFull)
    pool = try DatabasePool(path: place.string)
    try Rows.migrator.migrate(pool)
    try pool.write { db in try Rows.fill(db, count) }
    try pool.writeWithoutTransaction { db in
      // A new pool has NORMAL, whatever its configuration says.
      try db.execute(sql: "PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL"); PRAGMA wal_autocheckpoint = 0")
      _ = try db.checkpoint(.truncate)  // It throws if the log is in use.
    }
  }

  func run() async throws {
    for _ in 0..<editsPerRun {
      let id = rows.next()
      try await pool.write { db in try Rows.edit(db, id) }
    }
  }

  /// Each run of many edits begins with an empty log. A log of flushed transactions goes on growing, as in use: SQLite
  /// flushes an empty one twice.
  func finish() throws {
    if isFull { return }
    _ = try pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }  // As above.
  }

  func verify() throws {
    let rows = rows
    try pool.read { db in try rows.verify(db) }
  }
}

extension ManagedDocument {
  /// Makes a document with these rows, and opens it.
  static func made(_ count: Int, undoes: Bool = true, at place: FilePath) async throws -> ManagedDocument {
    // A million rows at once are no edit to undo.
    let book = try await opened(undoes: false, at: place)
    try await book.edit { db, _ in try Rows.fill(db, count) }
    try await book.close()
    return try await opened(undoes: undoes, at: place)
  }

  static func opened(undoes: Bool = true, at place: FilePath) async throws -> ManagedDocument {
    var options = ManagedDocumentOptions(migrator: Rows.migrator)
    options.autosave = nil
    if !undoes { options.undo = nil }
    return try await open(at: URL(filePath: place.string, directoryHint: .isDirectory), options: options)
  }
}
