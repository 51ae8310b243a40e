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
