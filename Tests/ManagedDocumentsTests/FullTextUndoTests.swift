import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("Undoing in a database with full text", .temporaryDirectory)
struct FullTextUndoTests {
  @Test func `takes back changes of a full-text table`() async throws {
    let book = try await fixture.open { options in
      options.migrator?.registerMigration("search") { db in
        try db.create(virtualTable: "search", using: FTS5()) { table in
          table.synchronize(withTable: "recipe")
          table.column("title")
        }
      }
    }
    @Sendable func matches(_ word: String) async throws -> [Int64] {
      try await book.read { db, _ in
        try Int64.fetchAll(
          db, sql: "SELECT rowid FROM search WHERE search MATCH ? ORDER BY 1", arguments: [word])
      }
    }
    for id in 1...20 { try await book.add(Recipe(id: Int64(id), title: "soup \(id)")) }
    try await book.execute("UPDATE recipe SET title = 'cake' WHERE id > 10")
    #expect(try await matches("soup") == Array(1...10))
    try await book.undo()
    #expect(try await matches("soup") == Array(1...20))
    #expect(try await matches("cake") == [])
    try await book.redo()
    #expect(try await matches("cake") == Array(11...20))
    // The writer's own view of the index is the same.
    try await book.add(Recipe(id: 21, title: "cake 21"))
    try await book.execute("INSERT INTO search(search) VALUES ('integrity-check')")
    while try await book.undo() {}
    #expect(try await matches("soup") == [])
    try await book.execute("INSERT INTO search(search) VALUES ('integrity-check')")
    try await book.close()
  }

  /// FTS5 writes its pages at the end of a transaction.
  @Test(arguments: ["", ", content=''"])
  func `takes back what an edit writes into a full-text table itself`(_ content: String) async throws {
    let book = try await fixture.open { options in
      options.migrator?.registerMigration("search") { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(title\(content))")
      }
    }
    @Sendable func found() async throws -> [Int] {
      try await book.read { db, _ in
        try Int.fetchAll(db, sql: "SELECT rowid FROM search WHERE search MATCH 'soup' ORDER BY rowid")
      }
    }
    for id in 1...3 {
      try await book.execute("INSERT INTO search(rowid, title) VALUES (?, 'soup')", arguments: [id])
    }
    for left in [[1, 2], [1], []] {
      try await book.undo()
      #expect(try await found() == left)
    }
    while try await book.redo() {}
    #expect(try await found() == [1, 2, 3])
    try await book.close()
  }

  /// A row that comes back has another number, which the index has as well.
  @Test func `takes back changes of full text over a table with a text key`() async throws {
    let book = try await fixture.open { options in
      options.migrator?.registerMigration("search") { db in
        try db.execute(sql: "CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, place INT UNIQUE, body TEXT)")
        try db.create(virtualTable: "search", using: FTS5()) { table in
          table.synchronize(withTable: "note")
          table.column("body")
        }
      }
    }
    @Sendable func found() async throws -> [String] {
      try await book.execute("INSERT INTO search(search, rank) VALUES ('integrity-check', 1)")
      return try await book.read { db, _ in
        try String.fetchAll(
          db,
          sql: """
            SELECT id || search.body FROM search JOIN note ON note.rowid = search.rowid
            WHERE search MATCH 's*' ORDER BY id
            """)
      }
    }
    try await book.execute("INSERT INTO note VALUES ('a', 1, 'soup'), ('b', 2, 'salad'), ('c', 3, 'stew')")
    let all = ["asoup", "bsalad", "cstew"]
    let edits = [
      ("DELETE FROM note WHERE id = 'a'", ["bsalad", "cstew"]),
      (
        """
        UPDATE note SET place = 9 WHERE id = 'a'; UPDATE note SET place = 1, body = 'sushi' WHERE id = 'b';
        UPDATE note SET place = 2 WHERE id = 'a'
        """, ["asoup", "bsushi", "cstew"]
      ),
      (
        """
        DELETE FROM note WHERE id = 'b'; INSERT INTO note VALUES ('d', 4, 'sorbet');
        INSERT INTO note VALUES ('b', 2, 'sauce')
        """, ["asoup", "bsauce", "cstew", "dsorbet"]
      ),
    ]
    for (sql, changed) in edits {
      try await book.execute(sql)
      for _ in 1...2 {
        #expect(try await found() == changed)
        try await book.undo()
        #expect(try await found() == all)
        try await book.redo()
      }
      try await book.undo()
    }
    try await book.close()
  }
}
