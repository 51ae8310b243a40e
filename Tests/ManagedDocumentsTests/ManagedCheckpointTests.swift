import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("The write-ahead log of an open document", .tags(.scale), .temporaryDirectory)
struct ManagedCheckpointTests {
  private static let megabyte = 1 << 20

  /// A checkpoint has the lock that another program's transaction has (MC1).
  @Test func `comes into the database only while no other program writes`() async throws {
    let book = try await fixture.open()
    try await book.add(Recipe(id: 1, title: "Soup"))
    try await book.saveAndPublish()
    let store = fixture.url.appending(path: "StoreContent/persistentStore")
    let before = try Data(contentsOf: store)
    let configuration = with(Configuration()) { $0.allowsUnsafeTransactions = true }
    let other = try DatabaseQueue(path: store.path, configuration: configuration)
    try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    try await book.savePresentedItemChanges()
    #expect(try Data(contentsOf: store) == before, "no page comes beside the transaction")
    #expect(try fixture.logSize > 0)

    try await other.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
    try other.close()
    try await book.savePresentedItemChanges()
    #expect(try Data(contentsOf: store) != before)
    #expect(try fixture.logSize == 0)
    #expect(try await book.book.titles == ["Soup"])
    try await book.close()
  }

  /// The library decides when, and not SQLite after a commit (MC1).
  @Test func `has no checkpoint of SQLite's own, whatever the program configures`() async throws {
    let book = try await fixture.open {
      $0.configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 1") }
    }
    let pages = { @Sendable (db: Database) in try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint") }
    #expect(try await book.read { db, _ in try pages(db) } == 0)
    #expect(try await book.edit { db, _ in try pages(db) } == 0)
    try await book.close()
  }

  /// Checkpoints follow the saves, and edits wait for them (MC2).
  @Test func `stays bounded over 2,000 saves`() async throws {
    let events = PublishingList()
    let book = try await fixture.open {
      $0.clock = ManualClock()
      $0.eventHandler = { events.add($0) }
    }
    var (largest, written, emptied, last) = (0, 0, 0, 0)
    for number in 1...2_000 {
      let notes = String(repeating: "n", count: 4_000)
      try await book.edit { db, _ in
        try Recipe(id: 1, title: "\(number)", notes: notes).upsert(db)
      }
      try await book.save()
      let size = try fixture.logSize
      (written, last) = (written + max(0, size - last), size)
      largest = max(largest, size)
      if number % 50 == 0 {
        try await book.synchronize()
        if try fixture.logSize < last { emptied += 1 }
        last = try fixture.logSize
      }
    }
    #expect(written > 20 * Self.megabyte)
    #expect(largest < 8 * Self.megabyte)
    #expect(emptied >= 3)
    #expect(events.published.last?.generation == 2_001)
    try await book.close()
    let again = try await fixture.open()
    #expect(try await again.book.titles == ["2000"])
    try await again.close()
  }

  /// A reader of an older moment prevents the emptying (MC3).
  @Test func `grows beside a long reader, and is emptied after its end`() async throws {
    let book = try await fixture.open {
      $0.clock = ManualClock()
      $0.undo = nil
    }
    func save(_ numbers: ClosedRange<Int>) async throws {
      for number in numbers {
        // Other bytes each time: SQLite writes no page that stays the same.
        let notes = String(repeating: "\(number % 10)", count: 100_000)
        try await book.edit { db, _ in
          try Recipe(id: 1, title: "\(number)", notes: notes).upsert(db)
        }
        try await book.saveAndPublish()
      }
    }
    try await save(1...2)
    let gate = Gate()
    async let old = book.read { db, _ in
      let before = try Recipe.fetchAll(db).map(\.title)
      gate.enter()
      return (before, try Recipe.fetchAll(db).map(\.title))
    }
    try await gate.entered()
    try await save(3...102)
    #expect(try fixture.logSize > 8 * Self.megabyte)
    gate.leave()
    let (before, after) = try await old
    #expect(before == ["2"] && after == ["2"], "the reader sees its moment")
    try await save(103...103)
    #expect(try fixture.logSize < Self.megabyte)
    #expect(try await book.book.titles == ["103"])
    try await book.close()
  }
}

extension BookFixture {
  var logSize: Int {
    get throws {
      let log = url.appending(path: "StoreContent/persistentStore-wal").path
      return try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0
    }
  }
}
