import CloudContainers
import FilePackages
import GRDB
import SystemPackage
import TestSupport
import Testing

@Suite("The state of a container folder", .temporaryDirectory)
struct ContainerStateTests {
  private func child(_ path: PackagePath, mode: UInt16 = 0o755) -> KnownChild {
    KnownChild(TreeEntry(path, .directory, mode: mode))
  }

  private func record(_ name: String) -> DocumentRecord {
    var generator = SystemRandomNumberGenerator()
    return DocumentRecord(id: .random(using: &generator), name: name)
  }

  /// Two connections, as two processes have them.
  private func makeTwoStates() throws -> (ContainerState, ContainerState) {
    let path = folder.appending("state.sqlite")
    return (try ContainerState(at: path), try ContainerState(at: path))
  }

  @Test func `gives the entries that were stored last, also by another process`() async throws {
    let (one, other) = try makeTwoStates()
    let record = record("Trip.rtfd")
    let first = [child("A"), child("B"), child("C")]
    try await one.save(record, children: KnownChildren(first))
    #expect(try await one.children(of: record.id).children == first)
    #expect(try await other.children(of: record.id).children == first)
    // One entry changes, one goes, one is new.
    let second = [child("A"), child("B", mode: 0o700), child("D")]
    try await other.save(record, children: KnownChildren(second))
    #expect(try await other.children(of: record.id).children == second)
    #expect(try await one.children(of: record.id).children == second)
    try await one.save(record, children: KnownChildren(first))
    #expect(try await one.children(of: record.id).children == first)
    #expect(try await other.children(of: record.id).children == first)
  }

  /// SQLite before 3.51.3 may damage a database by a checkpoint beside a commit.
  @Test func `has no checkpoint beside the transaction of another process`() async throws {
    let path = folder.appending("state.sqlite")
    let state = try ContainerState(at: path)
    try await state.save(record("Trip.rtfd"))
    let configuration = with(Configuration()) { $0.allowsUnsafeTransactions = true }
    let other = try DatabaseQueue(path: path.string, configuration: configuration)
    try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    await #expect(throws: DatabaseError.self) {
      try await state.database.writeWithoutTransaction { db in try db.checkpoint(.passive) }
    }
    try await other.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
    try await state.database.writeWithoutTransaction { db in
      let (inLog, copied) = try { ($0.walFrameCount, $0.checkpointedFrameCount) }(db.checkpoint(.passive))
      #expect(inLog > 0 && copied == inLog)
    }
  }

  @Test func `keeps the entries of documents apart, and forgets those of a removed one`() async throws {
    let (one, other) = try makeTwoStates()
    let records = [record("A.rtfd"), record("B.rtfd")]
    let children = [[child("A")], [child("A", mode: 0o700), child("B")]]
    for (record, children) in zip(records, children) {
      try await one.save(record, children: KnownChildren(children))
    }
    for state in [one, other] {
      for _ in 0..<2 {
        for (record, children) in zip(records, children) {
          #expect(try await state.children(of: record.id).children == children)
        }
      }
    }
    try await one.remove(records[1])
    #expect(try await one.children(of: records[1].id).isEmpty)
    #expect(try await other.children(of: records[1].id).isEmpty)
  }

  @Test func `keeps a wish for content that another process noted during a run`() async throws {
    let (one, other) = try makeTwoStates()
    var record = record("Trip.rtfd")
    try await one.save(record)
    // The run has the record, and another process asks for the content.
    try await other.setWanted(true, [record.id])
    record.uploadingError = "no room"
    try await one.save(record)
    try await one.save([record])
    let saved = try #require(try await one.record(record.document))
    #expect(saved.isWanted && saved.uploadingError == "no room")
    record.isWanted = false
    try await one.save(record, setsWanted: true)
    #expect(try await other.record(record.document)?.isWanted == false)
  }
}
