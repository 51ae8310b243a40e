import CSQLiteSession
import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

/// The recorder of changes, beside a session of SQLite on a second database with the same transactions.
@Suite("The recorder of changes")
struct ChangeRecorderTests {
  @Test(arguments: 0..<40)
  func `records what a session records`(seed: UInt64) throws {
    let own = try Recorded(.asSessionsKnowThem)
    let other = try Recorded(.asSessionsKnowThem)
    other.release()
    for round in 0..<8 {
      let seed = seed &* 1_000 &+ UInt64(round)
      let recorded = try Self.rows(own.edit(seed))
      let session = try other.queue.writeWithoutTransaction { db in
        try Self.recordedBySession(db) { Recorded.edit(db, seed) }
      }
      #expect(try recorded == Self.rows(session), "seed \(seed)")
    }
  }

  @Test(arguments: 0..<40)
  func `records what takes back all changes`(seed: UInt64) throws {
    let own = try Recorded(.all)
    for round in 0..<8 {
      let seed = seed &* 1_000 &+ UInt64(round)
      let before = try own.contents()
      let after = try own.contents(takingBack: own.edit(seed))
      #expect(after == before, "seed \(seed): \(after.difference(from: before))")
    }
  }

  @Test func `records a text that another collation takes for the same`() throws {
    let own = try Recorded(.all)
    let before = try own.contents()
    let changeset = try own.recording { db in try db.execute(sql: "UPDATE word SET word = upper(word)") }
    #expect(try own.contents() != before)
    #expect(try own.contents(takingBack: changeset) == before)
  }

  private static func recordedBySession(_ db: Database, _ body: () -> Void) throws -> Changeset {
    var session: OpaquePointer?
    try #require(sqlite3session_create(db.sqliteConnection, "main", &session) == SQLITE_OK)
    defer { sqlite3session_delete(session) }
    try #require(sqlite3session_attach(session, nil) == SQLITE_OK)
    body()
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    try #require(sqlite3session_changeset(session, &count, &bytes) == SQLITE_OK)
    defer { sqlite3_free(bytes) }
    return Changeset(bytes: bytes.map { Data(bytes: $0, count: Int(count)) } ?? Data())
  }

  /// The rows of a changeset, in an order of their own.
  private static func rows(_ changeset: Changeset) throws -> [String] {
    var rows: [String] = []
    try changeset.forEachRow { rows.append("\($0)") }
    return rows.sorted()
  }
}

/// A database in memory with tables of many kinds, and a recorder.
private final class Recorded {
  /// The sessions of SQLite 3.40 give NULL for the default of an added column, and the number 8 for 8.0 in a table
  /// without row numbers.
  enum Tables { case all, asSessionsKnowThem }

  let queue: DatabaseQueue
  private let recorder: ChangeRecorder

  init(_ tables: Tables) throws {
    queue = try DatabaseQueue()
    recorder = try queue.writeWithoutTransaction { db in
      let recorder = ChangeRecorder(on: db)
      try Self.fill(db, tables)
      return recorder
    }
  }

  deinit { release() }

  /// Makes place for a session's hook.
  func release() { queue.writeWithoutTransaction { recorder.release(on: $0) } }

  func recording(_ body: (Database) throws -> Void) throws -> Changeset {
    try queue.writeWithoutTransaction { db in
      var changeset: Changeset?
      try db.inTransaction {
        changeset = try recorder.recording(db, 1) { try body(db) }.1
        return .commit
      }
      return try #require(changeset)
    }
  }

  /// Makes the changes of a seed.
  func edit(_ seed: UInt64) throws -> Changeset { try recording { Self.edit($0, seed) } }

  private static func fill(_ db: Database, _ tables: Tables) throws {
    let real = tables == .all ? "REAL" : "TEXT"
    try db.execute(
      sql: """
        CREATE TABLE number(id INTEGER PRIMARY KEY, text TEXT, real REAL, any);
        CREATE TABLE word(word TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, n INTEGER);
        CREATE TABLE point(x INTEGER NOT NULL, note TEXT, y \(real) NOT NULL, PRIMARY KEY (y, x)) WITHOUT ROWID;
        CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES number(id) ON DELETE CASCADE, bytes BLOB);
        CREATE TABLE keyless(a, b);
        CREATE TABLE named(rowid TEXT, name TEXT PRIMARY KEY NOT NULL, oid INTEGER);
        CREATE TABLE "odd ""name"(id INTEGER PRIMARY KEY AUTOINCREMENT, "a ""column" TEXT UNIQUE ON CONFLICT REPLACE);
        CREATE VIRTUAL TABLE search USING fts5(text);
        CREATE TRIGGER noted AFTER UPDATE ON number BEGIN
          INSERT INTO "odd ""name"("a ""column") VALUES (new.text);
        END;
        """)
    for id in 1...8 {
      try db.execute(
        sql: """
          INSERT INTO number VALUES (?1, 'text ' || ?1, ?1, NULL);
          """, arguments: [id])
      try db.execute(sql: "INSERT INTO word VALUES ('word' || ?1, ?1)", arguments: [id])
      try db.execute(sql: "INSERT INTO point VALUES (?1, NULL, ?1 * 0.5)", arguments: [id])
      try db.execute(sql: "INSERT INTO child VALUES (?1, ?1, zeroblob(200))", arguments: [id])
      try db.execute(sql: "INSERT INTO named VALUES ('r', 'n' || ?1, ?1)", arguments: [id])
    }
    if tables == .asSessionsKnowThem {
      try db.execute(sql: "ALTER TABLE number ADD COLUMN added TEXT")
    } else {
      try db.execute(
        sql: """
          ALTER TABLE number ADD COLUMN added TEXT DEFAULT 'new';
          ALTER TABLE named ADD COLUMN added TEXT DEFAULT 'new';
          ALTER TABLE point ADD COLUMN added INTEGER DEFAULT 7;
          """)
    }
  }

