import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("Two open documents of one package", .temporaryDirectory)
struct ManagedMergeTests {
  /// The row before the edit is (title: A, notes: n, servings: 1), after it (B, n, 2).
  private static let before = Recipe(id: 1, title: "A", notes: "n", servings: 1)

  /// A statement of another program, and the rows that undoing leaves by each policy; nil for an error.
  private static let cases: [(other: String, left: [MergePolicy: [Recipe]?])] = [
    // Another column: both changes stay, by any policy.
    ("UPDATE recipe SET notes = 'x'", all([Recipe(id: 1, title: "A", notes: "x", servings: 1)])),
    // One of the edit's two columns.
    (
      "UPDATE recipe SET title = 'C'",
      [
        .error: nil, .rollback: [Recipe(id: 1, title: "C", notes: "n", servings: 2)],
        .mergeByPropertyStoreTrump: [Recipe(id: 1, title: "C", notes: "n", servings: 1)],
        .mergeByPropertyObjectTrump: [before], .overwrite: [before],
      ]
    ),
    // The row is gone.
    (
      "DELETE FROM recipe",
      [
        .error: nil, .rollback: [], .mergeByPropertyStoreTrump: [], .mergeByPropertyObjectTrump: [],
        .overwrite: [],
      ]
    ),
  ]

  private static func all(_ recipes: [Recipe]) -> [MergePolicy: [Recipe]?] {
    Dictionary(uniqueKeysWithValues: MergePolicy.allCases.map { ($0, recipes) })
  }

