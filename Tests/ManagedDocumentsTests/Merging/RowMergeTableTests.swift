import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

/// The tables that SQLite's sessions do not compare, or not exactly.
@Suite("Merging tables of each kind", .temporaryDirectory)
struct RowMergeTableTests {
  // MARK: Values

  @Test func `sees each change of a value`() async throws {
    let schema = """
      CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, n TEXT COLLATE NOCASE, any, r REAL, b BLOB);
      INSERT INTO t VALUES ('a', 'text', 1, 1, x'00'), ('b', 'text', '1', 0, ''), ('c', 'text', 0.0, 0, NULL);
      """
    for change in [
      "UPDATE t SET n = 'TEXT'", "UPDATE t SET any = 1.0 WHERE k = 'a'", "UPDATE t SET any = 1 WHERE k = 'b'",
      "UPDATE t SET b = x'' WHERE k = 'b'", "UPDATE t SET b = '' WHERE k = 'c'",
      "UPDATE t SET n = CAST(x'ff' AS TEXT)",
      "UPDATE t SET n = CAST(x'610062' AS TEXT)",
    ] {
      try await MergedDatabases.with(schema) { databases in
        try databases.edit("theirs", change)
        let kinds = "SELECT k, typeof(n), hex(n), typeof(any), any, typeof(b), hex(b) FROM t ORDER BY k"
        #expect(try databases.rows("ours", kinds) != databases.rows("theirs", kinds))
        #expect(try databases.merge(.error).conflicts.isEmpty)
        #expect(try databases.rows("ours", kinds) == databases.rows("theirs", kinds), "\(change)")
      }
    }
  }

  @Test func `sees the sign of zero`() throws {
    let databases = try MergedDatabases(
      "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, v); INSERT INTO t VALUES ('a', 0.0)"
    )
    try databases.edit("theirs") { db in try db.execute(sql: "UPDATE t SET v = ?", arguments: [-0.0]) }
    #expect(try databases.digest("ours") != databases.digest("theirs"))
    #expect(try databases.merge(.error).conflicts.isEmpty)
    #expect(try databases.digest("ours") == databases.digest("theirs"))
  }