  /// Makes changes that depend on the seed only. Some of them fail, and some are taken back.
  static func edit(_ db: Database, _ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      let (id, other) = (Int.random(in: 1...12, using: &generator), Int.random(in: 1...12, using: &generator))
      let value = ["NULL", "\(id)", "\(id).5", "'t\(other)'", "x'0\(id % 10)'", "-0.0"].randomElement(
        using: &generator)
      let number = value ?? "NULL"
      let sql = [
        "INSERT INTO number(id, text, real, any) VALUES (\(id), 't', \(other), \(number))",
        "INSERT OR REPLACE INTO number VALUES (\(id), 'r\(other)', \(other), \(number), 'x')",
        "UPDATE number SET any = \(number), real = \(other) WHERE id = \(id)",
        "UPDATE number SET text = text WHERE id > \(id)",
        "UPDATE OR IGNORE number SET id = \(other) WHERE id = \(id)",
        "UPDATE number SET id = id + 1", "DELETE FROM number WHERE id = \(id)",
        "INSERT INTO word VALUES ('word\(id)', \(number)) ON CONFLICT DO UPDATE SET n = n + 1",
        "DELETE FROM word WHERE n < \(id)", "DELETE FROM word",
        "INSERT OR REPLACE INTO point(x, note, y) VALUES (\(id), \(number), \(other))",
        "UPDATE point SET y = y * 2 WHERE x = \(id)",
        "UPDATE point SET x = x + 1, note = 'n' WHERE y > \(id)",
        "DELETE FROM point WHERE x = \(id)",
        "INSERT INTO child VALUES (NULL, (SELECT min(id) FROM number), randomblob(0))",
        "UPDATE child SET bytes = zeroblob(\(id * 100)) WHERE id = \(other)",
        "UPDATE named SET name = name || '\(id)' WHERE oid = \(other)", "UPDATE named SET oid = oid + 1",
        "INSERT OR REPLACE INTO named(rowid, name, oid) VALUES (NULL, 'n\(id)', \(other))",
        "DELETE FROM named WHERE oid < \(id)",
        "INSERT INTO keyless VALUES (\(id), \(number))",
        "INSERT INTO \"odd \"\"name\"(\"a \"\"column\") VALUES ('o\(other)')",
        "INSERT INTO search VALUES ('some words \(id)')", "DELETE FROM search WHERE rowid = \(id)",
      ].randomElement(using: &generator)
      let isTakenBack = Int.random(in: 0..<5, using: &generator) == 0
      do {
        try db.inSavepoint {
          try db.execute(sql: sql ?? "")
          return isTakenBack ? .rollback : .commit
        }
      } catch {
        // A constraint: both databases refuse the same statement.
      }
    }
  }

  private static let tables = ["number", "word", "point", "child", "named", "\"odd \"\"name\"", "search"]

  /// The rows of the tables with a key.
  func contents() throws -> [String] { try queue.read(Self.contents) }

  private static func contents(_ db: Database) throws -> [String] {
    try tables.flatMap { table in
      ["\(table):"] + (try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { "\($0)" }.sorted())
    }
  }

  /// The rows after the changes are taken back, on a copy.
  func contents(takingBack changeset: Changeset) throws -> [String] {
    let copy = try DatabaseQueue()
    try queue.backup(to: copy)
    return try copy.writeWithoutTransaction { db in
      _ = csqlite_disable_triggers(db.sqliteConnection)
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      var bytes = changeset.bytes
      let code = bytes.withUnsafeMutableBytes { buffer in
        sqlite3changeset_apply_v2(
          db.sqliteConnection, Int32(buffer.count), buffer.baseAddress, nil,
          { _, _, _ in SQLITE_CHANGESET_ABORT }, nil, nil, nil, SQLITE_CHANGESETAPPLY_INVERT)
      }
      #expect(code == SQLITE_OK)
      return try Self.contents(db)
    }
  }
}
