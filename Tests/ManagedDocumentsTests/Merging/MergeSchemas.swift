/// The schemas of the random programs, with the statements of their edits.
struct MergeSchemas: Sendable {
  var schema: String
  /// The tables with values.
  var tables: [String]
  /// The statements for a new value and four numbers from 1 to 5.
  var statements: @Sendable (String, [Int]) -> [String]

  private static let five = "WITH n(i) AS (VALUES (1), (2), (3), (4), (5))"

  static let all: [MergeSchemas] = [
    MergeSchemas(
      schema: """
        CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, a TEXT, b TEXT, u INTEGER UNIQUE);
        \(five) INSERT INTO t SELECT 'k' || i, 'x', 'x', NULL FROM n;
        """, tables: ["t"]
    ) { value, n in
      [
        "INSERT INTO t VALUES ('k\(n[0])', '\(value)', 'x', \(n[1]))",
        "UPDATE t SET a = '\(value)' WHERE k = 'k\(n[0])'",
        "UPDATE t SET b = '\(value)' WHERE k = 'k\(n[0])'", "UPDATE t SET u = \(n[1]) WHERE k = 'k\(n[0])'",
        "UPDATE t SET u = NULL WHERE u = \(n[0])", "DELETE FROM t WHERE k = 'k\(n[0])'",
        "INSERT OR REPLACE INTO t VALUES ('k\(n[0])', '\(value)', 'x', \(n[1]))",
      ]
    },
    MergeSchemas(
      schema: """
        CREATE TABLE p(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT, b TEXT);
        CREATE TABLE c(p INTEGER NOT NULL REFERENCES p ON DELETE CASCADE, n INTEGER NOT NULL, a TEXT, PRIMARY KEY (p, n))
          WITHOUT ROWID;
        CREATE TABLE d(id INTEGER PRIMARY KEY, p INTEGER, n INTEGER, a TEXT,
          FOREIGN KEY (p, n) REFERENCES c ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE VIRTUAL TABLE s USING fts5(a, b, content='p', content_rowid='id');
        CREATE TRIGGER s1 AFTER INSERT ON p BEGIN INSERT INTO s(rowid, a, b) VALUES (new.id, new.a, new.b); END;
        CREATE TRIGGER s2 AFTER DELETE ON p BEGIN INSERT INTO s(s, rowid, a, b) VALUES ('delete', old.id, old.a, old.b); END;
        CREATE TRIGGER s3 AFTER UPDATE ON p BEGIN INSERT INTO s(s, rowid, a, b) VALUES ('delete', old.id, old.a, old.b);
          INSERT INTO s(rowid, a, b) VALUES (new.id, new.a, new.b); END;
        \(five) INSERT INTO p(a) SELECT 'x' FROM n; \(five) INSERT INTO c SELECT i, 1, 'x' FROM n;
        \(five) INSERT INTO d SELECT i, i, 1, 'x' FROM n WHERE i < 4;
        """, tables: ["p", "c", "d"]
    ) { value, n in
      [
        "INSERT INTO p(a, b) VALUES ('\(value)', 'x')", "UPDATE p SET a = '\(value)' WHERE id = \(n[0])",
        "UPDATE p SET b = '\(value)' WHERE id = \(n[0])", "DELETE FROM p WHERE id = \(n[0])",
        "INSERT INTO c SELECT max(id), \(n[1]), '\(value)' FROM p HAVING max(id) > 0",
        "INSERT INTO c VALUES (\(n[0]), \(n[1]), '\(value)')",
        "UPDATE c SET a = '\(value)' WHERE p = \(n[0])",
        "UPDATE c SET n = \(n[2]) WHERE p = \(n[0]) AND n = \(n[1])",
        "DELETE FROM c WHERE n = \(n[0])",
        "INSERT INTO d(p, n, a) SELECT p, n, '\(value)' FROM c ORDER BY p DESC LIMIT 1",
        "UPDATE d SET a = '\(value)' WHERE id = \(n[0])", "DELETE FROM d WHERE id = \(n[0])",
      ]
    },
    MergeSchemas(
      schema: """
        CREATE TABLE t(k TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, x INTEGER NOT NULL, y INTEGER NOT NULL, a TEXT COLLATE NOCASE,
          CHECK (x + y <= 6)) STRICT;
        CREATE UNIQUE INDEX i ON t(x) WHERE y > 2; CREATE UNIQUE INDEX j ON t(y + x * 10) WHERE x > 3;
        \(five) INSERT INTO t SELECT 'k' || i, 1, 1, 'x' FROM n;
        """, tables: ["t"]
    ) { value, n in
      [
        "INSERT INTO t VALUES ('\(n[3] > 2 ? "k" : "K")\(n[0])', \(n[1]), \(n[2]), '\(value)')",
        "UPDATE t SET x = \(n[1]) WHERE k = 'k\(n[0])'", "UPDATE t SET y = \(n[1]) WHERE k = 'k\(n[0])'",
        "UPDATE t SET a = '\(value)' WHERE k = 'k\(n[0])'", "UPDATE t SET a = upper(a) WHERE k = 'k\(n[0])'",
        "UPDATE t SET k = upper(k) WHERE k = 'k\(n[0])'", "DELETE FROM t WHERE k = 'k\(n[0])'",
        // Each is allowed alone, and both together are not.
        "UPDATE t SET x = 4 WHERE k = 'k1' AND y < 3", "UPDATE t SET y = 4 WHERE k = 'k1' AND x < 3",
      ]
    },
    MergeSchemas(
      schema: """
        CREATE TABLE p(k TEXT PRIMARY KEY NOT NULL, code INTEGER UNIQUE, a TEXT);
        CREATE TABLE c(k TEXT PRIMARY KEY NOT NULL, p TEXT REFERENCES p, code INTEGER REFERENCES p(code) ON UPDATE CASCADE,
          s TEXT REFERENCES p ON DELETE SET NULL, a TEXT);
        CREATE UNIQUE INDEX i ON c(lower(a));
        \(five) INSERT INTO p SELECT 'k' || i, i, 'x' FROM n; \(five) INSERT INTO c(k, p, a) SELECT 'k' || i, 'k1', i FROM n;
        """, tables: ["p", "c"]
    ) { value, n in
      [
        "INSERT INTO p VALUES ('k\(n[0])', \(n[1]), '\(value)')",
        "UPDATE p SET a = '\(value)' WHERE k = 'k\(n[0])'",
        "UPDATE p SET code = \(n[1]) WHERE k = 'k\(n[0])'", "DELETE FROM p WHERE k = 'k\(n[0])'",
        "INSERT INTO c VALUES ('k\(n[0])', 'k\(n[1])', NULL, NULL, '\(value)')",
        "INSERT INTO c VALUES ('k\(n[0])', NULL, \(n[1]), 'k\(n[2])', '\(value)')",
        "UPDATE c SET p = 'k\(n[1])' WHERE k = 'k\(n[0])'",
        "UPDATE c SET s = 'k\(n[1])' WHERE k = 'k\(n[0])'",
        "UPDATE c SET code = \(n[1]) WHERE k = 'k\(n[0])'",
        "UPDATE c SET a = '\(value)' WHERE k = 'k\(n[0])'",
        "DELETE FROM c WHERE k = 'k\(n[0])'", "UPDATE c SET a = 'shared\(n[1])' WHERE k = 'k\(n[0])'",
      ]
    },
    MergeSchemas(
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b TEXT, u INTEGER UNIQUE); CREATE VIRTUAL TABLE s USING fts4(a, content='t');
        CREATE TRIGGER s1 AFTER INSERT ON t BEGIN INSERT INTO s(docid, a) VALUES (new.id, new.a); END;
        CREATE TRIGGER s2 BEFORE DELETE ON t BEGIN DELETE FROM s WHERE docid = old.id; END;
        CREATE TRIGGER s3 BEFORE UPDATE ON t BEGIN DELETE FROM s WHERE docid = old.id; END;
        CREATE TRIGGER s4 AFTER UPDATE ON t BEGIN INSERT INTO s(docid, a) VALUES (new.id, new.a); END;
        \(five) INSERT INTO t(a) SELECT 'x' FROM n;
        """, tables: ["t"]
    ) { value, n in
      [
        "INSERT INTO t(a, u) VALUES ('\(value)', \(n[0]))", "INSERT INTO t(a) VALUES ('\(value)')",
        "UPDATE t SET a = '\(value)' WHERE id = \(n[0])", "UPDATE t SET b = '\(value)' WHERE id = \(n[0])",
        "UPDATE t SET u = \(n[1]) WHERE id = \(n[0])", "DELETE FROM t WHERE id = \(n[0])",
      ]
    },
    MergeSchemas(
      schema: """
        CREATE TABLE n(id INTEGER PRIMARY KEY, up INTEGER REFERENCES n ON DELETE CASCADE, a TEXT);
        CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL, a TEXT);
        CREATE TABLE has(n INTEGER NOT NULL REFERENCES n ON DELETE CASCADE, tag TEXT NOT NULL REFERENCES tag ON DELETE CASCADE,
          a TEXT, PRIMARY KEY (n, tag));
        INSERT INTO n VALUES (1, NULL, 'x'), (2, 1, 'x'), (3, 1, 'x'), (4, 2, 'x'), (5, NULL, 'x');
        \(five) INSERT INTO tag SELECT 't' || i, 'x' FROM n;
        """, tables: ["n", "tag", "has"]
    ) { value, n in
      [
        "INSERT INTO n(up, a) VALUES (NULL, '\(value)')",
        "INSERT INTO n(up, a) SELECT max(id), '\(value)' FROM n",
        "UPDATE n SET up = \(n[1]) WHERE id = \(n[0])", "UPDATE n SET a = '\(value)' WHERE id = \(n[0])",
        "DELETE FROM n WHERE id = \(n[0])", "INSERT INTO tag VALUES ('t\(n[0])', '\(value)')",
        "DELETE FROM tag WHERE name = 't\(n[0])'", "INSERT INTO has VALUES (\(n[0]), 't\(n[1])', '\(value)')",
        "UPDATE has SET a = '\(value)' WHERE n = \(n[0])", "DELETE FROM has WHERE tag = 't\(n[0])'",
      ]
    },
    MergeSchemas(schema: "INSERT INTO grdb_content VALUES ('d', x'00', 1)", tables: ["grdb_content"]) {
      value, n in
      let path = ["a", "a/b", "a/b/c", "d", "a/e"][n[0] - 1]
      return [
        """
        INSERT INTO grdb_content SELECT '\(path)', CAST('\(value)' AS BLOB), \(n[1])
        WHERE NOT EXISTS (SELECT 1 FROM grdb_content WHERE path LIKE '\(path)/%' OR '\(path)' LIKE path || '/%')
        """,
        "UPDATE grdb_content SET digest = CAST('\(value)' AS BLOB), size = \(n[1]) WHERE path = '\(path)'",
        "DELETE FROM grdb_content WHERE path = '\(path)'",
      ]
    },
  ]
}