  @Test func `merges STRICT tables, tables without row numbers, and keys of each type`() throws {
    let schema = """
      CREATE TABLE s(id INTEGER PRIMARY KEY, v ANY) STRICT;
      CREATE TABLE w(a REAL NOT NULL, b BLOB NOT NULL, v, PRIMARY KEY (b, a)) WITHOUT ROWID;
      CREATE TABLE "odd ""name"("a ""key" BLOB PRIMARY KEY NOT NULL, rowid, oid);
      INSERT INTO s VALUES (1, 1); INSERT INTO w VALUES (8, x'01', 0), (8.5, 8, 0);
      INSERT INTO "odd ""name" VALUES (1.0, 1, 2), ('1', 1, 2), (x'31', 1, 2);
      """
    let databases = try MergedDatabases(schema)
    try databases.edit("ours", "UPDATE w SET v = 1 WHERE a = 8.5; UPDATE \"odd \"\"name\" SET oid = 'ours'")
    try databases.edit(
      "theirs",
      """
      UPDATE s SET v = '1'; UPDATE w SET v = 2 WHERE a = 8; INSERT INTO w VALUES (9, 8, 'new');
      UPDATE "odd ""name" SET rowid = 'theirs'
      """)
    #expect(try databases.merge(.error).conflicts.isEmpty)
    #expect(try databases.rows("ours", "SELECT typeof(v) FROM s") == ["text"])
    #expect(try databases.rows("ours", "SELECT a, v FROM w ORDER BY a, v") == ["8.0 2", "8.5 1", "9.0 new"])
    #expect(
      try databases.rows("ours", "SELECT rowid, oid FROM \"odd \"\"name\"")
        == Array(repeating: "theirs ours", count: 3))
  }

  // MARK: Files

  @Test func `sees changes that are in a log only`() throws {
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO t VALUES (1, 'base')"
    let databases = try MergedDatabases(schema)
    try databases.edit("theirs", "UPDATE t SET text = 'theirs'")
    let conflicts = try databases.mergeBesideLog("UPDATE t SET text = 'ours'")
    #expect(conflicts.map(\.present) == [["id": 1.databaseValue, "text": "theirs".databaseValue]])
    #expect(conflicts.map(\.other) == [["id": 1.databaseValue, "text": "ours".databaseValue]])
  }

  /// Any program with a key of the store can write the copies.
  @Test(arguments: 1...16)
  func `ends for any bytes of the copies`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let schema = """
      CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, parent INTEGER REFERENCES t(id));
      CREATE TABLE k(id BLOB PRIMARY KEY NOT NULL, text TEXT); CREATE INDEX texts ON t(text);
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
        INSERT INTO t SELECT i, printf('%.*c', CASE i % 17 WHEN 0 THEN 3000 + i ELSE i % 60 END, 'x'), NULL FROM n;
      INSERT INTO k SELECT CAST(id AS BLOB), text FROM t;
      """
    let databases = try MergedDatabases(schema)
    try databases.edit(
      "theirs", "UPDATE t SET text = 'theirs' WHERE id % 50 = 1; DELETE FROM k WHERE text = 'x'")
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

  // MARK: Rows without an identity

  @Test(arguments: [
    ("CREATE TABLE t(a, b)", RowProblem.noPrimaryKey),
    ("CREATE TABLE t(a TEXT PRIMARY KEY, b)", .nullableKey(column: "a")),
    ("CREATE TABLE t(a TEXT PRIMARY KEY NOT NULL, b, c AS (b + 1))", .generatedColumn("c")),
    ("CREATE TABLE t(a TEXT PRIMARY KEY NOT NULL, b, c AS (b + 1) STORED)", .generatedColumn("c")),
  ])
  func `refuses a table only if the other side changed it`(_ schema: String, _ problem: RowProblem)
    throws
  {
    let insert = "INSERT INTO t(a, b) VALUES ('a', 1), ('b', 2)"
    let databases = try MergedDatabases("\(schema); \(insert); CREATE TABLE u(k TEXT PRIMARY KEY NOT NULL)")
    try databases.edit("theirs", "INSERT INTO u VALUES ('theirs')")
    try databases.edit("ours", "UPDATE t SET b = 3 WHERE a = 'a'")
    #expect(try databases.merge(.error).conflicts.isEmpty)
    #expect(try databases.rows("ours", "SELECT * FROM u") == ["theirs"])
    try databases.edit("theirs", "UPDATE t SET b = 1.0 WHERE a = 'a'")
    let before = try databases.digest("ours")
    #expect(try mergeProblem { try databases.merge() } == .unmergeable(table: "t", problem))
    #expect(try databases.digest("ours") == before)
  }

  // MARK: Full text and other virtual tables

  private static let recipe =
    "CREATE TABLE recipe(id INTEGER PRIMARY KEY, title TEXT, notes TEXT, u TEXT UNIQUE);"
  private static let recipes = """
    INSERT INTO recipe VALUES (1, 'soup', 'hot', NULL), (2, 'salad', 'cold', NULL), (3, 'bread', '', NULL);
    """

  /// Full-text tables that index recipes, with the triggers that fill them.
  private static let fullText = [
    """
    CREATE VIRTUAL TABLE search USING fts5(title, notes, content='recipe', content_rowid='id');
    CREATE TRIGGER a AFTER INSERT ON recipe BEGIN
      INSERT INTO search(rowid, title, notes) VALUES (new.id, new.title, new.notes); END;
    CREATE TRIGGER b AFTER DELETE ON recipe BEGIN
      INSERT INTO search(search, rowid, title, notes) VALUES ('delete', old.id, old.title, old.notes); END;
    CREATE TRIGGER c AFTER UPDATE ON recipe BEGIN
      INSERT INTO search(search, rowid, title, notes) VALUES ('delete', old.id, old.title, old.notes);
      INSERT INTO search(rowid, title, notes) VALUES (new.id, new.title, new.notes); END;
    """,
    """
    CREATE VIRTUAL TABLE search USING fts4(title, notes, content="recipe");
    CREATE TRIGGER a BEFORE UPDATE ON recipe BEGIN DELETE FROM search WHERE docid = old.id; END;
    CREATE TRIGGER b BEFORE DELETE ON recipe BEGIN DELETE FROM search WHERE docid = old.id; END;
    CREATE TRIGGER c AFTER UPDATE ON recipe BEGIN
      INSERT INTO search(docid, title, notes) VALUES (new.id, new.title, new.notes); END;
    CREATE TRIGGER d AFTER INSERT ON recipe BEGIN
      INSERT INTO search(docid, title, notes) VALUES (new.id, new.title, new.notes); END;
    """,
  ]

  private func found(_ word: String, in databases: MergedDatabases) throws -> [String] {
    try databases.rows(
      "ours",
      "SELECT recipe.title FROM search JOIN recipe ON recipe.id = search.rowid WHERE search MATCH '\(word)' ORDER BY id"
    )
  }

  @Test(arguments: fullText)
  func `keeps a full-text index of a table right`(_ index: String) throws {
    let databases = try MergedDatabases("\(Self.recipe) \(index) \(Self.recipes)")
    try databases.edit(
      "ours",
      """
      UPDATE recipe SET notes = 'warm' WHERE id = 1; DELETE FROM recipe WHERE id = 3;
      INSERT INTO recipe VALUES (4, 'cake ours', 'sweet', NULL), (5, 'lost', 'dropped', 'unique');
      """)
    try databases.edit(
      "theirs",
      """
      UPDATE recipe SET title = 'stew' WHERE id = 1; UPDATE recipe SET notes = 'icy' WHERE id = 2;
      INSERT INTO recipe VALUES (4, 'cake theirs', 'salty', NULL), (9, 'kept', '', 'unique');
      UPDATE recipe SET notes = 'crisp' WHERE id = 3;
      """)
    let outcome = try databases.merge(.mergeByPropertyObjectTrump)
    #expect(outcome.conflicts.map(\.kind) == [.removal, .unique])
    #expect(outcome.renumbered == [RenumberedRow(table: "recipe", old: 4, new: 10)])
    for (word, titles) in [
      ("warm", ["stew"]), ("stew", ["stew"]), ("soup", []), ("hot", []), ("icy", ["salad"]),
      ("sweet", ["cake ours"]),
      ("cake", ["cake theirs", "cake ours"]), ("crisp", []), ("bread", []), ("kept", []),
      ("dropped", ["lost"]),
    ] {
      #expect(try found(word, in: databases) == titles, "\(word)")
    }
    #expect(
      try databases.rows("ours", "SELECT rowid FROM search ORDER BY rowid")
        == databases.rows("ours", "SELECT id FROM recipe ORDER BY id"))
    try databases.check("ours")
  }

  @Test(arguments: ["fts5(text, content='')", "fts5(text)", "fts4(text)", "rtree(id, x0, x1)"])
  func `takes another virtual table as a whole`(_ module: String) throws {
    let (column, values) = module.hasPrefix("r") ? ("id, x0, x1", "1, 2") : ("rowid, text", "'one'")
    func insert(_ row: Int) -> String { "INSERT INTO words(\(column)) VALUES (\(row), \(values));" }
    // The trigger of another table, in whose text the name of the virtual table is a part of a word.
    let schema = """
      CREATE VIRTUAL TABLE words USING \(module); CREATE TABLE u(k TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE swords(k TEXT PRIMARY KEY NOT NULL);
      CREATE TRIGGER a AFTER INSERT ON swords BEGIN INSERT INTO u VALUES (new.k); END;
      """
    let databases = try MergedDatabases("\(schema) \(insert(1))")
    try databases.edit("ours", "INSERT INTO u VALUES ('ours')")
    try databases.edit("theirs", insert(2))
    #expect(try databases.merge(.error).conflicts.isEmpty)
    #expect(try databases.rows("ours", "SELECT rowid FROM words ORDER BY rowid") == ["1", "2"])
    #expect(try databases.rows("ours", "SELECT k FROM u") == ["ours"])
    try databases.check("ours")
    try databases.copy("ours", to: "base")
    try databases.copy("ours", to: "theirs")
    try databases.edit("ours", insert(3))
    try databases.edit("theirs", insert(4))
    let before = try databases.digest("ours")
    #expect(try mergeProblem { try databases.merge() } == .virtualTable("words"))
    #expect(try databases.digest("ours") == before)
  }

  @Test func `knows AUTOINCREMENT from the same word elsewhere`() throws {
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, kind TEXT DEFAULT 'autoincrement')"
    let databases = try MergedDatabases(schema)
    try databases.edit("theirs", "INSERT INTO t(id) VALUES (7)")
    #expect(try databases.merge(.error).conflicts.isEmpty)
    #expect(try databases.rows("ours", "SELECT * FROM t") == ["7 autoincrement"])
  }

  // MARK: Schemas

  @Test func `refuses other schemas, and names the side that changed`() throws {
    let databases = try MergedDatabases(
      "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL); CREATE TABLE u(k TEXT PRIMARY KEY NOT NULL)"
    )
    try databases.edit("ours", "ALTER TABLE t ADD COLUMN a; CREATE TABLE mine(k TEXT PRIMARY KEY NOT NULL)")
    try databases.edit("theirs", "ALTER TABLE t ADD COLUMN b; CREATE UNIQUE INDEX i ON u(k)")
    let problem = try mergeProblem { try databases.merge() }
    #expect(
      problem
        == .schemasDiffer([
          .init(table: "mine", side: .ours), .init(table: "t", side: .both),
          .init(table: "u", side: .theirs),
        ]))
    #expect(problem?.reason.contains("the other document changed the schema of 'u'") == true)
  }

  @Test func `refuses other migrations`() throws {
    let schema =
      "CREATE TABLE grdb_migrations(identifier TEXT PRIMARY KEY NOT NULL); CREATE TABLE t(k INTEGER PRIMARY KEY)"
    let databases = try MergedDatabases(schema)
    try databases.edit("theirs", "INSERT INTO grdb_migrations VALUES ('v2')")
    #expect(
      try mergeProblem { try databases.merge() }
        == .migrationsDiffer(missingInOurs: ["v2"], missingInTheirs: []))
  }

  @Test func `merges sides that were migrated alike`() throws {
    let databases = try MergedDatabases(
      "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, v); INSERT INTO t VALUES ('a', 1), ('b', 1), ('c', 1)"
    )
    for name in ["ours", "theirs"] {
      try databases.edit(
        name,
        """
        ALTER TABLE t ADD COLUMN n INTEGER NOT NULL DEFAULT '5'; ALTER TABLE t ADD COLUMN m TEXT DEFAULT 7;
        UPDATE t SET m = 'set' WHERE k = 'c'; CREATE TABLE made(k TEXT PRIMARY KEY NOT NULL); INSERT INTO made VALUES ('x');
        """)
    }
    try databases.edit("ours", "UPDATE t SET v = 2 WHERE k = 'a'; INSERT INTO made VALUES ('ours')")
    try databases.edit(
      "theirs",
      "UPDATE t SET n = 6 WHERE k = 'a'; DELETE FROM t WHERE k = 'b'; INSERT INTO made VALUES ('theirs')")
    #expect(try databases.merge(.error).conflicts.isEmpty)
    #expect(try databases.rows("ours", "SELECT * FROM t ORDER BY k") == ["a 2 6 7", "c 1 5 set"])
    #expect(try databases.rows("ours", "SELECT * FROM made ORDER BY k") == ["ours", "theirs", "x"])
  }

  @Test(arguments: [
    ("TEXT DEFAULT 'draft (new)'", "draft (new)"), ("TEXT DEFAULT 'CURRENT_DATE'", "CURRENT_DATE"),
    ("DEFAULT (5)", "5"), ("DEFAULT draft", "draft"), ("INTEGER DEFAULT -5", "-5"),
    ("DEFAULT (1 + 1)", nil), ("DEFAULT (random())", nil), ("DEFAULT CURRENT_TIMESTAMP", nil),
  ])
  func `takes a constant default, and refuses one that is computed`(_ column: String, _ value: String?)
    throws
  {
    let base = "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL)"
    let databases = try MergedDatabases(base)
    // SQLite adds a column with a computed default only while the table is empty.
    for name in ["ours", "theirs"] { try databases.edit(name, "ALTER TABLE t ADD COLUMN n \(column)") }
    try databases.edit("base", "INSERT INTO t VALUES ('a')")
    for name in ["ours", "theirs"] {
      try databases.edit(name, "INSERT INTO t VALUES ('a', '\(value ?? "")')")
    }
    try databases.edit("theirs", "INSERT INTO t VALUES ('b', 'new')")
    let problem = try mergeProblem { try databases.merge(.error) }
    if let value {
      #expect(problem == nil)
      #expect(try databases.rows("ours", "SELECT * FROM t") == ["a \(value)", "b new"])
    } else {
      #expect(problem == .baseIsOlder(table: "t"))
    }
  }

  @Test func `refuses a base whose rows have no value for a new column`() throws {
    let databases = try MergedDatabases("CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, v)")
    for name in ["ours", "theirs"] { try databases.edit(name, "ALTER TABLE t RENAME COLUMN v TO w") }
    #expect(try mergeProblem { try databases.merge() } == .baseIsOlder(table: "t"))
  }
}

extension MergedDatabases {
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
}
