import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("Merging rows with integer keys that both sides gave", .temporaryDirectory)
struct RowMergeKeyTests {
  @Test func `takes the references of ours along, through composite keys and tables without row numbers`()
    throws
  {
    let schema = """
      CREATE TABLE recipe(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, parent INTEGER REFERENCES recipe(id));
      CREATE TABLE step(recipe INTEGER NOT NULL REFERENCES recipe(id), n INTEGER NOT NULL, text TEXT,
        PRIMARY KEY (recipe, n)) WITHOUT ROWID;
      CREATE TABLE photo(id TEXT PRIMARY KEY NOT NULL, recipe INTEGER, n INTEGER,
        FOREIGN KEY (recipe, n) REFERENCES step(recipe, n));
      CREATE TABLE detail(id INTEGER PRIMARY KEY REFERENCES recipe(id), text TEXT);
      INSERT INTO recipe(title) VALUES ('base');
      """
    let databases = try MergedDatabases(schema)
    for name in ["ours", "theirs"] {
      try databases.edit(
        name,
        """
        INSERT INTO recipe(title, parent) VALUES ('\(name)', 1), ('\(name) 2', 2);
        UPDATE recipe SET parent = id WHERE id = 3;
        INSERT INTO step VALUES (2, 1, '\(name)'), (3, 1, '\(name) 2'), (1, 1, 'base step');
        INSERT INTO photo VALUES ('\(name)', 2, 1);
        INSERT INTO detail VALUES (2, '\(name)');
        INSERT INTO recipe(id, title) VALUES (9, 'gone'); DELETE FROM recipe WHERE id = 9;
        """)
    }
    let outcome = try databases.merge(.error)
    #expect(outcome.conflicts.isEmpty)
    #expect(
      outcome.renumbered == [
        RenumberedRow(table: "recipe", old: 2, new: 10), RenumberedRow(table: "recipe", old: 3, new: 11),
      ])
    #expect(
      try databases.rows("ours", "SELECT * FROM recipe ORDER BY id") == [
        "1 base ~", "2 theirs 1", "3 theirs 2 3", "10 ours 1", "11 ours 2 11",
      ])
    #expect(
      try databases.rows("ours", "SELECT * FROM step ORDER BY recipe, n") == [
        "1 1 base step", "2 1 theirs", "3 1 theirs 2", "10 1 ours", "11 1 ours 2",
      ])
    #expect(try databases.rows("ours", "SELECT * FROM photo ORDER BY id") == ["ours 10 1", "theirs 2 1"])
    #expect(try databases.rows("ours", "SELECT * FROM detail ORDER BY id") == ["2 theirs", "10 ours"])
    try databases.check("ours")
    try databases.edit("ours", "INSERT INTO recipe(title) VALUES ('next')")
    #expect(try databases.rows("ours", "SELECT max(id) FROM recipe") == ["12"])
  }

  @Test func `merges the only row of a table that allows no other key`() throws {
    let schema = "CREATE TABLE settings(id INTEGER PRIMARY KEY CHECK (id = 1), a, b)"
    let databases = try MergedDatabases(schema)
    try databases.edit("ours", "INSERT INTO settings VALUES (1, 'a', 'ours')")
    try databases.edit("theirs", "INSERT INTO settings VALUES (1, 'a', 'theirs')")
    let outcome = try databases.merge()
    #expect(outcome.renumbered.isEmpty)
    #expect(outcome.conflicts.map(\.changedColumns) == [["b"]])
    #expect(try databases.rows("ours", "SELECT * FROM settings") == ["1 a theirs"])
  }

  @Test func `reports a table without a free key`() throws {
    let databases = try MergedDatabases(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (9223372036854775807, 'last')"
    )
    for name in ["ours", "theirs"] { try databases.edit(name, "INSERT INTO t VALUES (1, '\(name)')") }
    let before = try databases.digest("ours")
    #expect(try mergeProblem { try databases.merge() } == .noFreeKey(table: "t"))
    #expect(try databases.digest("ours") == before)
  }

  @Test func `follows a change of references that both sides made`() throws {
    let schema = """
      CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO list VALUES (1, 'base');
      CREATE TABLE item(id TEXT PRIMARY KEY NOT NULL, list INTEGER REFERENCES list(id)); INSERT INTO item VALUES ('i', 1);
      """
    let databases = try MergedDatabases(schema)
    for name in ["ours", "theirs"] {
      try databases.edit(name, "INSERT INTO list VALUES (2, '\(name)'); UPDATE item SET list = 2")
    }
    #expect(try databases.merge(.mergeByPropertyObjectTrump).conflicts.map(\.changedColumns) == [["list"]])
    #expect(try databases.rows("ours", "SELECT name FROM item JOIN list ON list.id = list") == ["ours"])
  }
}
