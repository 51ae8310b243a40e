import CloudContainers
import DurableIO
import Foundation
import GRDB
import Glibc
import ManagedDocuments
import ObjectStores
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A document with a database that is open on two machines", .temporaryDirectory)
struct OpenDatabaseTests {
  /// An application: the open document, and the list of names that it shows.
  private final class Application: Sendable {
    let document: ManagedDocument
    let list: ShownList
    private let observing: Task<Void, any Error>

    init(_ machine: RecipesFixture) async throws {
      var options = machine.options()
      options.provider = machine.device.container
      document = try await ManagedDocument.open(at: machine.url, options: options)
      let list = ShownList()
      let names = document.observe { db in Set(try String.fetchAll(db, sql: "SELECT name FROM recipe")) }
      observing = Task { for try await names in names { await list.show(names) } }
      self.list = list
    }

    func add(_ name: String) async throws {
      try await document.edit { db, _ in
        try db.execute(sql: "INSERT INTO recipe VALUES (?, ?, 0, '')", arguments: [name, name])
      }
    }

    func close() async throws {
      observing.cancel()
      try await document.close()
    }
  }

  /// The names in a list, as its user sees them.
  private actor ShownList {
    private var names: Set<String> = []
    private var waiting: [(names: Set<String>, continuation: CheckedContinuation<Void, Never>)] = []

    func show(_ names: Set<String>) {
      self.names = names
      let done = waiting.filter { $0.names.isSubset(of: names) }
      waiting.removeAll { $0.names.isSubset(of: names) }
      for (_, continuation) in done { continuation.resume() }
    }

    /// Waits until the list has these names.
    func wait(for wanted: Set<String>) async {
      if wanted.isSubset(of: names) { return }
      await withCheckedContinuation { waiting.append((wanted, $0)) }
    }
  }

  /// The end of a user's typing. A cancelled task would cancel the edit that it waits for.
  private final class End: Sendable {
    private let value = Mutex(false)
    var hasCome: Bool { value.withLock(\.self) }
    func come() { value.withLock { $0 = true } }
  }

  /// Adds one row after the other, as soon as the list shows the last one, until the end.
  ///
  /// - Returns: the names of the rows.
  private static func type(
    _ round: Int, in application: Application, until end: End
  ) async throws -> Set<String> {
    var typed: Set<String> = []
    repeat {
      let name = "typed \(round).\(typed.count)"
      try await application.add(name)
      typed.insert(name)
      await application.list.wait(for: [name])
    } while !end.hasCome
    return typed
  }

  /// Calls `body` with two machines that have one document, with one row.
  private static func makeTwo() async throws -> (RecipesFixture, RecipesFixture) {
    let (a, b) = try await RecipesFixture.two("a", "b")
    try await a.edit("INSERT INTO recipe VALUES ('r', 'Rösti', 30, '')")
    try await a.device.sync()
    try await b.device.sync()
    try await b.device.container.startDownloading(itemNamed: RecipesFixture.name)
    try await b.device.sync()
    return (a, b)
  }

  @Test func `shows the rows of the other machine after one poll, while its user types`() async throws {
    let (a, b) = try await Self.makeTwo()
    let (writer, typist) = (try await Application(a), try await Application(b))
    var (added, typed, polls) = (Set<String>(), Set<String>(), 0)
    for round in 0..<5 {
      let end = End()
      let typing = Task { try await Self.type(round, in: typist, until: end) }
      await typist.list.wait(for: ["typed \(round).0"])
      let new = Set((0..<3).map { "added \(round).\($0)" })
      for name in new.sorted() { try await writer.add(name) }
      try await writer.document.save()
      try await a.device.sync()
      // One poll of the machine on which a user types, and its list has the rows.
      polls += 1
      #expect(try await b.device.sync().documents.contains { $0.merged })
      try await withDeadline("the rows of the other machine") { await typist.list.wait(for: new) }
      #expect(polls == round + 1)
      added.formUnion(new)
      // The user goes on typing. The same poll sent the first typed row, and one poll of the other machine brings it.
      try await a.device.sync()
      try await withDeadline("a typed row") { await writer.list.wait(for: ["typed \(round).0"]) }
      end.come()
      typed.formUnion(try await typing.value)
      // No row is lost here: neither one that was typed during the merge, nor an earlier one.
      let rows = try await typist.document.read { db, _ in
        Set(try String.fetchAll(db, sql: "SELECT name FROM recipe"))
      }
      #expect(rows == typed.union(added).union(["Rösti"]))
    }
    // And all typed rows are in the list of the other machine, after a poll of each.
    try await typist.document.save()
    try await b.device.sync()
    try await a.device.sync()
    let all = typed
    try await withDeadline("the typed rows") { await writer.list.wait(for: all) }
    try await writer.close()
    try await typist.close()
    for machine in [a, b, a] { try await machine.device.sync() }
    for machine in [a, b] {
      #expect(try await machine.device.sync().documents.isEmpty)
      #expect(Set(try await machine.rows("SELECT name FROM recipe")) == typed.union(added).union(["Rösti"]))
      #expect(try await machine.conflicts().isEmpty)
      try await machine.check()
    }
  }

  /// Whether SQLite has its lock of an open database on a byte of a file. A lock of a descriptor conflicts with it.
  private static func isLocked(_ name: String, byte: UInt64, of machine: RecipesFixture) throws -> Bool {
    let disk = PosixDisk()
    let store = try FilePath(of: machine.url.appending(path: "StoreContent"), for: .open)
    let file = try disk.openFileForWriting(FileName(name), in: disk.openDirectory(at: store))
    if try !disk.lock(byte: byte, of: file, .exclusive) { return true }
    _ = try disk.lock(byte: byte, of: file, .none)
    return false
  }

  /// Whether SQLite has the locks of an open document: on the database, and on the index of its log.
  private static func hasLocks(_ machine: RecipesFixture) throws -> Bool {
    try isLocked("persistentStore", byte: 0x4000_0002, of: machine)
      && isLocked("persistentStore-shm", byte: 128, of: machine)
  }

  /// The number of descriptors of this process that lead to a machine's database.
  private static func descriptors(of machine: RecipesFixture) throws -> Int {
    let path = machine.url.appending(path: "StoreContent/persistentStore").path
    var wanted = stat()
    #expect(stat(path, &wanted) == 0)
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { number in
      var found = stat()
      return Int32(number).map { fstat($0, &found) == 0 && found.st_ino == wanted.st_ino } ?? false
    }.count
  }

  /// The system ends the locks of a process on a file when the process closes any descriptor of it. Without its locks,
  /// another program that closes the document takes itself for the last one, and removes the log that is in use here.
  @Test func `keeps its locks while the same process syncs it`() async throws {
    let (a, b) = try await Self.makeTwo()
    let application = try await Application(b)
    try await application.add("Soup")
    #expect(try Self.hasLocks(b))
    for round in 0..<20 {
      // An upload, a download, a merge.
      try await a.edit("INSERT INTO recipe VALUES ('\(round)', 'Bread \(round)', 30, '')")
      try await application.add("Tea \(round)")
      try await application.document.save()
      for machine in [a, b, a] { try await machine.device.sync() }
      #expect(try Self.hasLocks(b), "round \(round)")
    }
    // The same few descriptors serve all reads: those of SQLite's connections, and one for each reader at once.
    #expect(try Self.descriptors(of: b) < 20)
    try await application.close()
    #expect(try !Self.isLocked("persistentStore", byte: 0x4000_0002, of: b))
    for machine in [b, a, b] { try await machine.device.sync() }
    #expect(try await a.digest() == b.digest())
  }
}
