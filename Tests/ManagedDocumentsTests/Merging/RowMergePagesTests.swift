import CSQLiteSession
import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

/// A merge compares the pages of the databases, and reads the rows of those that differ.
@Suite("Merging by pages")
struct RowMergePagesTests {
  private static let tables = """
    CREATE TABLE numbered(id INTEGER PRIMARY KEY, text TEXT, parent INTEGER REFERENCES numbered(id));
    CREATE TABLE keyed(id BLOB PRIMARY KEY NOT NULL, text TEXT);
    CREATE TABLE descending(id INTEGER PRIMARY KEY DESC NOT NULL, text TEXT);
    CREATE TABLE clustered(id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
    CREATE INDEX texts ON numbered(text);
    """

  /// Some rows need pages of their own.
  private static func rows(_ count: Int) -> String {
    let text = "printf('%.*c', CASE i % 17 WHEN 0 THEN 3000 + i % 1000 ELSE i * 37 % 60 END, 'x')"
    return """
      CREATE TEMP TABLE made AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
        SELECT i AS id, \(text) AS text FROM n;
      INSERT INTO numbered SELECT id, text, NULL FROM made;
      INSERT INTO keyed SELECT CAST(id AS BLOB), text FROM made;
      INSERT INTO descending SELECT id * 7919 % 1000 * 10000 + id, text FROM made;
      INSERT INTO clustered SELECT id, text FROM made;
      DROP TABLE made;
      """
  }

  private static func insert(_ id: Int) -> String {
    """
    INSERT OR IGNORE INTO numbered VALUES (\(id), 'new', NULL);
    INSERT OR IGNORE INTO keyed VALUES (CAST('\(id)' AS BLOB), 'new');
    INSERT OR IGNORE INTO descending VALUES (\(70_000 + id), 'new');
    INSERT OR IGNORE INTO clustered VALUES ('\(id)', 'new');
    """
  }

