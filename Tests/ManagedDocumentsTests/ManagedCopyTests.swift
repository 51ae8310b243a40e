import Foundation
import GRDB
import ManagedDocuments
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A copy of a document with a database", .temporaryDirectory)
struct ManagedCopyTests {
  @Test func `is a document by itself, with all edits so far and nothing to undo`() async throws {
    let book = try await fixture.openRösti(picture: "golden")
    try await book.save()
    try await book.edit { _, content in try content.write("large", Data(count: 300_000)) }
    try await book.add(Recipe(id: 2, title: "Soup"), picture: "brown")
    try await book.edit { db, content in
      try db.execute(sql: "DELETE FROM recipe WHERE id = 1")
      try content.remove("Pictures/1.jpeg")
    }
    let copy = fixture.sibling("Copy.recipebook")
    let report = try await book.copy(to: copy.url)
    #expect(report.written.contains("StoreContent/persistentStore") || report.reused > 0)
    #expect(await book.hasUnsavedChanges)
    let expected = try await book.book
    let digest = try await book.contentDigest()
    try await book.undo()
    #expect(try await book.contentDigest() != digest)

    #expect(try copy.names() == [".docpkg", "AdditionalContent", "Metadata.plist", "StoreContent"])
    #expect(try copy.names(in: "StoreContent") == ["persistentStore"])
    let header = try Data(contentsOf: copy.store)[18...19]
    #expect(Array(header) == [2, 2], "a database with a write-ahead log")
    #expect(try await copy.verified().isWhole, "the sums are right")
    #expect(try copy.metadata.identifier != fixture.metadata.identifier)
    #expect(try copy.metadata.generation == 1)
    let package = try #require(try ManagedPackage(at: copy.url))
    #expect(try await package.verify().lines == ["whole: 5 children, 300 KB"])
    #expect(try await package.contentDigest() == digest)

    let opened = try await copy.open()
    #expect(try await opened.book == expected)
    #expect(await !opened.hasUnsavedChanges)
    #expect(try await !opened.undo())
    try await opened.write("Pictures/2.jpeg", "black")
    try await opened.save()
    try await opened.undo()
    #expect(try await opened.book == expected)
    try await opened.close()
    #expect(try await copy.verified().isWhole)
    #expect(try copy.metadata.identifier != fixture.metadata.identifier, "it has its own identifier for good")
    try await book.close()
    #expect(try await fixture.verified().isWhole)
  }

  @Test func `does not take the place of another file`() async throws {
    let book = try await fixture.open()
    let copy = fixture.sibling("Copy.recipebook")
    try Data("other".utf8).write(to: URL(filePath: copy.url.path))
    let error = await documentError { try await book.copy(to: copy.url) }
    #expect(error?.fileError?.code == .fileExists)
    #expect(try String(contentsOfFile: copy.url.path, encoding: .utf8) == "other")
    try await book.close()
    let closed = await documentError { try await book.copy(to: copy.url) }
    #expect(closed?.code == .closed)
  }

