import GRDB
import ManagedDocuments
import TestSupport
import Testing

/// Constraints that each side keeps, and both together do not.
@Suite("Merging rows with constraints", .temporaryDirectory)
struct RowMergeConstraintTests {
  /// A schema with rows, a change of each side, and the rows after a merge in which each side wins.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var schema: String
    var ours: String
    var theirs: String
    var query: String
    var theirsWins: [String]
    var oursWins: [String]
    var kind: RowConflict.Kind
    var conflicts = 1
    var testDescription: String { name }
  }

  private static let parents = """
    CREATE TABLE parent(id TEXT PRIMARY KEY NOT NULL);
    CREATE TABLE child(id TEXT PRIMARY KEY NOT NULL, parent TEXT REFERENCES parent(id));
    INSERT INTO parent VALUES ('p'), ('q');
    """
  private static let family =
    "SELECT id FROM parent UNION ALL SELECT id || '-' || coalesce(parent, '~') FROM child"

  static let cases: [Case] = [
    Case(
      name: "UNIQUE", schema: "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u TEXT UNIQUE)",
      ours: "INSERT INTO t VALUES ('o', 'x')", theirs: "INSERT INTO t VALUES ('t', 'x')",
      query: "SELECT * FROM t", theirsWins: ["t x"], oursWins: ["o x"], kind: .unique),
    Case(
      name: "UNIQUE ON CONFLICT REPLACE, an update",
      schema:
        "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u TEXT UNIQUE ON CONFLICT REPLACE); INSERT INTO t VALUES ('o', 'a')",
      ours: "UPDATE t SET u = 'x'", theirs: "INSERT INTO t VALUES ('t', 'x')",
      query: "SELECT * FROM t ORDER BY k", theirsWins: ["o a", "t x"], oursWins: ["o x"], kind: .unique),
    Case(
      name: "a partial index",
      schema:
        "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u, d INT); CREATE UNIQUE INDEX i ON t(u) WHERE d = 0",
      ours: "INSERT INTO t VALUES ('o', 'x', 0), ('o2', 'y', 1)",
      theirs: "INSERT INTO t VALUES ('t', 'x', 0), ('t2', 'y', 1)",
      query: "SELECT k FROM t ORDER BY k", theirsWins: ["o2", "t", "t2"], oursWins: ["o", "o2", "t2"],
      kind: .unique),
    Case(
      name: "an index on an expression, with a collation",
      schema:
        "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u); CREATE UNIQUE INDEX i ON t((u || 'z') COLLATE NOCASE)",
      ours: "INSERT INTO t VALUES ('o', 'X')", theirs: "INSERT INTO t VALUES ('t', 'x')",
      query: "SELECT * FROM t", theirsWins: ["t x"], oursWins: ["o X"], kind: .unique),
    Case(
      name: "a key with a collation",
      schema: "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, v); INSERT INTO t VALUES ('a', 0)",
      ours: "UPDATE t SET v = 1", theirs: "UPDATE t SET k = 'A'",
      query: "SELECT * FROM t", theirsWins: ["A 0"], oursWins: ["a 1"], kind: .removal),
    Case(
      name: "a unique value of a row that both changed, and of a new row",
      schema:
        "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u TEXT UNIQUE, v); INSERT INTO t VALUES ('a', '', 0)",
      ours: "UPDATE t SET v = 1; INSERT INTO t VALUES ('o', 'x', 2)", theirs: "UPDATE t SET u = 'x'",
      query: "SELECT * FROM t ORDER BY k", theirsWins: ["a x 1"], oursWins: ["a  1", "o x 2"], kind: .unique),
    Case(
      name: "a chain of unique values",
      schema:
        "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u INT UNIQUE); INSERT INTO t VALUES ('a', 1), ('b', 2)",
      ours: "UPDATE t SET u = 3 WHERE k = 'a'; UPDATE t SET u = 1 WHERE k = 'b'",
      theirs: "INSERT INTO t VALUES ('c', 3)",
      query: "SELECT * FROM t ORDER BY k", theirsWins: ["a 1", "b 2", "c 3"], oursWins: ["a 3", "b 1"],
      kind: .unique, conflicts: 2),
    Case(
      name: "a new child of a removed parent", schema: parents,
      ours: "INSERT INTO child VALUES ('c', 'p')", theirs: "DELETE FROM parent WHERE id = 'p'",
      query: family, theirsWins: ["q"], oursWins: ["p", "q", "c-p"], kind: .foreignKey),
    Case(
      name: "a removed parent of a new child", schema: parents,
      ours: "DELETE FROM parent WHERE id = 'p'", theirs: "INSERT INTO child VALUES ('c', 'p')",
      query: "SELECT * FROM (\(family)) ORDER BY length(id), id", theirsWins: ["p", "q", "c-p"],
      oursWins: ["q"],
      kind: .foreignKey),
    Case(
      name: "a child that moves to a removed parent",
      schema: parents + "INSERT INTO child VALUES ('c', 'q')",
      ours: "UPDATE child SET parent = 'p'", theirs: "DELETE FROM parent WHERE id = 'p'",
      query: family, theirsWins: ["q", "c-q"], oursWins: ["p", "q", "c-p"], kind: .foreignKey),
    Case(
      name: "ON DELETE SET NULL",
      schema: """
        CREATE TABLE parent(id TEXT PRIMARY KEY NOT NULL); INSERT INTO parent VALUES ('p');
        CREATE TABLE child(id TEXT PRIMARY KEY NOT NULL, parent TEXT REFERENCES parent ON DELETE SET NULL);
        """,
      ours: "INSERT INTO child VALUES ('c', 'p')", theirs: "DELETE FROM parent",
      query: family, theirsWins: ["c-~"], oursWins: ["p", "c-p"], kind: .foreignKey),
    Case(
      name: "a grandchild of a removed parent",
      schema: """
        CREATE TABLE a(id TEXT PRIMARY KEY NOT NULL); CREATE TABLE b(id TEXT PRIMARY KEY NOT NULL, a TEXT REFERENCES a);
        CREATE TABLE c(id TEXT PRIMARY KEY NOT NULL, b TEXT REFERENCES b); INSERT INTO a VALUES ('a');
        """,
      ours: "INSERT INTO b VALUES ('b', 'a'); INSERT INTO c VALUES ('c', 'b')", theirs: "DELETE FROM a",
      query: "SELECT id FROM a UNION ALL SELECT id FROM b UNION ALL SELECT id FROM c", theirsWins: [],
      oursWins: ["a", "b", "c"], kind: .foreignKey, conflicts: 2),
    Case(
      name: "a composite reference to a unique value",
      schema: """
        CREATE TABLE p(id TEXT PRIMARY KEY NOT NULL, x INT, y INT, UNIQUE (x, y)); INSERT INTO p VALUES ('p', 1, 2);
        CREATE TABLE c(id TEXT PRIMARY KEY NOT NULL, x INT, y INT, FOREIGN KEY (x, y) REFERENCES p(x, y)) WITHOUT ROWID;
        """,
      ours: "INSERT INTO c VALUES ('c', 1, 2)", theirs: "UPDATE p SET x = 3",
      query: "SELECT id || x FROM p UNION ALL SELECT id FROM c", theirsWins: ["p3"], oursWins: ["p1", "c"],
      kind: .foreignKey),
    Case(
      name: "a file and a folder", schema: "",
      ours: "INSERT INTO grdb_content VALUES ('a', x'01', 1)",
      theirs: "INSERT INTO grdb_content VALUES ('a/b', x'02', 1)",
      query: "SELECT path FROM grdb_content", theirsWins: ["a/b"], oursWins: ["a"], kind: .path),
    Case(
      name: "a folder and a file", schema: "",
      ours: "INSERT INTO grdb_content VALUES ('a/b', x'01', 1)",
      theirs: "INSERT INTO grdb_content VALUES ('a', x'02', 1)",
      query: "SELECT path FROM grdb_content", theirsWins: ["a"], oursWins: ["a/b"], kind: .path),
    Case(
      name: "a file", schema: "INSERT INTO grdb_content VALUES ('a', x'00', 1)",
      ours: "UPDATE grdb_content SET digest = x'01'",
      theirs: "UPDATE grdb_content SET digest = x'02', size = 2",
      query: "SELECT path, hex(digest), size FROM grdb_content", theirsWins: ["a 02 2"], oursWins: ["a 01 1"],
      kind: .columns),
  ]

  @Test(arguments: cases, MergePolicy.allCases)
  func `decides by the policy`(_ test: Case, _ policy: MergePolicy) throws {
    let databases = try MergedDatabases(test.schema)
    try databases.edit("ours", test.ours)
    try databases.edit("theirs", test.theirs)
    let oursWin = [.error, .overwrite, .mergeByPropertyObjectTrump].contains(policy)
    let outcome = try databases.merge(policy)
    #expect(try databases.rows("ours", test.query) == (oursWin ? test.oursWins : test.theirsWins))
    #expect(outcome.conflicts.map(\.kind).contains(test.kind))
    if test.conflicts > 0 && !oursWin { #expect(outcome.conflicts.count == test.conflicts) }
    try databases.check("ours")
  }

  @Test func `keep a CHECK of a row with columns of both sides`() async throws {
    let schema = """
      CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, a INT, b INT, CHECK (a + b <= 10)); INSERT INTO t VALUES ('r', 1, 1);
      """
    for (policy, row) in [
      (MergePolicy.mergeByPropertyStoreTrump, "r 1 9"), (.mergeByPropertyObjectTrump, "r 9 1"),
    ] {
      try await MergedDatabases.with(schema) { databases in
        try databases.edit("ours", "UPDATE t SET a = 9")
        try databases.edit("theirs", "UPDATE t SET b = 9")
        let outcome = try databases.merge(policy)
        #expect(try databases.rows("ours", "SELECT * FROM t") == [row])
        #expect(outcome.conflicts.map(\.kind) == [.check])
        #expect(outcome.conflicts.first?.ours?["a"] == 9.databaseValue)
        #expect(outcome.conflicts.first?.theirs?["b"] == 9.databaseValue)
      }
    }
  }

  @Test func `exchange unique values`() throws {
    let databases = try MergedDatabases(
      "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u INT UNIQUE, v); INSERT INTO t VALUES ('a', 1, 0), ('b', 2, 0)"
    )
    try databases.edit("ours", "UPDATE t SET v = 7 WHERE k = 'a'")
    try databases.edit(
      "theirs",
      "UPDATE t SET u = 0 WHERE k = 'a'; UPDATE t SET u = 1 WHERE k = 'b'; UPDATE t SET u = 2 WHERE k = 'a'"
    )
    #expect(try databases.merge(.error).conflicts.isEmpty)
    #expect(try databases.rows("ours", "SELECT * FROM t ORDER BY k") == ["a 2 7", "b 1 0"])
  }

  @Test func `leave a violation that one side already had`() async throws {
    let schema = """
      CREATE TABLE p(id TEXT PRIMARY KEY NOT NULL); CREATE TABLE c(id TEXT PRIMARY KEY NOT NULL, p TEXT REFERENCES p);
      """
    for policy in MergePolicy.allCases {
      try await MergedDatabases.with(schema) { databases in
        for name in ["ours", "theirs"] {
          try databases.open(name, forMerging: true).write { db in
            try db.execute(sql: "INSERT INTO c VALUES (?, 'gone')", arguments: [name])
          }
        }
        #expect(try databases.merge(policy, checksUndo: false).conflicts.isEmpty)
        #expect(try databases.rows("ours", "SELECT * FROM c ORDER BY id") == ["ours gone", "theirs gone"])
      }
    }
  }

  @Test func `have the same outcome whatever the order of the rows is`() async throws {
    var outcomes: Set<String> = []
    for order in ["k", "k DESC", "random()"] {
      try await MergedDatabases.with(
        "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u INT UNIQUE, w INT UNIQUE)"
      ) {
        databases in
        for (name, shift) in [("ours", 0), ("theirs", 3)] {
          try databases.edit(
            name,
            """
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
            INSERT INTO t SELECT * FROM (SELECT '\(name)' || i AS k, i + \(shift), i * 2 FROM n) ORDER BY \(order)
            """)
        }
        try databases.merge()
        outcomes.insert(try databases.rows("ours", "SELECT * FROM t ORDER BY k").joined(separator: "\n"))
      }
    }
    #expect(outcomes.count == 1)
  }

  /// Such as `sqlite3`, on which foreign keys are off.
  @Test func `restores a row for a reference of a program without foreign keys`() throws {
    let schema = """
      CREATE TABLE parent(id TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE child(id TEXT PRIMARY KEY NOT NULL, parent TEXT REFERENCES parent(id));
      INSERT INTO parent VALUES ('p'), ('q');
      INSERT INTO child VALUES ('c', 'p');
      """
    let databases = try MergedDatabases(schema)
    try databases.open("theirs", forMerging: true).write { db in
      try db.execute(sql: "DELETE FROM parent WHERE id = 'p'")
    }
    try databases.edit("ours", "INSERT INTO child VALUES ('d', 'q')")
    #expect(try databases.merge(.mergeByPropertyObjectTrump).conflicts.map(\.kind) == [.foreignKey])
    #expect(try databases.rows("ours", "SELECT id FROM parent ORDER BY id") == ["p", "q"])
    try databases.check("ours")
  }
}
