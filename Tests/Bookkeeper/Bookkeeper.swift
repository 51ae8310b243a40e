import Foundation
import GRDB
import ManagedDocuments

/// Edits and saves a document of recipes, and tells each step that is done. Tests kill it, and break its system calls.
///
///     bookkeeper FOLDER FIRST LAST
///     bookkeeper FOLDER talk
///     bookkeeper FOLDER count NUMBER
///     bookkeeper FOLDER migrate
///     bookkeeper init|loop|check|naive FOLDER …
///
/// The first form makes rounds. A round gives all rows and all files the round's number, in one transaction, and saves.
/// FIRST = 0 makes the document. `talk` reads commands, and tells changes by other programs. `count` counts in a row
/// and a file of its own, beside other programs, until it is killed or its input ends. `migrate` opens the document with
/// one more migration, and closes it. The last form is for the tests of power cuts, which call `saver` in the same way.
@main
struct Bookkeeper {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { exit(64) }
    do {
      if let command = PowerCut.Command(rawValue: arguments[1]) {
        return try await PowerCut.run(command, Array(arguments.dropFirst(2)))
      }
      let url = URL(filePath: arguments[1], directoryHint: .isDirectory)
      switch arguments[2] {
      case "talk": try await Conversation.run(url, options)
      case "count":
        guard let number = Int(arguments.last ?? "") else { exit(64) }
        try await Counter.run(url, options, number: number)
      case "migrate":
        var options = options
        options.migrator?.registerMigration("stars") { db in
          try db.execute(
            sql: """
              ALTER TABLE recipe ADD COLUMN stars INTEGER NOT NULL DEFAULT 3;
              UPDATE recipe SET notes = 'migrated';
              """)
        }
        try await ManagedDocument.open(at: url, options: options).close()
        say("closed")
      default:
        guard arguments.count == 4, let first = Int(arguments[2]), let last = Int(arguments[3]) else {
          exit(64)
        }
        try await rounds(url, first, last)
      }
    } catch {
      say("failed: \(error)")
      exit(2)
    }
  }

  private static func rounds(_ url: URL, _ first: Int, _ last: Int) async throws {
    let book = try await ManagedDocument.open(at: url, options: options)
    for round in first...last {
      try await edit(book, round)
      say("edited \(round)")
      try await book.save()
      say("saved \(round)")
      // Publishing and a checkpoint. Other rounds are published beside the next edits.
      if round % 2 == 0 { try await book.savePresentedItemChanges() }
      if round == last - 1 {
        say("undoing \(round)")
        try await book.undo()
        try await book.redo()
        say("redone \(round)")
      }
    }
    try await book.close()
    say("closed")
  }

  /// Gives all rows and all files the round's number.
  static func edit(_ book: ManagedDocument, _ round: Int) async throws {
    try await book.edit("Round") { db, content in
      for id in 1...3 {
        try db.execute(
          sql: "INSERT OR REPLACE INTO recipe(id, title, notes, servings) VALUES (?, ?, '', 1)",
          arguments: [id, "\(round)"])
        try content.write("Pictures/\(id)", Data(text(round, id).utf8))
      }
      // One file is there in even rounds only.
      if round % 2 == 0 {
        try content.write("even", Data("\(round) ".utf8))
      } else if try content.fileExists("even") {
        try content.remove("even")
      }
    }
  }

  /// The content of a file. The third one is large.
  static func text(_ round: Int, _ id: Int) -> String {
    "\(round) " + (id == 3 ? String(repeating: "x", count: 300_000) : "")
  }

  static var options: ManagedDocumentOptions {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("recipes") { db in
      try db.create(table: "recipe") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("title", .text).notNull()
        table.column("notes", .text).notNull()
        table.column("servings", .integer).notNull()
      }
    }
    var options = ManagedDocumentOptions(migrator: migrator)
    options.autosave = nil
    options.isCoordinated = false
    return options
  }

  /// Without a buffer, so that a kill loses no line.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
