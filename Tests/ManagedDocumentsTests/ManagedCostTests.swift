import GRDB
import ManagedDocuments
import Synchronization
import TestSupport
import Testing

// MD5 The cost of an edit depends on its changes, and not on the rows of the database or on earlier edits.

@Suite("The cost of edits and saves")
struct ManagedCostTests {
  private static let edits = 200
  /// Bytes of a page in the write-ahead log, with its header.
  private static let frame = 4_096.0 + 24

  /// Edits one row after the other.
  ///
  /// - Parameter saves: whether to save after each edit, and count only that.
  /// - Returns: for each edit or save, the pages in the write-ahead log and the statements.
  private func cost(
    rows: Int, undo: Bool, saves: Bool = false
  ) async throws -> (pages: Double, statements: Double) {
    var cost = (pages: 0.0, statements: 0.0)
    try await BookFixture.with { fixture in
      let filled = try await fixture.open { $0.undo = nil }
      try await filled.execute(
        """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
        INSERT INTO recipe SELECT n, 'Recipe ' || n, '', 2 FROM number
        """, arguments: [rows])
      try await filled.close()
      let counter = StatementCounter()
      let book = try await fixture.open {
        if !undo { $0.undo = nil }
        // No publishing and no checkpoint comes between.
        $0.clock = ManualClock()
        $0.watchesDisk = false
        $0.configuration.prepareDatabase { db in db.trace { _ in counter.add() } }
      }
      try await book.execute("UPDATE recipe SET servings = 3 WHERE id = 1")
      var (before, counted) = (try fixture.logSize, counter.count)
      var (bytes, statements) = (0, 0)
      for edit in 1...Self.edits {
        let id = (edit * 7_919) % rows + 1
        try await book.edit { db, _ in
          try db.cachedStatement(sql: "UPDATE recipe SET servings = servings + 1 WHERE id = ?")
            .execute(arguments: [id])
        }
        if saves {
          (before, counted) = (try fixture.logSize, counter.count)
          try await book.save()
        }
        bytes += try fixture.logSize - before
        statements += counter.count - counted
        (before, counted) = (try fixture.logSize, counter.count)
      }
      cost = (Double(bytes) / Self.frame / Double(Self.edits), Double(statements) / Double(Self.edits))
      try await book.close()
    }
    return cost
  }

  @Test func `of an edit is the same for many rows, and for the edits after many others`() async throws {
    let plain = try await cost(rows: 1_000, undo: false)
    let few = try await cost(rows: 1_000, undo: true)
    let many = try await cost(rows: 50_000, undo: true)
    // The row's page, and the page of the document's state.
    #expect(plain.pages <= 2.1 && plain.statements <= 6)
    // The row's page, and the pages of the change and of its index. Seven statements are those of SQLite's session.
    #expect(few.pages <= 3.3 && many.pages <= 3.3)
    #expect(few.statements == many.statements && few.statements <= 12)
  }

  // The commit (MS1): the head, the metadata with a new revision (MS2), and no page besides.
  @Test func `of a save is the same for many rows`() async throws {
    let few = try await cost(rows: 1_000, undo: true, saves: true)
    let many = try await cost(rows: 50_000, undo: true, saves: true)
    #expect(few.pages <= 2.1 && many.pages <= 2.1)
    #expect(few.statements == many.statements && few.statements <= 12)
  }
}

private final class StatementCounter: Sendable {
  private let counter = Mutex(0)
  var count: Int { counter.withLock { $0 } }
  func add() { counter.withLock { $0 += 1 } }
}
