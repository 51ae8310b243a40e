import Documents
import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("Many versions of a document with a database", .tags(.scale))
struct ManagedHistoryScaleTests {
  /// `ALL_VERSIONS=1` makes 1,000 saves.
  private static let saves = ProcessInfo.processInfo.environment["ALL_VERSIONS"] == "1" ? 1_000 : 150

  /// `ALL_VERSIONS=1` makes a database of 100 MB.
  @Test func `of one changed row are as small in a large database`() async throws {
    let rows = ProcessInfo.processInfo.environment["ALL_VERSIONS"] == "1" ? 50_000 : 2_500
    try await BookFixture.with { fixture in
      let book = try await fixture.open { ($0.undo, $0.isCoordinated) = (nil, false) }
      try await book.edit { db, _ in
        try db.execute(
          sql: """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
            INSERT INTO recipe SELECT n, 'Recipe ' || n, hex(randomblob(1000)), 2 FROM number
            """, arguments: [rows])
      }
      try await book.save()
      try await book.savePresentedItemChanges()
      try await book.startKeepingHistory()
      try await book.edit { db, _ in try db.execute(sql: "UPDATE recipe SET title = 'Rösti' WHERE id = 77") }
      try await book.save()
      let version = try #require(try await book.versions().first)
      let log = fixture.url.appending(path: "StoreContent/persistentStore-wal").path
      let file = fixture.url.appending(path: "StoreContent/persistentStore").path
      func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      }
      print(
        "one row of a database of \(try size(file)) bytes: a version of \(version.keptBytes) bytes, a log of",
        "\(try size(log)) bytes")
      #expect(version.keptBytes < 8 << 10)
      #expect(try size(log) < 64 << 10)
      let title = try await book.read(version.id) { db, _ in
        try String.fetchOne(db, sql: "SELECT title FROM recipe WHERE id = 77")
      }
      #expect(title == "Recipe 77")
      try await book.close()
    }
  }

  @Test func `are exact, and small`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.keepsHistory = true }
      try await book.setRetentionPolicy(.init(keepsAll: 1e9))
      try await book.edit { db, _ in
        for id in 1...1_000 { try Recipe(id: Int64(id), title: "\(id)").insert(db) }
      }
      try await book.save()
      var random = SeededGenerator(seed: 1)
      var books: [Book] = []
      for number in 1...Self.saves {
        if number % 10 == 1 { books.append(try await book.book) }
        let (id, text) = (
          Int.random(in: 1...1_000, using: &random), "\(UInt64.random(in: 0 ... .max, using: &random))"
        )
        try await book.edit { db, content in
          try db.execute(sql: "UPDATE recipe SET notes = ? WHERE id = ?", arguments: [text, id])
          try content.write("Notes/\(id % 10)", Data(text.utf8))
        }
        try await book.save()
      }
      var versions = Array(try await book.versions().reversed().dropFirst())
      #expect(versions.count == Self.saves)
      let bytes = versions.map(\.keptBytes)
      #expect(try #require(bytes.max()) < 4 << 10)
      // The last version costs what the first one did.
      #expect(try #require(bytes.last) < 2 * #require(bytes.first))
      print("bytes of a version: \(bytes.reduce(0, +) / UInt64(bytes.count)), of \(Self.saves) saves")
      for index in stride(from: 0, to: books.count, by: 7) {
        #expect(try await book.book(of: versions[index * 10]) == books[index])
      }
      // Every second one goes, and the others stay as they were.
      let removed = versions.indices.filter { $0 % 2 == 1 }.map { versions[$0].id }
      try await book.removeVersions(Set(removed))
      versions.removeAll { removed.contains($0.id) }
      for index in stride(from: 0, to: books.count, by: 5) {
        #expect(try await book.book(of: versions[index * 5]) == books[index])
      }
      try await book.restore(versions[0].id)
      #expect(try await book.book == books[0])
      try await book.close()
    }
  }
}
