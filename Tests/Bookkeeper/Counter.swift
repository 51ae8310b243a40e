import Foundation
import GRDB
import ManagedDocuments

/// Counts in a row and a file of its own, and in one row that all counters share, each time in one transaction.
enum Counter {
  /// The row that all counters share.
  static let shared = 100

  static func run(_ url: URL, _ options: ManagedDocumentOptions, number: Int) async throws {
    let book = try await ManagedDocument.open(at: url, options: options)
    Bookkeeper.say("open")
    for steps in 1... {
      let count = try await book.edit { db, content in try step(number, db, content) }
      Bookkeeper.say("edited \(count)")
      if steps % 3 == 0 {
        try await book.save()
        Bookkeeper.say("saved \(count)")
      }
      if steps % 7 == 0 {
        Bookkeeper.say("undoing")
        try await undo(book)
        Bookkeeper.say("edited \(try await book.read { db, _ in try title(number, db) })")
      }
    }
  }

  /// If the other program has counted meanwhile, the shared row is in conflict, and nothing is undone.
  private static func undo(_ book: ManagedDocument) async throws {
    do throws(DocumentError) {
      try await book.undo()
    } catch {
      if error.code != .conflict { throw error }
    }
  }

  private static func title(_ number: Int, _ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT CAST(title AS INTEGER) FROM recipe WHERE id = ?", arguments: [number])
      ?? 0
  }

  private static func step(_ number: Int, _ db: Database, _ content: AdditionalContentEditor) throws -> Int {
    let count = try title(number, db) + 1
    try db.execute(
      sql: "INSERT OR REPLACE INTO recipe VALUES (?, ?, '', 1)", arguments: [number, "\(count)"])
    try db.execute(
      sql: """
        INSERT INTO recipe VALUES (?, 'all', '', 1) ON CONFLICT (id) DO UPDATE SET servings = servings + 1
        """, arguments: [shared])
    // Each fourth file is large, and so is in a file of its own at once.
    let rest = count % 4 == 0 ? String(repeating: "x", count: 300_000) : ""
    try content.write("counts/\(number)", Data("\(count) \(rest)".utf8))
    return count
  }
}
