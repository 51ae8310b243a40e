import Documents
import DurableIO
import FilePackages
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

/// The chain of versions ends with a snapshot before a migration (MV3).
@Suite("The versions of a document with a database from before a migration")
struct ManagedHistoryMigrationTests {
  /// The next schema: another column, another table, and other rows.
  private static func migrate(_ options: inout ManagedDocumentOptions) {
    options.keepsHistory = true
    options.migrator?.registerMigration("stars") { db in
      try db.execute(
        sql: """
          ALTER TABLE recipe ADD COLUMN stars INTEGER NOT NULL DEFAULT 3;
          CREATE TABLE author(name TEXT PRIMARY KEY NOT NULL);
          INSERT INTO author SELECT DISTINCT title FROM recipe;
          UPDATE recipe SET notes = 'migrated';
          """)
    }
  }

  private func titles(_ book: ManagedDocument, _ table: String = "recipe", _ column: String = "title")
    async throws
    -> [String]
  {
    try await book.read { db, _ in
      try String.fetchAll(db, sql: "SELECT \(column) FROM \(table) ORDER BY rowid")
    }
  }

  /// Makes a document with two versions and an edit that no save has.
  private func makeBook(_ fixture: BookFixture) async throws -> [Book] {
    let book = try await fixture.open { $0.keepsHistory = true }
    var books = [try await book.book]
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.save()
    books.append(try await book.book)
    try await book.add(Recipe(id: 2, title: "Soup"), picture: String(repeating: "x", count: 300_000))
    try await book.edit { _, content in try content.write("Pictures/1.jpeg", Data("red".utf8)) }
    try await book.save()
    books.append(try await book.book)
    try await book.edit { db, content in
      try db.execute(sql: "UPDATE recipe SET title = title || '!'")
      try content.remove("Pictures/2.jpeg")
    }
    return books
  }

  @Test func `are read as they were, and come back with the present schema`() async throws {
    try await BookFixture.with { fixture in
      let books = try await makeBook(fixture)
      let errors = ErrorList()
      let book = try await fixture.open {
        Self.migrate(&$0)
        $0.errorHandler = { errors.add($0) }
      }
      // The migration is a save.
      #expect(await !book.hasUnsavedChanges)
      #expect(try fixture.generation == 4)
      let old = try await book.versions()
      #expect(old.map(\.metadata.generation) == [3, 2, 1])
      for (version, expected) in zip(old, books.reversed()) {
        #expect(try await book.book(of: version) == expected)
      }
      try await book.add(Recipe(id: 3, title: "Cake"))
      try await book.save()
      let versions = try await book.versions()
      #expect(versions.map(\.metadata.generation) == [4, 3, 2, 1])
      #expect(try await book.book(of: versions[0]).titles == ["Rösti!", "Soup!"])
      #expect(
        try await book.differences(from: old[1].id).description == """
          author: 2 inserted
          recipe: 3 inserted, 1 deleted
          Pictures/1.jpeg: changed
          """)
      let present = try await book.book
      try await book.restore(old[1].id)
      #expect(try await titles(book) == ["Rösti"])
      #expect(try await titles(book, "recipe", "notes") == ["migrated"])
      #expect(try await titles(book, "author", "name") == ["Rösti"])
      #expect(try await book.book.files == books[1].files)
      try await book.synchronize()
      #expect(try fixture.visibleFiles == books[1].files)
      #expect(try await book.undo())
      #expect(try await book.book == present)
      #expect(try await titles(book, "author", "name") == ["Rösti!", "Soup!"])
      for (version, expected) in zip(old, books.reversed()) {
        #expect(try await book.book(of: version) == expected)
      }
      try await book.removeVersions(Set(old.map(\.id)))
      try await book.close()
      #expect(errors.all.isEmpty)
      let databases = try? fixture.names(in: ".docpkg/databases")
      #expect(databases == nil, "the snapshot stays without its versions")
    }
  }

  @Test func `stay when the migration fails, and when it runs again`() async throws {
    try await BookFixture.with { fixture in
      let books = try await makeBook(fixture)
      for _ in 1...2 {
        let error = await documentError {
          _ = try await fixture.open {
            $0.migrator?.registerMigration("broken") { db in
              try db.execute(sql: "INSERT INTO nothing VALUES (1)")
            }
          }
        }
        #expect(error != nil)
      }
      let book = try await fixture.open(Self.migrate)
      let versions = try await book.versions()
      #expect(versions.map(\.metadata.generation) == [3, 2, 1])
      for (version, expected) in zip(versions, books.reversed()) {
        #expect(try await book.book(of: version) == expected)
      }
      #expect(try fixture.names(in: ".docpkg/databases").count == 1)
      try await book.close()
    }
  }

  @Test func `have the state before it, also if the history begins with it`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open()
      try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
      try await book.save()
      let old = try await book.book
      try await book.startKeepingHistory()
      try await book.close()
      let again = try await fixture.open(Self.migrate)
      let version = try #require(try await again.versions().first)
      #expect(try await again.book(of: version) == old)
      try await again.close()
      // A copy without the hidden folder has no snapshot, and lists no version that needs it.
      try FileManager.default.removeItem(at: fixture.url.appending(path: ".docpkg"))
      let copy = try await fixture.open(Self.migrate)
      #expect(try await copy.versions() == [])
      try await copy.add(Recipe(id: 2, title: "Soup"))
      try await copy.save()
      #expect(try await copy.versions().count == 1)
      try await copy.close()
    }
  }

  @Test func `become documents of their own with their own schema`() async throws {
    try await BookFixture.with { fixture in
      let books = try await makeBook(fixture)
      let book = try await fixture.open(Self.migrate)
      let url = URL(filePath: fixture.folder.appending("Old.recipebook").string, directoryHint: .isDirectory)
      try await book.write(book.versions()[0].id, to: url)
      try await book.close()
      let old = try await ManagedDocument.open(at: url, options: RecipeBook.options())
      #expect(try await old.book == books[2])
      try await old.close()
    }
  }
}
