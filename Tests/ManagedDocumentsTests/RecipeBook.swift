import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport

/// One row of the tests' documents.
struct Recipe: Codable, Sendable, Hashable, FetchableRecord, PersistableRecord {
  var id: Int64
  var title: String
  var notes = ""
  var servings = 2
}

/// A document of recipes with pictures, as an application declares it.
enum RecipeBook {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("recipes") { db in
      try db.create(table: "recipe") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("title", .text).notNull()
        table.column("notes", .text).notNull()
        table.column("servings", .integer).notNull()
      }
    }
    return migrator
  }

  /// Options without coordination and without autosave, so that no test depends on time.
  static func options(_ change: (inout ManagedDocumentOptions) -> Void = { _ in }) -> ManagedDocumentOptions {
    var options = ManagedDocumentOptions(migrator: migrator)
    options.autosave = nil
    options.isCoordinated = false
    options.undo?.groupingInterval = .zero
    change(&options)
    return options
  }
}

extension ManagedDocument {
  func add(_ recipe: Recipe, picture: String? = nil, named name: String = "") async throws {
    try await edit(name) { db, content in
      try recipe.insert(db)
      if let picture { try content.write("Pictures/\(recipe.id).jpeg", Data(picture.utf8)) }
    }
  }

  /// Runs statements as one edit.
  func execute(_ sql: String, arguments: StatementArguments = [], named name: String = "") async throws {
    try await edit(name) { db, _ in try db.execute(sql: sql, arguments: arguments) }
  }

  /// Rows and files of one moment.
  var book: Book {
    get async throws {
      try await read { db, content in
        var files: [String: String] = [:]
        for path in try content.paths() {
          files[path] = String(decoding: try content.read(path), as: UTF8.self)
        }
        return Book(recipes: try Recipe.order(Column("id")).fetchAll(db), files: files)
      }
    }
  }
}

/// The content of a document.
struct Book: Sendable, Hashable {
  var recipes: [Recipe] = []
  var files: [String: String] = [:]
  var titles: [String] { recipes.map(\.title) }
}

/// The document in the directory of the test.
var fixture: BookFixture { BookFixture(folder: folder) }

/// A folder with one document.
struct BookFixture: Sendable {
  let folder: FilePath
  var name = "Recipes.recipebook"
  var url: URL { URL(filePath: folder.appending(name).string, directoryHint: .isDirectory) }

  func open(_ change: (inout ManagedDocumentOptions) -> Void = { _ in }) async throws -> ManagedDocument {
    try await ManagedDocument.open(at: url, options: RecipeBook.options(change))
  }

  /// Opens the document twice, as two programs do.
  func openTwice(
    _ change: (inout ManagedDocumentOptions) -> Void = { _ in }
  ) async throws -> (ManagedDocument, ManagedDocument) {
    (try await open(change), try await open(change))
  }

  /// Opens a document, and adds its first recipe.
  func openRösti(picture: String? = nil) async throws -> ManagedDocument {
    let book = try await open()
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: picture)
    return book
  }

  /// Waits until no document is open after the last reference to one is gone.
  ///
  /// A thread that ran a task of the document's actor may hold it for a moment longer.
  func waitUntilClosed() async throws {
    let location = Location(folder.appending(name), on: PosixDisk())
    while try HiddenFolder.isInUse(location) { await Task.yield() }
  }

  /// The files below `AdditionalContent`, as other programs see them.
  var visibleFiles: [String: String] {
    get throws {
      var files: [String: String] = [:]
      let root = url.appending(path: "AdditionalContent").path
      for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init() {
        let file = root + "/" + path
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), !isDirectory.boolValue {
          files[path] = try String(contentsOfFile: file, encoding: .utf8)
        }
      }
      return files
    }
  }

  var generation: Int? {
    get throws { try PackageMetadata.read(from: folder.appending(name))?.generation }
  }

  func names(in path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.appending(path: path).path).sorted()
  }

  static func with(_ body: (BookFixture) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in try await body(BookFixture(folder: folder)) }
  }
}

/// Closes documents, one after the other.
func closeAll(_ documents: ManagedDocument...) async throws {
  for document in documents { try await document.close() }
}

/// Returns the error of a call that must fail with a `DocumentError`.
func documentError(_ body: () async throws -> Void) async -> DocumentError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? DocumentError
  }
}

extension ManagedDocument {
  /// Writes a file of the content.
  func write(_ path: String, _ text: String) async throws {
    try await edit { _, content in try content.write(path, Data(text.utf8)) }
  }

  /// Writes a file of the content, and saves, until the visible file is the one of the save.
  func publish(_ path: String, _ text: String) async throws {
    try await write(path, text)
    try await saveAndPublish()
  }
}

extension LiveDocument {
  /// Saves, and waits until the visible files are those of the save.
  func saveAndPublish() async throws {
    try await save()
    try await synchronize()
  }
}
