import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("A verification of a document with a database", .temporaryDirectory)
struct ManagedVerificationTests {
  private func whole(_ fixture: BookFixture) async throws -> VerificationReport {
    try await #require(try ManagedPackage(at: fixture.url)).verify()
  }

  @Test func `leaves a closed document as it is, and finds it whole`() async throws {
    try await fixture.openRösti(picture: "golden").close()
    let before = try fixture.everything
    #expect(try await whole(fixture).lines == ["whole: 4 children, 6 B"])
    #expect(try fixture.everything == before)
  }

  @Test func `names files that are changed, damaged, missing or another program's`() async throws {
    let book = try await fixture.open()
    for name in ["a", "b", "c", "e"] {
      try await book.write("Files/\(name)", name)
    }
    try await book.close()
    let files = fixture.url.appending(path: "AdditionalContent/Files")
    try Data("x".utf8).write(to: files.appending(path: "a"))
    try FileManager.default.removeItem(at: files.appending(path: "b"))
    try Data().write(to: files.appending(path: "d"))
    try PosixDisk().rot("e", in: FilePath(files.path))
    let permissions = [FileAttributeKey.posixPermissions: 0o755]
    try FileManager.default.setAttributes(permissions, ofItemAtPath: files.appending(path: "c").path)
    let report = try await whole(fixture)
    #expect(!report.isWhole && !report.isUnexplained)
    #expect(report.changed == ["AdditionalContent/Files/a", "AdditionalContent/Files/c"])
    #expect(report.damaged == ["AdditionalContent/Files/e"])
    #expect(report.missing == ["AdditionalContent/Files/b"])
    #expect(report.extra == ["AdditionalContent/Files/d"])
  }

  @Test func `finds a child that another program changed beside the files`() async throws {
    try await fixture.open().close()
    try Data().write(to: fixture.url.appending(path: "Icon"))
    #expect(try await whole(fixture).isUnexplained)
  }

  @Test func `lets SQLite check the database`() async throws {
    let book = try await fixture.open {
      $0.migrator?.registerMigration("steps") { db in
        try db.execute(
          sql: """
            CREATE TABLE step(id INTEGER PRIMARY KEY, recipe INTEGER REFERENCES recipe(id), words TEXT);
            CREATE INDEX step_words ON step(words);
            """)
      }
    }
    try await book.edit { db, _ in
      for id in 1...2000 {
        try db.execute(sql: "INSERT INTO step(words) VALUES (?)", arguments: ["Step number \(id)"])
      }
    }
    try await book.close()
    #expect(try await whole(fixture).isWhole)

    let configuration = with(Configuration()) { $0.foreignKeysEnabled = false }
    let queue = try DatabaseQueue(path: fixture.store.path, configuration: configuration)
    let page = try await queue.write { db in
      try db.execute(sql: "UPDATE step SET recipe = 77 WHERE id <= 2")
      return try #require(try Int.fetchOne(db, sql: "SELECT max(pageno) FROM dbstat WHERE name = 'step'"))
    }
    try queue.close()
    let report = try await whole(fixture)
    #expect(report.database.map(\.kind) == [.foreignKeys])
    #expect(report.lines.first == "database: 2 rows of table 'step' refer to rows that are not there")

    let file = try FileHandle(forUpdating: fixture.store)
    try file.seek(toOffset: UInt64((page - 1) * 4096 + 8))
    try file.write(contentsOf: Data(repeating: 0xFF, count: 600))
    try file.close()
    #expect(try await whole(fixture).database.map(\.kind).contains(.damaged))
  }

  @Test func `takes no failure of the database for a missing file`() async throws {
    try await fixture.openRösti(picture: "golden").close()
    let queue = try DatabaseQueue(path: fixture.store.path)
    try await queue.write { db in
      try db.execute(sql: "INSERT INTO grdb_touched VALUES ('Pictures/1.jpeg'); DROP TABLE grdb_objects")
    }
    try queue.close()
    let package = try #require(try ManagedPackage(at: fixture.url))
    let error = await #expect(throws: DocumentError.self) { try await package.verify() }
    #expect("\(String(describing: error))".contains("grdb_objects"))
  }

  @Test func `finds a database that is of another save than the package`() async throws {
    try await fixture.openRösti().close()
    let old = try Data(contentsOf: fixture.store)
    let again = try await fixture.open()
    try await again.add(Recipe(id: 2, title: "Soup"))
    try await again.close()
    try old.write(to: fixture.store)
    #expect(try await whole(fixture).database.map(\.kind) == [.otherSave])
  }

  @Test func `finds an open document whole, saved or not`() async throws {
    let book = try await fixture.openRösti(picture: "golden")
    #expect(try await book.verify().isWhole)
    try await book.save()
    #expect(try await book.verify().isWhole)
    try await book.edit { _, content in
      try content.write("large", Data(count: 300_000))
      try content.remove("Pictures/1.jpeg")
    }
    let report = try await book.verify()
    #expect(report.isWhole, "\(report)")
    try await book.close()
    #expect(try await whole(fixture).isWhole)
  }

  @Test func `recognises documents with a database, and no other package`() async throws {
    try await fixture.open().close()
    #expect(try ManagedPackage(at: fixture.url) != nil)
    let plain = fixture.sibling("Plain.textbundle").url
    try createFolder(at: plain.appending(path: "StoreContent"))
    #expect(try ManagedPackage(at: plain) == nil)
    try Data("text".utf8).write(to: plain.appending(path: "StoreContent/persistentStore"))
    #expect(try ManagedPackage(at: plain) == nil)
    let error = await documentError { _ = try ManagedPackage(at: fixture.sibling("none").url) }
    #expect(error?.fileError?.code == .noSuchFile)
  }

  @Test func `a store of trees does not change a document with a database`() async throws {
    try await fixture.open().close()
    let before = try fixture.everything
    let store = try await PackageStore.open(at: fixture.url)
    try await store.tree.setDescendant(
      FileWrapper(regularFileWithContents: Data("x".utf8)), at: "AdditionalContent/x")
    await expect(\FilePackageError.code, .unsupported) { try await store.save() }
    try await store.close()
    #expect(try fixture.everything == before)
  }

  @Test func `a tool that knows no schema edits the files, and the application's undo stays`() async throws {
    let book = try await fixture.open { $0.keepsUndoAfterClosing = true }
    try await book.add(Recipe(id: 1, title: "Rösti"))
    try await book.close()
    var options = ManagedDocumentOptions()
    (options.autosave, options.isCoordinated, options.keepsUndoAfterClosing) = (nil, false, true)
    let tool = try await ManagedDocument.open(at: fixture.url, options: options)
    try await tool.edit("Tool") { _, content in try content.write("a", Data("1".utf8)) }
    try await tool.close()
    let again = try await fixture.open { $0.keepsUndoAfterClosing = true }
    #expect(try await again.undo())
    #expect(try await again.book == Book(recipes: [Recipe(id: 1, title: "Rösti")]))
    #expect(try await again.undo())
    #expect(try await again.book == Book())
    try await again.close()
  }
}

extension BookFixture {
  /// The paths, sizes and dates of all files in the package.
  var everything: [String: [String]] {
    get throws {
      var files: [String: [String]] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path + "/" + path)
        files[path] = ["\(attributes[.size] ?? "")", "\(attributes[.modificationDate] ?? "")"]
      }
      return files
    }
  }
}
