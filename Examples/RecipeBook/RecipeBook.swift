// A recipe book with pictures: a document with a database inside. The steps are those of a UIManagedDocument.
//
// usage: RecipeBook                                     runs the steps once
//        RecipeBook BOOK add TITLE SERVINGS PICTURE     adds a recipe with a picture's file
//        RecipeBook BOOK serve TITLE SERVINGS           changes a recipe
//        RecipeBook BOOK remove TITLE                   removes a recipe
//        RecipeBook BOOK list                           lists the recipes, and what two machines changed differently
//        RecipeBook BOOK take-other                     takes the other machine's values of these

import Foundation
import GRDB
import ManagedDocuments

/// A row of the book. Its key is a UUID, so that the recipes of two machines never have one key.
struct Recipe: Codable, Sendable, Identifiable, FetchableRecord, PersistableRecord {
  var id = UUID()
  var title: String
  var servings: Int

  /// The place of the picture in the additional content.
  var picture: String { "Pictures/\(id).jpeg" }
}

/// The type of the document.
enum RecipeBook {
  static var options: ManagedDocumentOptions {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: recipes") { db in
      try db.create(table: "recipe") { table in
        table.primaryKey("id", .blob)
        table.column("title", .text).notNull()
        table.column("servings", .integer).notNull()
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
      let recipe = Recipe(title: title, servings: servings)
      try recipe.insert(db)
      try content.write(recipe.picture, picture)
    }
  }

  /// Changes the recipes with a title.
  func serve(_ title: String, _ servings: Int) async throws {
    try await edit("Change \(title)") { db, _ in
      try db.execute(sql: "UPDATE recipe SET servings = ? WHERE title = ?", arguments: [servings, title])
    }
  }

  /// Removes the recipes with a title, and their pictures.
  func removeRecipe(_ title: String) async throws {
    try await edit("Remove \(title)") { db, content in
      for recipe in try Recipe.filter(Column("title") == title).fetchAll(db) {
        try recipe.delete(db)
        try content.remove(recipe.picture)
      }
    }
  }

  var titles: [String] {
    get async throws {
      try await read { db, _ in try Recipe.order(Column("title")).fetchAll(db).map(\.title) }
    }
  }

  /// The rows that two machines changed in different ways.
  var conflicts: [RowConflict] {
    get async throws { try await read { db, _ in try RowConflict.fetchAll(db) } }
  }

  func list() async throws {
    let lines = try await read { db, content in
      try Recipe.order(Column("title")).fetchAll(db).map { recipe in
        "\(recipe.title), for \(recipe.servings), a picture of \(try content.read(recipe.picture).count) bytes"
      }
    }
    for line in lines { print(line) }
    for conflict in try await conflicts {
      print(
        "\(conflict.table): \(conflict.changed(conflict.present)); the other: \(conflict.changed(conflict.other))"
      )
    }
  }

  /// Runs one command of a user.
  func run(_ words: [String]) async throws {
    switch (words.first, words.count) {
    case ("add", 4):
      try await addRecipe(
        words[1], servings: Int(words[2]) ?? 2, picture: Data(contentsOf: URL(filePath: words[3])))
    case ("serve", 3): try await serve(words[1], Int(words[2]) ?? 2)
    case ("remove", 2): try await removeRecipe(words[1])
    case ("list", 1): try await list()
    case ("take-other", 1):
      let choices = try await conflicts.map { ($0.id, RowConflict.Choice.other) }
      try await resolve(Dictionary(uniqueKeysWithValues: choices))
    default: print("The first lines of RecipeBook.swift have the commands.")
    }
  }
}

extension RowConflict {
  /// The changed values of a row in words.
  func changed(_ row: [String: DatabaseValue]?) -> String {
    guard let row else { return "none" }
    let columns = changedColumns.isEmpty ? row.keys.sorted() : changedColumns
    return columns.map { "\($0) \(row[$0] ?? .null)" }.joined(separator: ", ")
  }
}

@main
struct Example {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let book = arguments.first else { return try await showSteps() }
    do {
      let document = try await ManagedDocument.open(at: URL(filePath: book), options: RecipeBook.options)
      try await document.run(Array(arguments.dropFirst()))
      try await document.close()
    } catch {
      print("RecipeBook: \(error)")
      exit(1)
    }
  }

  private static func showSteps() async throws {
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
    print(try await book.undoState.undoMenuItemTitle)
    try await book.undo()
    print("after undo: \(try await book.titles), unsaved: \(await book.hasUnsavedChanges)")
    try await book.redo()

    // A manual save. The document would save by itself after two seconds of quiet.
    print(try await book.save())
    try await book.close()
    await states.value

    // The files are ordinary files, and the database is one that any SQLite program reads.
    let again = try await ManagedDocument.open(at: url, options: RecipeBook.options)
    let name = try await again.read { db, _ in
      try Recipe.filter(Column("title") == "Rösti").fetchOne(db)?.picture
    }
    let picture = url.appending(path: "AdditionalContent/\(name ?? "")")
    print("picture: \(try String(contentsOf: picture, encoding: .utf8))")
    print("opened again: \(try await again.titles)")
    try await again.close()
  }
}
