import Documents
import DurableIO
import FilePackages
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("The versions of a document with a database")
struct ManagedHistoryTests {
  @Test func `are kept by each save, and read as they were`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      #expect(try await book.versions() == [])
      var books = [try await book.book]
      for number in 1...4 {
        try await book.add(Recipe(id: Int64(number), title: "\(number)"), picture: "picture \(number)")
        try await book.edit { db, content in
          try db.execute(sql: "UPDATE recipe SET servings = servings + 1")
          if number > 1 { try content.move("Pictures/\(number - 1).jpeg", to: "Old/\(number - 1)") }
        }
        try await book.save()
        books.append(try await book.book)
      }
      let versions = try await book.versions()
      #expect(versions.map(\.metadata.generation) == [4, 3, 2, 1])
      // The newest version comes first, and the present state is none.
      for (version, expected) in zip(versions, books.dropLast().reversed()) {
        #expect(try await book.book(of: version) == expected)
      }
      try await book.close()
      #expect(try await fixture.open().versions() == versions)
    }
  }

  /// The save has the flushes of one without history (MV1).
  @Test func `cost no flush, and little more than the changed rows`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      try await book.edit { db, _ in
        try db.execute(
          sql: """
            INSERT INTO recipe(title, notes, servings)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
            SELECT 'title ' || i, hex(randomblob(200)), 1 FROM n
            """)
      }
      try await book.save()
      try await book.edit { db, _ in try db.execute(sql: "UPDATE recipe SET title = 'Rösti' WHERE id = 7000")
      }
      let report = try await book.save()
      #expect(report.synchronizations == 1)
      let version = try #require(try await book.versions().first)
      #expect(version.keptBytes < 8 << 10, "a version of one row has \(version.keptBytes) bytes")
      let title = try await book.read(version.id) { db, _ in
        try String.fetchOne(db, sql: "SELECT title FROM recipe WHERE id = 7000")
      }
      #expect(title == "title 7000")
      try await book.close()
    }
  }

  @Test func `come back with an edit that can be undone, and the present state stays as one`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
      try await book.save()
      let old = try await book.book
      try await book.edit { db, content in
        try db.execute(sql: "UPDATE recipe SET title = 'Soup'")
        try content.write("Pictures/1.jpeg", Data("red".utf8))
        try content.write("Large", Data(repeating: 7, count: 300_000))
      }
      try await book.save()
      try await book.edit { db, content in
        try db.execute(sql: "DELETE FROM recipe")
        try content.remove("Large")
      }
      let last = try await book.book
      let version = try #require(try await book.versions().first)
      var titles = book.observe { try String.fetchAll($0, sql: "SELECT title FROM recipe") }
        .makeAsyncIterator()
      #expect(try await titles.next() == [])
      try await book.restore(version.id)
      while let told = try await titles.next(), told != ["Rösti"] {}
      #expect(try await book.book == old)
      try await book.synchronize()
      #expect(try fixture.visibleFiles == old.files)
      #expect(await !book.hasUnsavedChanges)
      // The unsaved edits were saved first.
      let present = try #require(try await book.versions().first)
      #expect(try await book.book(of: present) == last)
      #expect(try await book.undo())
      #expect(try await book.book == last)
      #expect(try await book.redo())
      #expect(try await book.book == old)
      try await book.close()
    }
  }

  @Test func `say which rows and files differ`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
      try await book.save()
      try await book.edit { db, content in
        try db.execute(sql: "UPDATE recipe SET title = 'Soup'")
        try Recipe(id: 2, title: "Cake").insert(db)
        try content.move("Pictures/1.jpeg", to: "Pictures/2.jpeg")
      }
      try await book.save()
      try await book.edit { db, _ in try db.execute(sql: "DELETE FROM recipe WHERE id = 1") }
      let versions = try await book.versions()
      let whole = try await book.differences(from: versions[1].id)
      #expect(whole.description == "recipe: 1 inserted\nPictures/2.jpeg: added")
      let last = try await book.differences(from: versions[0].id)
      #expect(
        last.description == """
          recipe: 1 inserted, 1 deleted
          Pictures/1.jpeg: removed
          Pictures/2.jpeg: added
          """)
      let back = try await book.differences(from: versions[0].id, to: versions[1].id)
      #expect(back.description == "recipe: 1 deleted\nPictures/1.jpeg: removed")
      #expect(try await book.differences(from: versions[0].id, to: versions[0].id).isEmpty)
      try await book.close()
    }
  }

  @Test func `become documents of their own`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
      try await book.edit { _, content in try content.write("a/Large", Data(repeating: 65, count: 300_000)) }
      try await book.save()
      let old = try await book.book
      try await book.edit { db, content in
        try db.execute(sql: "DELETE FROM recipe")
        for path in try content.paths() { try content.remove(path) }
      }
      try await book.save()
      let url = URL(filePath: fixture.folder.appending("Old.recipebook").string, directoryHint: .isDirectory)
      let version = try #require(try await book.versions().first)
      try await book.write(version.id, to: url)
      #expect(
        await documentError { try await book.write(version.id, to: url) }?.fileError?.code == .fileExists)
      try await book.close()
      let queue = try DatabaseQueue(path: url.path + "/StoreContent/persistentStore")
      #expect(try await queue.read { try Recipe.fetchAll($0) } == old.recipes)
      try queue.close()
      let errors = ErrorList()
      let copy = try await ManagedDocument.open(
        at: url, options: RecipeBook.options { $0.errorHandler = { errors.add($0) } })
      #expect(try await copy.book == old)
      #expect(try await copy.versions() == [])
      #expect(try await !copy.keepsHistory())
      try await copy.add(Recipe(id: 2, title: "Soup"))
      try await copy.close()
      #expect(errors.all.isEmpty)
      #expect(try FilePackages.PackageMetadata.read(from: .init(url.path))?.generation == 2)
    }
  }

  @Test func `are kept without undo, too`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { ($0.keepsHistory, $0.undo) = (true, nil) }
      try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
      try await book.save()
      let old = try await book.book
      try await book.edit { db, content in
        try db.execute(sql: "UPDATE recipe SET title = 'Soup'")
        try content.write("Pictures/1.jpeg", Data("red".utf8))
      }
      try await book.save()
      let version = try #require(try await book.versions().first)
      #expect(try await book.book(of: version) == old)
      #expect(try await !book.undo())
      try await book.restore(version.id)
      #expect(try await book.book == old)
      try await book.close()
    }
  }

  /// A version never leaves out an edit that was not recorded (MV2).
  @Test func `end where edits are not known`() async throws {
    try await BookFixture.with { fixture in
      let without = try await fixture.open { $0.undo = nil }
      try await without.add(Recipe(id: 1, title: "Rösti"))
      // The edit before was not recorded, so the state before it is no version.
      try await without.startKeepingHistory()
      try await without.add(Recipe(id: 2, title: "Soup"))
      try await without.save()
      #expect(try await without.versions() == [])
      try await without.add(Recipe(id: 3, title: "Cake"))
      try await without.save()
      let versions = try await without.versions()
      #expect(versions.count == 1)
      #expect(try await without.book(of: versions[0]).titles == ["Rösti", "Soup"])
      try await without.close()
      // Another program changes the tables: the changes hold no more.
      let queue = try DatabaseQueue(path: fixture.url.path + "/StoreContent/persistentStore")
      try await queue.write { db in try db.execute(sql: "CREATE TABLE other(id INTEGER PRIMARY KEY)") }
      try queue.close()
      let again = try await fixture.open()
      #expect(try await again.versions() == [])
      try await again.add(Recipe(id: 4, title: "Bread"))
      try await again.save()
      #expect(try await again.versions().count == 1)
      try await again.close()
    }
  }

  @Test func `stay whole if another program changed their rows`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      try await book.add(Recipe(id: 1, title: "Rösti"))
      try await book.add(Recipe(id: 2, title: "Soup"))
      try await book.save()
      try await book.edit { db, _ in try db.execute(sql: "UPDATE recipe SET title = title || '!'") }
      try await book.close()
      let queue = try DatabaseQueue(path: fixture.url.path + "/StoreContent/persistentStore")
      try await queue.write { db in try db.execute(sql: "UPDATE recipe SET title = 'Cake' WHERE id = 2") }
      try queue.close()
      let again = try await fixture.open()
      let version = try #require(try await again.versions().first)
      let error = await documentError { try await again.restore(version.id) }
      #expect(error?.code == .conflict)
      #expect(
        error?.description
          == "The document 'Recipes.recipebook' could not be reverted: a program without this library changed rows of "
          + "table 'recipe' that the version needs; nothing was changed.")
      #expect(try await again.book.titles == ["Rösti!", "Cake"])
      let unknown = await documentError { try await again.restore(UUID()) }
      #expect(unknown?.fileError?.code == .noSuchVersion)
      try await again.close()
    }
  }

  @Test func `have the edits of two open documents`() async throws {
    try await BookFixture.with { fixture in
      let (first, second) = (
        try await fixture.open { $0.keepsHistory = true }, try await fixture.open { $0.undo = nil }
      )
      var books: [Book] = [Book()]
      for round in 1...3 {
        try await first.add(Recipe(id: Int64(2 * round), title: "first"), picture: "\(round)")
        try await second.add(Recipe(id: Int64(2 * round + 1), title: "second"), picture: "\(round)")
        try await first.edit { db, _ in try db.execute(sql: "UPDATE recipe SET title = title || 'x'") }
        if round == 2 { try await first.undo() }
        try await (round == 2 ? second : first).save()
        books.append(try await first.book)
      }
      try await second.close()
      for (version, expected) in zip(try await first.versions(), books.dropLast().reversed()) {
        #expect(try await first.book(of: version) == expected)
      }
      #expect(try await first.versions().count == 3)
      try await first.close()
    }
  }

  @Test func `go by their age and their bytes, and the others stay as they are`() async throws {
    // All saves are of one hour.
    let moment = FileTime(seconds: 1_800_001_800, nanoseconds: 0)
    var environment = Environment()
    environment.now = { moment }
    try await Environment.$current.withValue(environment) { try await thinHistory(at: moment.date) }
  }

  private func thinHistory(at now: Date) async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      var books: [Book] = []
      for number in 1...8 {
        try await book.edit { db, content in
          try db.execute(sql: "INSERT OR REPLACE INTO recipe VALUES (1, ?, '', 1)", arguments: ["\(number)"])
          try content.write("a", Data("\(number)".utf8))
          try content.write("b/\(number % 3)", Data(repeating: UInt8(number), count: 300_000))
        }
        books.append(try await book.book)
        try await book.save()
      }
      books = [Book()] + books.dropLast()
      var versions = Array(try await book.versions().reversed())
      #expect(versions.count == 8)
      func expectExact() async throws {
        let kept = Array(try await book.versions().reversed())
        #expect(kept == versions)
        for (version, expected) in zip(kept, books) { #expect(try await book.book(of: version) == expected) }
      }
      try await book.setDiscardable(false, [versions[2].id])
      try await book.removeVersions([versions[3].id, versions[4].id, versions[0].id])
      for index in [4, 3, 0] {
        versions.remove(at: index)
        books.remove(at: index)
      }
      try await expectExact()
      // Of one hour the last one stays, the one that may not go, and the most recent one.
      let later = now.addingTimeInterval(7 * 3600)
      let plan = try await book.thinHistory(at: later, dryRun: true)
      #expect(try await book.versions().count == 5)
      let report = try await book.thinHistory(at: later)
      #expect(plan.removed == report.removed)
      let gone = Set(report.removed)
      #expect(gone.count >= 2 && !gone.contains(versions[1].id) && !gone.contains(versions[4].id))
      books = zip(versions, books).filter { !gone.contains($0.0.id) }.map(\.1)
      versions.removeAll { gone.contains($0.id) }
      try await expectExact()
      // Beyond the budget the oldest go, except those that may not.
      let policy = RetentionPolicy(byteBudget: 100)
      let planned = try await book.thinHistory(under: policy, dryRun: true)
      #expect(try await book.retentionPolicy() != policy)
      #expect(try await book.thinHistory(under: policy).removed == planned.removed)
      #expect(try await book.retentionPolicy() == policy)
      books = zip(versions, books).filter { [versions[0].id, versions.last?.id].contains($0.0.id) }.map(\.1)
      versions = [versions[0], versions[versions.count - 1]]
      try await expectExact()
      try await book.stopKeepingHistory()
      #expect(try await book.versions() == [])
      try await book.close()
      // Nothing keeps the bytes of old files.
      #expect(try fixture.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])
    }
  }
}

extension ManagedDocument {
  /// Rows and files of a version.
  func book(of version: ManagedVersion) async throws -> Book {
    try await read(version.id) { db, content in
      var files: [String: String] = [:]
      for path in try content.paths() {
        files[path] = String(decoding: try content.read(path), as: UTF8.self)
      }
      return Book(recipes: try Recipe.order(Column("id")).fetchAll(db), files: files)
    }
  }
}
