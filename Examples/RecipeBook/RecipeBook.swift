// A recipe book with pictures: a document with a database inside. The steps are those of a UIManagedDocument.

import Foundation
import GRDB
import ManagedDocuments

/// A row of the book.
struct Recipe: Codable, Sendable, Identifiable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var title: String
  var servings: Int
  /// The place of the picture in the additional content.
  var picture: String?

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The type of the document.
enum RecipeBook {
  static var options: ManagedDocumentOptions {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: recipes") { db in
      try db.create(table: "recipe") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("title", .text).notNull()
        table.column("servings", .integer).notNull()
        table.column("picture", .text)
      }
    }
    var options = ManagedDocumentOptions(migrator: migrator)
    options.mergePolicy = .mergeByPropertyObjectTrump
    options.errorHandler = { print("error: \($0)") }
    return options
  }
}

extension ManagedDocument {
  /// Adds a recipe with its picture. Row and file are one edit.
  func addRecipe(_ title: String, servings: Int, picture: Data) async throws {
    try await edit("Add \(title)") { db, content in
      var recipe = Recipe(title: title, servings: servings)
      try recipe.insert(db)
      recipe.picture = "Pictures/\(recipe.id ?? 0).jpeg"
      try recipe.update(db)
      try content.write(recipe.picture ?? "", picture)
    }
  }

  var titles: [String] {
    get async throws { try await read { db, _ in try Recipe.fetchAll(db).map(\.title) } }
  }
}

@main
struct Example {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "Swiss.recipebook")

    // Open or create: one call. The program need not look whether the document exists.
    let book = try await ManagedDocument.open(at: url, options: RecipeBook.options)

    // State changes.
    let states = Task {
      for await state in await book.stateChanges {
        print("state: \(state)")
        if state == .closed { return }
      }
    }

    // Changes appear in queries that are observed.
    let titles = Task {
      for try await titles in book.observe({ db in try Recipe.fetchAll(db).map(\.title) }) {
        if titles.count == 2 { return titles }
      }
      return []
    }
    try await book.addRecipe("Rösti", servings: 4, picture: Data("golden".utf8))
    try await book.addRecipe("Raclette", servings: 6, picture: Data("melted".utf8))
    print("observed: \(try await titles.value)")

    // Undo takes rows and files back.
    print(try await book.undo.state.undoMenuItemTitle)
    try await book.undo()
    print("after undo: \(try await book.titles), unsaved: \(await book.hasUnsavedChanges)")
    try await book.redo()

    // A manual save. The document would save by itself after two seconds of quiet.
    print(try await book.save())
    try await book.close()
    await states.value

    // The files are ordinary files, and the database is one that any SQLite program reads.
    let picture = url.appending(path: "AdditionalContent/Pictures/1.jpeg")
    print("picture: \(try String(contentsOf: picture, encoding: .utf8))")
    let again = try await ManagedDocument.open(at: url, options: RecipeBook.options)
    print("opened again: \(try await again.titles)")
    try await again.close()
  }
}
