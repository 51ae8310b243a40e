import CSQLiteSession
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

/// Databases in files of one folder: a base, and copies of it that are changed apart and merged.
struct MergedDatabases {
  let folder: FilePath

  func path(_ name: String) -> String { folder.appending(name).string }

  func copy(_ name: String, to other: String) throws {
    try? FileManager.default.removeItem(atPath: path(other))
    try FileManager.default.copyItem(atPath: path(name), toPath: path(other))
  }

  // MARK: Editing

  /// Calls `body` with a connection of a program, on which triggers run and foreign keys hold.
  @discardableResult
  func edit<Result>(_ name: String, _ body: (Database) throws -> Result) throws -> Result {
    try with(open(name, forMerging: false)) { try $0.write(body) }
  }

  /// Calls `body` with a connection, and closes it: it would lock the file until it is gone.
  private func with<Result>(
    _ queue: DatabaseQueue, _ body: (DatabaseQueue) throws -> Result
  ) throws -> Result {
    let result = Swift.Result { try body(queue) }
    try queue.close()
    return try result.get()
  }

  func edit(_ name: String, _ sql: String) throws { try edit(name) { db in try db.execute(sql: sql) } }

  func make(_ name: String, _ sql: String) throws {
    try edit(name) { db in
      try PrivateTables.make(on: db)
      try db.execute(sql: sql)
    }
  }

  func open(_ name: String, forMerging: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = !forMerging
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
      if forMerging { _ = csqlite_disable_triggers(db.sqliteConnection) }
    }
    return try DatabaseQueue(path: path(name), configuration: configuration)
  }

  /// Returns the rows of a query, each as one text with its values, and `~` for NULL.
  func rows(_ name: String, _ sql: String) throws -> [String] {
    try edit(name) { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { $0.isNull ? "~" : ($0.storage.value.map { "\($0)" } ?? "~") }.joined(
          separator: " ")
      }
    }
  }

  func digest(_ name: String) throws -> String { try edit(name) { try RowDigest.hexadecimal(of: $0) } }

  func conflicts(_ name: String) throws -> [RowConflict] { try edit(name) { try RowConflict.fetchAll($0) } }

  // MARK: Merging

  /// Merges `theirs` into `ours`, and checks that the changes of the merge, taken back, leave `ours` as it was.
  @discardableResult
  func merge(
    _ policy: MergePolicy = .mergeByPropertyStoreTrump, ours: String = "ours", theirs: String = "theirs",
    base: String = "base", checksUndo: Bool = true, preparing: (Database) -> Void = { _ in }
  ) throws -> RowMergeOutcome {
    let before = checksUndo ? try digest(ours) : ""
    let (outcome, changeset) = try recordedMerge(policy, ours, theirs, base, preparing)
    if checksUndo {
      let copy = "\(ours)-undone"
      try self.copy(ours, to: copy)
      try with(open(copy, forMerging: true)) { queue in
        try queue.write { db in try changeset.takeBack(on: db) }
      }
      #expect(try digest(copy) == before, "the merge can be taken back")
      try check(copy)
    }
    return outcome
  }

  private func recordedMerge(
    _ policy: MergePolicy, _ ours: String, _ theirs: String, _ base: String, _ prepare: (Database) -> Void
  ) throws -> (RowMergeOutcome, Changeset) {
    try with(open(ours, forMerging: true)) { queue in
      let recorder = queue.inDatabase { ChangeRecorder(on: $0) }
      defer { queue.inDatabase { recorder.release(on: $0) } }
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "ATTACH ? AS base_db", arguments: ["file:\(path(base))?mode=ro"])
        try db.execute(sql: "ATTACH ? AS theirs_db", arguments: ["file:\(path(theirs))?mode=ro"])
      }
      return try queue.write { db in
        prepare(db)
        return try recorder.recording(db, 1) {
          try RowMerge.run(
            in: db, base: "base_db", theirs: "theirs_db", policy, at: Date(timeIntervalSince1970: 0))
        }
      }
    }
  }

  /// Checks the indexes, the foreign keys and the full-text tables.
  func check(_ name: String) throws {
    #expect(try rows(name, "PRAGMA integrity_check") == ["ok"])
    #expect(try rows(name, "PRAGMA foreign_key_check") == [])
    try edit(name) { db in
      let tables = try String.fetchAll(
        db,
        sql:
          "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%' AND sql NOT LIKE '%content=''''%'"
      )
      for table in tables {
        try db.execute(sql: "INSERT INTO \"\(table)\"(\"\(table)\", rank) VALUES ('integrity-check', 1)")
      }
    }
  }
}

/// Returns the reason why databases are not merged.
func mergeProblem(_ body: () throws -> Void) throws -> MergeProblem? {
  do {
    try body()
    return nil
  } catch let problem as MergeProblem {
    return problem
  }
}

extension MergedDatabases {
  /// Makes a database `base` of these statements, and its copies `ours` and `theirs`.
  init(_ sql: String, in folder: FilePath = TestSupport.folder) throws {
    self.init(folder: folder)
    try make("base", sql)
    try copy("base", to: "ours")
    try copy("base", to: "theirs")
  }

  /// Calls `body` with databases in a folder of their own.
  static func with(_ sql: String, _ body: (MergedDatabases) throws -> Void) async throws {
    try await withTemporaryDirectory { try body(MergedDatabases(sql, in: $0)) }
  }
}