  // (ME1, ME2): each copy, digest and verification is of one moment.
  @Test(arguments: [false, true]) func `is of one moment, also while the original is edited`(
    inAnotherProcess: Bool
  ) async throws {
    let writer = Writer(fixture)
    try await writer.prepare()
    let writing = Task { try await inAnotherProcess ? writer.runProcess() : writer.run() }
    let package = try #require(try ManagedPackage(at: fixture.url))
    for number in 1...10 {
      let copy = fixture.sibling("Copy \(number).recipebook")
      try await package.copy(to: copy.url)
      try await Writer.expectOneRound(#require(try ManagedPackage(at: copy.url)))
      #expect(try await copy.verified().isWhole)
      let report = try await package.verify()
      #expect(report.isWhole, "\(report)")
      try await Writer.expectOneRound(package)
      try FileManager.default.removeItem(at: copy.url)
    }
    writer.isDone.store(true, ordering: .relaxed)
    #expect(try await writing.value > 0)
    #expect(try await package.verify().isWhole)
  }

  @Test func `has the digest of its rows and files, whatever its pages are`() async throws {
    let other = fixture.sibling("Other.recipebook")
    let (one, two) = (try await fixture.open(), try await other.open { $0.undo = nil })
    for id in 1...200 { try await one.add(Recipe(id: Int64(id), title: "Recipe \(id)")) }
    for id in (1...250).reversed() { try await two.add(Recipe(id: Int64(id), title: "Recipe \(id)")) }
    try await two.execute("DELETE FROM recipe WHERE id > 200")
    try await one.write("a/b", "1")
    try await two.write("a/b", "1")
    try await one.save()
    let digest = try await one.contentDigest()
    #expect(try await two.contentDigest() == digest)
    let changes: [@Sendable (Database, AdditionalContentEditor) throws -> Void] = [
      { db, _ in try db.execute(sql: "UPDATE recipe SET servings = 3 WHERE id = 7") },
      { db, _ in try db.execute(sql: "DELETE FROM recipe WHERE id = 7") },
      { db, _ in try db.execute(sql: "UPDATE recipe SET title = '7', notes = 'Recipe' WHERE id = 7") },
      { _, content in try content.write("a/b", Data("2".utf8)) },
      { _, content in try content.move("a/b", to: "a/c") },
    ]
    for change in changes {
      try await one.edit("", change)
      #expect(try await one.contentDigest() != digest)
      try await one.undo()
      #expect(try await one.contentDigest() == digest)
    }
    try await closeAll(one, two)
    #expect(try await ManagedPackage(at: fixture.url)?.contentDigest() == digest)
  }
}

/// Edits rows and files together, so that their numbers agree in each transaction.
final class Writer: Sendable {
  let fixture: BookFixture
  /// Ends the rounds.
  let isDone = Atomic(false)

  init(_ fixture: BookFixture) { self.fixture = fixture }

  func prepare() async throws {
    let book = try await fixture.open()
    try await edit(book, 0)
    try await book.close()
  }

  /// - Returns: the number of rounds.
  func run() async throws -> Int {
    let book = try await fixture.open { $0.undo?.levels = 2 }
    var round = 0
    while !isDone.load(ordering: .relaxed) {
      round += 1
      try await edit(book, round)
      if round % 3 == 0 { try await book.save() }
    }
    try await book.close()
    return round
  }

  private func edit(_ book: ManagedDocument, _ round: Int) async throws {
    try await book.edit { db, content in
      for id in 1...3 {
        try db.execute(
          sql: "INSERT OR REPLACE INTO recipe(id, title, notes, servings) VALUES (?, ?, '', 1)",
          arguments: [id, "\(round)"])
        let rest = id == 3 ? String(repeating: "x", count: 300_000) : ""
        try content.write("Pictures/\(id)", Data("\(round) \(rest)".utf8))
      }
    }
  }

  /// Has another process make rounds.
  func runProcess() async throws -> Int {
    var round = 1
    while !isDone.load(ordering: .relaxed) {
      let (first, last) = (round, round + 9)
      let run = try await waiting { [fixture] in
        try Program("bookkeeper").run(
          [fixture.url.path, "\(first)", "\(last)"], in: fixture.folder, input: "")
      }
      #expect(run.status == 0, "\(run.output)")
      round += 10
    }
    return round
  }

  /// Checks that rows and files are of one round.
  static func expectOneRound(_ package: ManagedPackage) async throws {
    let rounds = try await package.read { db, content in
      var rounds = Set(try String.fetchAll(db, sql: "SELECT title FROM recipe"))
      for path in try content.paths() where path.hasPrefix("Pictures/") {
        let bytes = try content.read(path)
        rounds.insert(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
      }
      return rounds
    }
    #expect(rounds.count == 1, "rows and files of rounds \(rounds)")
  }
}

extension BookFixture {
  /// A document beside this one.
  func sibling(_ name: String) -> BookFixture { BookFixture(folder: folder, name: name) }
}
