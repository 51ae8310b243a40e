import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("The conflicts of a document", .temporaryDirectory)
struct ConflictTableTests {
  private static let schema =
    "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, a, b); INSERT INTO t VALUES ('r', 0, 0)"

  private static func makeConflict() throws -> (MergedDatabases, RowConflict) {
    let databases = try MergedDatabases(schema)
    try databases.edit("ours") { db in
      try db.execute(sql: "UPDATE t SET a = ?, b = 1", arguments: [Data([0, 255])])
    }
    try databases.edit("theirs", "UPDATE t SET a = 2.0")
    let outcome = try databases.merge()
    return (databases, try #require(outcome.conflicts.first))
  }

  /// Returns the reason why a conflict is not resolved.
  private static func problem(
    of conflict: RowConflict, _ side: MergeSide?, _ databases: MergedDatabases
  ) throws -> RowConflictError? {
    do {
      try databases.edit("ours") { db in try ConflictTable.resolve(conflict.id, taking: side, in: db) }
      return nil
    } catch let problem as RowConflictError {
      return problem
    }
  }

  @Test func `have all values with their types`() throws {
    let (databases, conflict) = try Self.makeConflict()
    #expect(try databases.conflicts("ours") == [conflict])
    #expect(conflict.changedColumns == ["a"])
    #expect(conflict.base == ["k": "r".databaseValue, "a": 0.databaseValue, "b": 0.databaseValue])
    #expect(conflict.ours?["a"] == Data([0, 255]).databaseValue)
    #expect(conflict.theirs?["a"] == 2.0.databaseValue)
    #expect(conflict.key == ["k": "r".databaseValue])
    #expect(try databases.rows("ours", "SELECT typeof(a), b FROM t") == ["real 1"])
  }

  @Test(arguments: [(.ours, "blob 1 5"), (.theirs, "real 1 5"), (nil, "real 1 5")] as [(MergeSide?, String)])
  func `are resolved with the values of either side`(_ side: MergeSide?, _ row: String) throws {
    let (databases, conflict) = try Self.makeConflict()
    try databases.edit("ours", "UPDATE t SET b = 5")
    try databases.edit("ours") { db in try ConflictTable.resolve(conflict.id, taking: side, in: db) }
    #expect(try databases.rows("ours", "SELECT typeof(a), 1, b FROM t") == [row])
    #expect(try databases.conflicts("ours").isEmpty)
    #expect(try Self.problem(of: conflict, side, databases) == .noSuchConflict(conflict.id))
  }

  @Test func `restore a row that one side removed, and remove it again`() throws {
    let databases = try MergedDatabases(Self.schema)
    try databases.edit("ours", "UPDATE t SET a = 1")
    try databases.edit("theirs", "DELETE FROM t")
    let conflict = try #require(try databases.merge().conflicts.first)
    #expect(try databases.rows("ours", "SELECT * FROM t") == [])
    try databases.copy("ours", to: "other")
    try databases.edit("ours") { db in try ConflictTable.resolve(conflict.id, taking: .ours, in: db) }
    #expect(try databases.rows("ours", "SELECT * FROM t") == ["r 1 0"])
    try databases.edit("other", "INSERT INTO t VALUES ('r', 8, 8)")
    try databases.edit("other") { db in try ConflictTable.resolve(conflict.id, taking: .theirs, in: db) }
    #expect(try databases.rows("other", "SELECT * FROM t") == [])
  }

  @Test func `report a constraint that refuses the row`() throws {
    let databases = try MergedDatabases("CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, u UNIQUE)")
    for name in ["ours", "theirs"] { try databases.edit(name, "INSERT INTO t VALUES ('\(name)', 1)") }
    let conflict = try #require(try databases.merge().conflicts.first)
    #expect(try Self.problem(of: conflict, .ours, databases) == .constraint(table: "t"))
    #expect(try databases.conflicts("ours") == [conflict])
    try databases.edit("ours", "UPDATE t SET u = 2")
    try databases.edit("ours") { db in try ConflictTable.resolve(conflict.id, taking: .ours, in: db) }
    #expect(try databases.rows("ours", "SELECT * FROM t ORDER BY k") == ["ours 1", "theirs 2"])
  }

  @Test func `merge as a union, without those that one side resolved`() throws {
    let (databases, conflict) = try Self.makeConflict()
    // Both machines have the conflict.
    for name in ["base", "theirs"] { try databases.copy("ours", to: name) }
    try databases.edit("theirs") { db in try ConflictTable.resolve(conflict.id, taking: .ours, in: db) }
    try databases.copy("ours", to: "resolved")
    try databases.edit("resolved") { db in try ConflictTable.resolve(conflict.id, taking: nil, in: db) }
    try databases.merge()
    #expect(try databases.conflicts("ours").isEmpty)
    #expect(try databases.rows("ours", "SELECT typeof(a) FROM t") == ["blob"])
    // One machine resolved it, the other one only has it.
    try databases.merge(ours: "resolved", theirs: "base")
    #expect(try databases.conflicts("resolved").isEmpty)
    // A machine that has not seen it gets it.
    try checkNewcomer(databases, conflict)
  }

  private func checkNewcomer(_ databases: MergedDatabases, _ conflict: RowConflict) throws {
    try databases.make("empty", Self.schema)
    try databases.copy("empty", to: "late")
    try databases.merge(ours: "late", theirs: "base", base: "empty")
    #expect(try databases.conflicts("late") == [conflict])
  }

  @Test func `keep the files of both sides until they are resolved`() throws {
    let databases = try MergedDatabases("INSERT INTO grdb_content VALUES ('a', x'00', 1), ('b', x'10', 1)")
    try databases.edit("ours", "UPDATE grdb_content SET digest = x'01' WHERE path = 'a'")
    try databases.edit(
      "theirs",
      "UPDATE grdb_content SET digest = x'02' WHERE path = 'a'; DELETE FROM grdb_content WHERE path = 'b'")
    let outcome = try databases.merge()
    #expect(outcome.paths == ["a", "b"])
    #expect(outcome.digests == [Data([1]), Data([2])])
    let references = "SELECT hex(digest), change FROM grdb_references ORDER BY digest"
    #expect(try databases.rows("ours", references) == ["01 0", "02 0"])
    let conflict = try #require(outcome.conflicts.first)
    let digests = try databases.edit("ours") { db in
      try ConflictTable.resolve(conflict.id, taking: .ours, in: db)
    }
    #expect(digests == [Data([1]), Data([2])])
    #expect(try databases.rows("ours", "SELECT path, hex(digest) FROM grdb_content") == ["a 01"])
    #expect(try databases.rows("ours", references) == [])
    #expect(try databases.rows("ours", "SELECT path FROM grdb_touched") == ["a"])
  }
}
