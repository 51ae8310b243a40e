import Foundation
import GRDB
import ManagedDocuments

/// Reads a command from each line, and prints `done` and the command, with its result, or `failed` and the reason.
///
/// It prints `sees` and the rows at each change, and each event of the document.
enum Conversation {
  static func run(_ url: URL, _ basic: ManagedDocumentOptions) async throws {
    var options = basic
    options.eventHandler = { event in Bookkeeper.say("event \(event)") }
    options.errorHandler = { error in Bookkeeper.say("error \(error)") }
    let book = try await ManagedDocument.open(at: url, options: options)
    let observing = Task {
      for try await rows in book.observe({ try rows($0) }) { Bookkeeper.say("sees \(rows)") }
    }
    Bookkeeper.say("open")
    while let line = readLine(), line != "close" {
      do {
        let result = try await perform(line.split(separator: " ", maxSplits: 2).map(String.init), book)
        Bookkeeper.say("done \(line)\(result.isEmpty ? "" : ": \(result)")")
      } catch {
        Bookkeeper.say("failed \(line): \(error)")
      }
    }
    observing.cancel()
    try await book.close()
    Bookkeeper.say("closed")
  }

  private static func rows(_ db: Database) throws -> String {
    let rows = try Row.fetchAll(db, sql: "SELECT id, title, servings FROM recipe ORDER BY id")
    return rows.map { "\($0[0] as Int)=\($0[1] as String)/\($0[2] as Int)" }.joined(separator: " ")
  }

  private static func perform(_ words: [String], _ book: ManagedDocument) async throws -> String {
    let second = words.dropFirst().first ?? ""
    let third = words.dropFirst(2).first ?? ""
    switch words.first {
    case "add": try await edit(book, "INSERT INTO recipe VALUES (?, ?, '', 1)", [second, third])
    case "title": try await edit(book, "UPDATE recipe SET title = ? WHERE id = ?", [third, second])
    case "servings": try await edit(book, "UPDATE recipe SET servings = ? WHERE id = ?", [third, second])
    case "write":
      try await book.edit { _, content in try content.write(second, Data(third.utf8)) }
    // The name and that many bytes.
    case "fill":
      let bytes = Data(second.utf8) + Data(repeating: 120, count: Int(third) ?? 0)
      try await book.edit { _, content in try content.write(second, bytes) }
    case "read":
      return try await book.read { _, content in String(decoding: try content.read(second), as: UTF8.self) }
    case "rows": return try await book.read { db, _ in try rows(db) }
    case "save": try await book.save()
    case "undo": return "\(try await book.undo())"
    case "redo": return "\(try await book.redo())"
    case "unsaved": return "\(await book.hasUnsavedChanges)"
    case "state": return "\(await book.documentState)"
    default: return "unknown"
    }
    return ""
  }

  private static func edit(_ book: ManagedDocument, _ sql: String, _ arguments: [String]) async throws {
    try await book.edit { db, _ in try db.execute(sql: sql, arguments: .init(arguments)) }
  }
}