  @Test(arguments: MergePolicy.allCases)
  func `undo beside each other by the merge policy`(_ policy: MergePolicy) async throws {
    for (other, left) in Self.cases {
      try await BookFixture.with { fixture in
        let book = try await fixture.open { $0.mergePolicy = policy }
        let theirs = try await fixture.open()
        try await book.add(Self.before)
        try await book.execute("UPDATE recipe SET title = 'B', servings = 2")
        try await theirs.execute(other)
        let present = try await book.book.recipes
        let error = await documentError { try await book.undo() }
        if let expected = left[policy] ?? nil {
          #expect(error == nil)
          #expect(try await book.book.recipes == expected, "\(other)")
        } else {
          #expect(error?.code == .conflict)
          #expect(error?.description.hasSuffix("in table 'recipe' that the edit had changed.") == true)
          #expect(try await book.book.recipes == present)
          #expect(try await book.undoState.undoCount == 2, "it can be tried again")
        }
        try await closeAll(theirs, book)
      }
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func `undo a removal whose key is taken, and an insertion that was changed`(_ policy: MergePolicy)
    async throws
  {
    let book = try await fixture.open { $0.mergePolicy = policy }
    let theirs = try await fixture.open()
    try await book.add(Self.before)
    try await book.execute("DELETE FROM recipe")
    let taken = Recipe(id: 1, title: "Taken")
    try await theirs.add(taken)
    let error = await documentError { try await book.undo() }
    let objectWins = policy == .overwrite || policy == .mergeByPropertyObjectTrump
    #expect(error?.code == (policy == .error ? .conflict : nil))
    #expect(try await book.book.recipes == [objectWins ? Self.before : taken])

    try await book.add(Recipe(id: 2, title: "Mine"))
    try await theirs.execute("UPDATE recipe SET title = 'Theirs' WHERE id = 2")
    let second = await documentError { try await book.undo() }
    #expect(second?.code == (policy == .error ? .conflict : nil))
    #expect(try await book.book.titles.dropFirst() == (objectWins ? [] : ["Theirs"]))
    try await closeAll(theirs, book)
  }

  /// The other column could go back alone, and a constraint refuses it.
  @Test func `leave a row as it is if a constraint refuses a part of the undo`() async throws {
    let change: (inout ManagedDocumentOptions) -> Void = { options in
      options.mergePolicy = .mergeByPropertyStoreTrump
      options.migrator?.registerMigration("pairs") { db in
        try db.execute(sql: "CREATE TABLE pair(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT)")
      }
    }
    let (book, theirs) = try await fixture.openTwice(change)
    try await book.execute("INSERT INTO pair VALUES (1, 'x', 'x'), (2, 'y', 'y')")
    try await book.execute("UPDATE pair SET a = 'z', b = 'z' WHERE id = 1")
    try await theirs.execute("UPDATE pair SET b = 'w' WHERE id = 1; UPDATE pair SET a = 'x' WHERE id = 2")
    try await book.undo()
    let rows = try await book.read { db, _ in
      try String.fetchAll(db, sql: "SELECT a || b FROM pair ORDER BY id")
    }
    #expect(rows == ["zw", "xy"])
    try await closeAll(theirs, book)
  }

  /// Adds a table whose rows refer to recipes.
  private static func addSteps(_ options: inout ManagedDocumentOptions) {
    options.migrator?.registerMigration("steps") { db in
      try db.execute(
        sql: "CREATE TABLE step(id INTEGER PRIMARY KEY, recipe INTEGER NOT NULL REFERENCES recipe(id))")
    }
  }

  @Test func `never leave a row that refers to no row`() async throws {
    let (book, theirs) = try await fixture.openTwice {
      $0.mergePolicy = .overwrite
      Self.addSteps(&$0)
    }
    try await book.add(Self.before)
    try await theirs.execute("INSERT INTO step VALUES (1, 1)")
    let error = await documentError { try await book.undo() }
    #expect(error?.code == .conflict)
    #expect(error?.description.contains("'step'") == true)
    #expect(try await book.book.recipes == [Self.before])
    try await closeAll(theirs, book)
  }

  /// All rows share the pages of an index.
  @Test(arguments: MergePolicy.allCases, ["recipe", ""])
  func `undo beside each other in a table with full text`(_ policy: MergePolicy, of table: String)
    async throws
  {
    let change: @Sendable (inout ManagedDocumentOptions) -> Void = { options in
      options.mergePolicy = policy
      options.migrator?.registerMigration("search") { db in
        if table.isEmpty { return try db.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(title)") }
        try db.create(virtualTable: "search", using: FTS5()) {
          $0.synchronize(withTable: table)
          $0.column("title")
        }
      }
    }
    let (book, theirs) = try await fixture.openTwice(change)
    func add(_ id: Int64, _ title: String, to document: ManagedDocument) async throws {
      try await document.edit { db, _ in
        try Recipe(id: id, title: title).insert(db)
        if table.isEmpty {
          try db.execute(sql: "INSERT INTO search(rowid, title) VALUES (?, ?)", arguments: [id, title])
        }
      }
    }
    @Sendable func found(by document: ManagedDocument) async throws -> [String] {
      try await document.execute("INSERT INTO search(search, rank) VALUES ('integrity-check', 1)")
      return try await document.read { db, _ in
        try String.fetchAll(db, sql: "SELECT title FROM search WHERE search MATCH 's*' ORDER BY rowid")
      }
    }
    try await add(1, "soup", to: book)
    try await add(2, "salad", to: theirs)
    for _ in 1...2 {
      try await book.undo()
      #expect(try await found(by: book) == ["salad"])
      #expect(try await found(by: theirs) == ["salad"])
      try await book.redo()
      #expect(try await found(by: book) == ["soup", "salad"])
    }
    try await add(3, "stew", to: book)
    try await theirs.undo()
    try await book.undo()
    #expect(try await found(by: theirs) == ["soup"])
    try await closeAll(theirs, book)
  }

  /// Such an index cannot be made again.
  @Test(arguments: MergePolicy.allCases)
  func `refuse to mix the pages of an index without rows`(_ policy: MergePolicy) async throws {
    let change: (inout ManagedDocumentOptions) -> Void = { options in
      options.mergePolicy = policy
      options.migrator?.registerMigration("search") { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(title, content='')")
      }
    }
    let (book, theirs) = try await fixture.openTwice(change)
    for (id, document) in [book, theirs].enumerated() {
      try await document.execute("INSERT INTO search(rowid, title) VALUES (?, 'soup')", arguments: [id])
    }
    #expect(await documentError { try await book.undo() }?.code == .conflict)
    try await theirs.undo()
    try await book.undo()
    let found = try await book.read { db, _ in
      try Int.fetchAll(db, sql: "SELECT rowid FROM search WHERE search MATCH 'soup'")
    }
    #expect(found == [])
    try await closeAll(theirs, book)
  }

  /// Another program has its foreign keys off.
  @Test func `undo beside a row that referred to no row before`() async throws {
    let book = try await fixture.open(Self.addSteps)
    let theirs = try await fixture.open {
      Self.addSteps(&$0)
      $0.configuration.foreignKeysEnabled = false
    }
    try await book.add(Self.before)
    try await theirs.execute("INSERT INTO step VALUES (7, 77)")
    try await book.undo()
    #expect(try await book.book.recipes == [])
    try await closeAll(theirs, book)
  }

  @Test func `undo their own edits only, and see each other's`() async throws {
    let (book, theirs) = try await fixture.openTwice()
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await theirs.add(Recipe(id: 2, title: "Soup"), picture: "red")
    #expect(try await book.book == theirs.book)
    try await book.undo()
    #expect(
      try await theirs.book
        == Book(recipes: [Recipe(id: 2, title: "Soup")], files: ["Pictures/2.jpeg": "red"]))
    try await theirs.undo()
    #expect(try await book.book == Book())
    try await book.redo()
    try await theirs.redo()
    // One save is of all edits.
    try await theirs.saveAndPublish()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden", "Pictures/2.jpeg": "red"])
    try await theirs.close()
    #expect(try fixture.names().contains(".docpkg"), "another document has the package open")
    try await book.close()
    #expect(try fixture.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])
  }
}