  /// Returns statements that change rows of one half of the keys.
  private static func edits(_ count: Int, _ half: Int, _ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...12, using: &random)).map { _ in
      let id = Int.random(in: 0..<count / 2, using: &random) * 2 + half
      let table =
        ["numbered", "keyed", "descending", "clustered"].randomElement(using: &random) ?? ""
      let key =
        switch table {
        case "keyed": "id = CAST('\(id)' AS BLOB)"
        case "descending": "id % 10000 = \(id)"
        default: "id = '\(id)'"
        }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return "DELETE FROM \(table) WHERE \(key) AND \(table == "numbered" ? "id > 0" : "1");"
      case 1: return insert(count + id + count * Int.random(in: 1..<9, using: &random) * 2)
      case 2:
        let length = Int.random(in: 0..<6_000, using: &random)
        return "UPDATE \(table) SET text = '\(half)' || hex(zeroblob(\(length))) WHERE \(key);"
      case 3: return "UPDATE numbered SET parent = 0 WHERE id = \(id);"
      case 4:
        // Of a large row, only a page of its own changes.
        let large = id / 34 * 34 + 17 * half
        return
          "UPDATE \(table) SET text = substr(text, 1, length(text) - 1) || '\(half)' WHERE \(key.replacing("\(id)", with: "\(large)"));"
      default: return "UPDATE \(table) SET text = '\(half)' || text WHERE \(key);"
      }
    }.joined() + (Int.random(in: 0..<8, using: &random) == 0 ? "VACUUM;" : "")
  }

  @Test(arguments: 1...24)
  func `takes the changes of both sides`(_ seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let count = [20, 300, 900].randomElement(using: &random) ?? 0
    let size = [512, 1024, 4096, 65_536].randomElement(using: &random) ?? 0
    try await MergedDatabases.with("\(Self.tables)\(Self.rows(count))") { databases in
      try databases.execute("base", "PRAGMA page_size = \(size); VACUUM;")
      for name in ["ours", "theirs", "both"] { try databases.copy("base", to: name) }
      for (half, name) in ["ours", "theirs"].enumerated() {
        let edits = Self.edits(count, half, &random)
        try databases.execute(name, edits)
        try databases.execute("both", edits)
      }
      let outcome = try databases.merge(.error)
      #expect(outcome.conflicts.isEmpty)
      #expect(try databases.digest("ours") == databases.digest("both"))
      try databases.check("ours")
    }
  }

  /// The file of a database lacks what only its log has.
  @Test func `sees changes that are in a log only`() async throws {
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO t VALUES (1, 'base')"
    try await MergedDatabases.with(schema) { databases in
      try databases.edit("theirs", "UPDATE t SET text = 'theirs'")
      let conflicts = try databases.mergeBesideLog("UPDATE t SET text = 'ours'")
      #expect(conflicts.map(\.present) == [["id": 1.databaseValue, "text": "theirs".databaseValue]])
      #expect(conflicts.map(\.other) == [["id": 1.databaseValue, "text": "ours".databaseValue]])
    }
  }

  /// Such as `sqlite3`, on which foreign keys are off.
  @Test func `restores a row for a reference of a program without foreign keys`() async throws {
    let schema = """
      CREATE TABLE parent(id TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE child(id TEXT PRIMARY KEY NOT NULL, parent TEXT REFERENCES parent(id));
      INSERT INTO parent VALUES ('p'), ('q');
      INSERT INTO child VALUES ('c', 'p');
      """
    try await MergedDatabases.with(schema) { databases in
      try databases.execute("theirs", "PRAGMA foreign_keys = OFF; DELETE FROM parent WHERE id = 'p'")
      try databases.edit("ours", "INSERT INTO child VALUES ('d', 'q')")
      let outcome = try databases.merge(.mergeByPropertyObjectTrump)
      #expect(outcome.conflicts.map(\.kind) == [.foreignKey])
      #expect(try databases.rows("ours", "SELECT id FROM parent ORDER BY id") == ["p", "q"])
      try databases.check("ours")
    }
  }

  /// SQLite's virtual machine counts the steps of all statements.
  @Test func `costs no more steps for more rows that no side changed`() async throws {
    var steps: [Int] = []
    for rows in [2_000, 40_000] {
      let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, parent INTEGER REFERENCES t(id));
        CREATE INDEX parents ON t(parent);
        CREATE TABLE k(id TEXT PRIMARY KEY NOT NULL, text TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO t SELECT i, 'some text of a row ' || i, 1 FROM n;
        INSERT INTO k SELECT 'key ' || id, text FROM t;
        """
      try await MergedDatabases.with(schema) { databases in
        for (half, name) in ["ours", "theirs"].enumerated() {
          try databases.edit(
            name,
            """
            UPDATE t SET text = '\(name)' WHERE id IN (\(100 + half), \(700 + half), \(rows - 5 + half));
            UPDATE k SET text = '\(name)' WHERE id IN ('key \(200 + half)', 'key \(rows - half)');
            INSERT INTO t VALUES (NULL, '\(name)', \(10 + half));
            INSERT INTO k VALUES ('\(name)', '\(name)');
            """)
        }
        steps.append(try databases.stepsOfMerging())
        #expect(try databases.rows("ours", "SELECT count(*) FROM t") == ["\(rows + 2)"])
      }
    }
    #expect(steps[1] < 2 * steps[0], "\(steps)")
  }

  /// Any program with a key of the store can write the copies.
  @Test(arguments: 1...16)
  func `ends for any bytes of the copies`(_ seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try await MergedDatabases.with("\(Self.tables)\(Self.rows(300))") { databases in
      try databases.edit("theirs", Self.edits(300, 1, &random).replacing("VACUUM;", with: ""))
      for name in ["base", "theirs"] {
        var bytes = try Data(contentsOf: URL(filePath: databases.path(name)))
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          let place = Int.random(in: 100..<bytes.count, using: &random)
          // The heads of the pages count most.
          let near = Bool.random(using: &random) ? place / 4_096 * 4_096 + place % 16 : place
          bytes[near] = UInt8.random(in: 0...255, using: &random)
        }
        try bytes.write(to: URL(filePath: databases.path(name)))
      }
      let before = try databases.digest("ours")
      do {
        try databases.merge(checksUndo: false)
      } catch is MergeProblem {
        #expect(try databases.digest("ours") == before)
      } catch is DatabaseError {
        #expect(try databases.digest("ours") == before)
      }
    }
  }
}

extension MergedDatabases {
  /// Runs statements outside of a transaction.
  fileprivate func execute(_ name: String, _ sql: String) throws {
    let queue = try open(name, forMerging: false)
    let result = Result { try queue.writeWithoutTransaction { db in try db.execute(sql: sql) } }
    try queue.close()
    try result.get()
  }

  /// Changes `ours` with its log left as it is, merges `theirs` into it, and returns the conflicts.
  fileprivate func mergeBesideLog(_ sql: String) throws -> [RowConflict] {
    let holder = try DatabaseQueue(path: path("ours"))
    defer { try? holder.close() }
    try holder.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; \(sql)")
    }
    let queue = try DatabaseQueue(path: path("ours"))
    defer { try? queue.close() }
    try queue.inDatabase { db in
      for name in ["base", "theirs"] {
        try db.execute(sql: "ATTACH ? AS \(name)_db", arguments: ["file:\(path(name))?mode=ro"])
      }
    }
    return try queue.write { db in
      try RowMerge.run(
        in: db, base: "base_db", theirs: "theirs_db", .mergeByPropertyStoreTrump,
        at: Date(timeIntervalSince1970: 0)
      ).conflicts
    }
  }

  /// Merges `theirs` into `ours`, and counts the tens of steps of SQLite's virtual machine.
  fileprivate func stepsOfMerging() throws -> Int {
    final class Counter { var count = 0 }
    let counter = Counter()
    try merge(.error, checksUndo: false) { db in
      sqlite3_progress_handler(
        db.sqliteConnection, 10,
        { context in
          if let context { Unmanaged<Counter>.fromOpaque(context).takeUnretainedValue().count += 1 }
          return 0
        }, Unmanaged.passUnretained(counter).toOpaque())
    }
    return withExtendedLifetime(counter) { counter.count }
  }
}
