import DurableIO
import FoundationEssentials
import SystemPackage

/// One SQLite database in place of the folder, with a row for each child. A save is a transaction in the
/// write-ahead log, with a sync at its end.
class SQLiteStrategy: DirectSaveStrategy {
  class var name: String { "sqlite" }
  class var journalMode: String { "WAL" }

  private let database: SQLiteDatabase
  private let update: SQLiteDatabase.Statement

  required init(_ model: ModelPackage, at place: SavePlace) throws {
    if case .slower = place.flushing { try place.requireOwnDisk("SQLite") }
    database = try SQLiteDatabase(at: place.folder.appending("Package.sqlite").string)
    try database.run(
      """
      PRAGMA journal_mode = \(Self.journalMode);
      PRAGMA synchronous = \(place.flushing == .leftOut ? "OFF" : "FULL");
      CREATE TABLE children (name TEXT PRIMARY KEY, contents BLOB NOT NULL);
      BEGIN;
      """)
    let insert = try database.prepare("INSERT INTO children (contents, name) VALUES (?1, ?2)")
    for child in 0..<model.childCount {
      try insert.run(model.contents(of: child), model.name(of: child))
    }
    try insert.run(model.metadata, ModelPackage.metadataName)
    try database.run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE);")
    update = try database.prepare("UPDATE children SET contents = ?1 WHERE name = ?2")
  }

  func save(_ change: SaveChange) throws {
    try database.run("BEGIN IMMEDIATE")
    for (name, contents) in change.files { try update.run(contents, name) }
    try database.run("COMMIT")
  }

  func verify(_ model: ModelPackage) throws {
    var saved: [String: Int] = [:]
    for child in 0..<model.childCount { saved[model.name(of: child).string] = child }
    var isMetadataRight = false
    var count = 0
    try database.prepare("SELECT contents, name FROM children").forEachRow { contents, name in
      count += 1
      if name == ModelPackage.metadataName.string {
        isMetadataRight = model.metadata.elementsEqual(contents)
      } else if saved[name].map({ model.contents(of: $0).elementsEqual(contents) }) != true {
        throw WrongContents(description: "'\(name)' differs from the last save")
      }
    }
    guard isMetadataRight, count == model.childCount + 1 else {
      throw WrongContents(description: "the metadata or a child differs from the last save")
    }
  }
}

/// The strategy `sqlite` with a rollback journal, which each transaction makes and removes.
final class SQLiteRollbackStrategy: SQLiteStrategy {
  override class var name: String { "sqlite-delete" }
  override class var journalMode: String { "DELETE" }
}

extension SQLiteDatabase.Statement {
  fileprivate func run(_ contents: Data, _ name: FileName) throws {
    try contents.withUnsafeBytes { try run($0, name.string) }
  }
}
