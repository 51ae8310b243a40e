import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

// (MT4)
@Suite("The sums of a document with a database", .temporaryDirectory)
struct ManagedSumTests {
  @Test func `are right after creation, and after each closing`() async throws {
    try await fixture.open().close()
    #expect(try fixture.metadata.databasePath == "StoreContent/persistentStore")
    #expect(try await fixture.verified().lines == ["whole: 2 children, 0 B"])
    let steps: [@Sendable (Database, AdditionalContentEditor) throws -> Void] = [
      { db, content in
        try Recipe(id: 1, title: "Rösti").insert(db)
        try content.write("Pictures/Winter/1.jpeg", Data("golden".utf8))
      },
      { _, content in try content.write("Pictures/2.jpeg", Data(count: 300_000)) },
      { _, content in try content.write("Pictures/Winter/1.jpeg", Data("brown".utf8)) },
      { _, content in try content.move("Pictures/Winter/1.jpeg", to: "Autumn/1.jpeg") },
      { db, _ in try Recipe(id: 2, title: "Soup").insert(db) },
      { _, content in
        try content.remove("Pictures/2.jpeg")
        try content.write("Autumn/1", Data())
      },
      { _, content in
        for path in try content.paths() { try content.remove(path) }
      },
    ]
    for (number, step) in steps.enumerated() {
      let book = try await fixture.open()
      try await book.edit("", step)
      try await book.save()
      try await book.undo()
      try await book.save()
      try await book.redo()
      try await book.close()
      let report = try await fixture.verified()
      #expect(report.isWhole, "step \(number): \(report)")
    }
    #expect(try await fixture.verified().lines == ["whole: 2 children, 0 B"])
  }

  @Test func `differ as the rows do, also in the letters of a text that a collation takes for equal`()
    async throws
  {
    try await fixture.open().close()
    let other = fixture.url.deletingLastPathComponent().appending(path: "Other.recipebook")
    try FileManager.default.copyItem(at: fixture.url, to: other)
    for (url, rows) in [
      (fixture.url, "('a', 'Lake', 1), ('b', 'Hut', 1)"), (other, "('a', 'lake', 1), ('b', 'Hut', 1.0)"),
    ] {
      let queue = try DatabaseQueue(path: url.appending(path: "StoreContent/persistentStore").path)
      try await queue.write { db in
        try db.execute(
          sql:
            "CREATE TABLE place(id TEXT PRIMARY KEY, name TEXT COLLATE NOCASE, size); INSERT INTO place VALUES \(rows)"
        )
        // A row without an identity does not count.
        try db.execute(sql: "INSERT INTO place VALUES (NULL, '\(url.lastPathComponent)', 0)")
      }
      try queue.close()
    }
    let packages = [
      try #require(try ManagedPackage(at: fixture.url)), try #require(try ManagedPackage(at: other)),
    ]
    #expect(try await packages[0].contentDigest() != packages[1].contentDigest())
    let differences = try await packages[0].differences(to: packages[1])
    #expect("\(differences)" == "place: 2 updated" && differences.files.isEmpty)
    #expect(try await packages[0].differences(to: packages[0]).isEmpty)
  }

  @Test func `show a file that another program changed, added or removed`() async throws {
    try await fixture.openRösti(picture: "golden").close()
    let picture = fixture.url.appending(path: "AdditionalContent/Pictures/1.jpeg")
    let other = fixture.url.appending(path: "AdditionalContent/other")
    try Data("black".utf8).write(to: picture)
    #expect(try await !fixture.verified().isWhole)
    try Data("golden".utf8).write(to: picture)
    #expect(try await fixture.verified().isWhole)
    try Data().write(to: other)
    #expect(try await !fixture.verified().isWhole)
    try FileManager.default.removeItem(at: other)
    #expect(try await fixture.verified().isWhole)
    // The database checks itself.
    try Data("x".utf8).write(to: fixture.url.appending(path: "StoreContent/persistentStore-journal"))
    #expect(try await fixture.verified().isWhole)
  }

  @Test func `count the mode that a save keeps`() async throws {
    var book = try await fixture.open()
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.close()
    let picture = fixture.url.appending(path: "AdditionalContent/Pictures/1.jpeg").path
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: picture)
    #expect(try await !fixture.verified().isWhole)
    book = try await fixture.open()
    try await book.write("Pictures/1.jpeg", "brown")
    try await book.close()
    #expect(try await fixture.verified().isWhole)
  }

  @Test func `stay an application's own value, if it is no path in a folder`() throws {
    let values: [String: PropertyListValue] = ["Database": .string("Main")]
    let metadata = try PackageMetadata(decoding: PackageMetadata(applicationValues: values).encoded())
    #expect(metadata.databasePath == nil)
    #expect(metadata.applicationValues == values)
  }
}

extension BookFixture {
  var metadata: PackageMetadata {
    get throws { try #require(try PackageMetadata.read(from: folder.appending(name))) }
  }

  /// Compares the closed document with its sums, as a program does that knows no databases.
  func verified() async throws -> VerificationReport {
    try await PackageStore.reading(at: url) { try await $0.verify() }
  }
}
