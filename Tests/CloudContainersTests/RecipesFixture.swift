import CloudContainers
import Foundation
import GRDB
import ManagedDocuments
import ObjectStores
import SystemPackage
import TestSupport
import Testing

/// A document with a database on a machine: recipes with unique names, steps that refer to them, and pictures.
struct RecipesFixture {
  static let name = "Recipes.recipebook"

  let device: DeviceFixture
  var name = Self.name
  var url: URL { device.url.appending(path: name) }

  /// Makes the recipes of two machines, whose container is in a folder.
  static func two(_ one: String, _ other: String) async throws -> (RecipesFixture, RecipesFixture) {
    let place = folder.appending("store")
    try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: false)
    let store = try FolderStore(at: URL(filePath: place.string))
    return (
      RecipesFixture(device: try await DeviceFixture(one, store)),
      RecipesFixture(device: try await DeviceFixture(other, store))
    )
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("recipes") { db in
      try db.execute(
        sql: """
          CREATE TABLE recipe(id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE, minutes INTEGER, notes TEXT);
          CREATE TABLE step(id INTEGER PRIMARY KEY, recipe TEXT NOT NULL REFERENCES recipe ON DELETE CASCADE, text TEXT);
          """)
    }
    return migrator
  }

  static var extendedMigrator: DatabaseMigrator {
    var migrator = migrator
    migrator.registerMigration("stars") { db in
      try db.execute(sql: "ALTER TABLE recipe ADD COLUMN stars INTEGER")
    }
    return migrator
  }

  func options(_ policy: MergePolicy = .error, _ migrator: DatabaseMigrator = migrator)
    -> ManagedDocumentOptions
  {
    var options = ManagedDocumentOptions(migrator: migrator)
    options.mergePolicy = policy
    options.autosave = nil
    return options
  }

  func open(_ policy: MergePolicy = .error, _ migrator: DatabaseMigrator = migrator) async throws
    -> ManagedDocument
  {
    try await ManagedDocument.open(at: url, options: options(policy, migrator))
  }

  /// Opens the document as an application, makes one edit and closes it.
  func edit(
    _ sql: String, files: [String: String?] = [:], _ policy: MergePolicy = .error,
    _ migrator: DatabaseMigrator = migrator
  ) async throws {
    let document = try await open(policy, migrator)
    try await document.edit { db, content in
      try db.execute(sql: sql)
      for (path, text) in files.sorted(by: { $0.key < $1.key }) {
        if let text { try content.write(path, Data(text.utf8)) } else { try content.remove(path) }
      }
    }
    try await document.close()
  }

  private var package: ManagedPackage {
    get throws { try #require(try ManagedPackage(at: url)) }
  }

  func rows(_ sql: String) async throws -> [String] {
    try await package.read { db, _ in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { $0.isNull ? "~" : "\($0.storage.value ?? "")" }.joined(separator: " ")
      }
    }
  }

  func recipes() async throws -> [String] {
    try await rows("SELECT id, name, minutes, notes FROM recipe ORDER BY id")
  }

  func conflicts() async throws -> [RowConflict] {
    try await package.read { db, _ in try RowConflict.fetchAll(db) }
  }

  func digest() async throws -> String { try await package.contentDigest() }

  /// The bytes of the files under their visible names.
  func files() throws -> [String: String] {
    let folder = url.appending(path: "AdditionalContent")
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      if let bytes = FileManager.default.contents(atPath: folder.appending(path: path).path) {
        files[path] = String(decoding: bytes, as: UTF8.self)
      }
    }
    return files
  }

  /// Checks that the document is whole: the database, and each file against its row.
  func check() async throws {
    let report = try await package.verify()
    #expect(report.isAsSaved, "\(report)")
  }
}
