import CloudContainers
import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport

/// A machine of a program, and its way to the store.
private struct DatabaseMachine {
  let number: Int
  let folder: ContainerFolder
  let link: UnreliableStore
  let clock: ModelClock
  var container: CloudContainer
  /// Whether the machine has the program that adds a column.
  var isExtended = false

  var main: RecipesFixture { fixture(RecipesFixture.name) }
  var migrator: DatabaseMigrator {
    isExtended ? RecipesFixture.extendedMigrator : RecipesFixture.migrator
  }

  init(
    _ number: Int, in directory: FilePath, _ store: any ObjectStore, _ clock: ModelClock, seed: UInt64
  ) async throws {
    let path = directory.appending("device\(number)")
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    (self.number, self.clock) = (number, clock)
    folder = ContainerFolder(path)
    link = UnreliableStore(store, seed: seed)
    container = try await CloudContainer.add(
      folder, to: store, address: "memory", deviceName: "device\(number)", now: { clock.now })
    try await restart()
  }

  func fixture(_ name: String) -> RecipesFixture {
    RecipesFixture(device: DeviceFixture(container), name: name)
  }

  /// Begins anew, as a process after a crash.
  mutating func restart() async throws {
    link.restart()
    let clock = clock
    container = try await CloudContainer.open(folder, link, now: { clock.now })
  }

  mutating func loseState() async throws {
    for ending in ["", "-wal", "-shm"] {
      let file = container.url.appending(path: ".docpkg-cloud/state.sqlite\(ending)")
      if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }
    try await restart()
  }

  /// Whether the document is here. After a lost state its rows may be in the second document, and it is a placeholder.
  func hasMain() async throws -> Bool {
    if FileManager.default.fileExists(atPath: main.url.path) { return true }
    try await tolerant { try await container.download(itemNamed: RecipesFixture.name) }
    return FileManager.default.fileExists(atPath: main.url.path)
  }

  /// The documents that are here. Tables that cannot be merged make a second one.
  func documents() throws -> [RecipesFixture] {
    try FileManager.default.contentsOfDirectory(atPath: container.url.path)
      .filter { $0.hasSuffix(".recipebook") }.sorted().map(fixture)
  }
}

/// One random program, beside a model of the values that were written and replaced.
///
/// The machines migrate, lose the network, calls, processes and their state; days pass, and garbage is removed.
struct DatabaseProgram {
  private var random: SeededGenerator
  private var machines: [DatabaseMachine] = []
  private let clock = ModelClock()
  private let forgetsConflicts: Bool
  private let policy: MergePolicy
  private(set) var log: [String] = []
  private(set) var differences: [String] = []
  private var written: Set<String> = []
  /// The values that a program replaced or removed that saw them.
  private var replaced: Set<String> = []
  private var nextValue = 0

  init(in directory: FilePath, seed: UInt64, forgetsConflicts: Bool = false) async throws {
    random = SeededGenerator(seed: seed)
    self.forgetsConflicts = forgetsConflicts
    policy = MergePolicy.allCases.randomElement(using: &random) ?? .error
    let clock = clock
    let store = MemoryStore(now: { clock.now })
    for number in 0..<Int.random(in: 2...4, using: &random) {
      machines.append(try await DatabaseMachine(number, in: directory, store, clock, seed: random.next()))
    }
    try await machines[0].main.edit(
      "INSERT INTO recipe VALUES ('k1', 'v1', 1, 'v2'), ('k2', 'v3', 2, 'v4'), ('k3', 'v5', 3, 'v6')",
      files: ["f1": "v7", "f2": "v8"], policy)
    (written, nextValue) = (Set((1...8).map { "v\($0)" }), 8)
    for machine in machines {
      try await machine.link.heal()
      try await machine.main.device.sync()
      if machine.number > 0 { try await machine.container.download(itemNamed: RecipesFixture.name) }
      // A sabotage is looked for where nothing else happens.
      if !forgetsConflicts { machine.link.beUnreliable() }
    }
  }

  /// Runs the program; afterwards, `differences` has each broken promise.
  mutating func run() async {
    do {
      try await runSteps()
      try await compare()
    } catch {
      differences.append("\(error)")
    }
  }

  private mutating func runSteps() async throws {
    for _ in 0..<Int.random(in: 6...18, using: &random) {
      clock.advance(Double(Int.random(in: 1...120, using: &random)))
      let index = Int.random(in: 0..<machines.count, using: &random)
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<6: if try await machines[index].hasMain() { try await edit(machines[index]) }
      case 6, 7: if try await machines[index].hasMain() { try await resolve(machines[index]) }
      case 8,
        9 where !forgetsConflicts:
        try await trouble(index)
      default: try await sync(machines[index])
      }
    }
    for machine in machines { try await machine.link.heal() }
    // Uploads may wait for the end of a collection of garbage that was cut off.
    clock.advance(3_601)
    // Late calls and lost states take some runs until all machines know all versions.
    for round in 0..<5 {
      for machine in machines {
        clock.advance(1)
        note(machine, "last sync")
        let report = try await machine.container.sync()
        for failure in report.failures where round > 1 {
          differences.append(
            "\(machine.number): \(failure.name) fails: \(failure.error.map { "\($0)" } ?? "")")
        }
        for item in try await machine.container.items() where item.downloadingStatus != .current {
          try await machine.container.download(itemNamed: item.name)
        }
        try await forgetConflicts(machine)
      }
    }
  }

  private mutating func note(_ machine: DatabaseMachine, _ words: String) {
    log.append("\(machine.number) \(words)")
  }

  // MARK: Steps

  private mutating func value() -> String {
    nextValue += 1
    return "v\(nextValue)"
  }

  private mutating func edit(_ machine: DatabaseMachine) async throws {
    let key = "k\(Int.random(in: 1...4, using: &random))"
    let path = ["f1", "f2", "f3", "f3/below"].randomElement(using: &random) ?? ""
    let value = value()
    let statements = [
      "INSERT OR IGNORE INTO recipe(id, minutes, notes) VALUES ('\(key)', 0, '\(value)')",
      "UPDATE recipe SET notes = '\(value)' WHERE id = '\(key)'",
      "UPDATE recipe SET name = '\(value)' WHERE id = '\(key)'",
      "UPDATE OR IGNORE recipe SET name = 'Same' WHERE id = '\(key)'",
      "DELETE FROM recipe WHERE id = '\(key)'",
      "INSERT INTO step(recipe, text) SELECT id, '\(value)' FROM recipe WHERE id = '\(key)'",
      "DELETE FROM step WHERE recipe = '\(key)'", "",
    ]
    let sql = statements.randomElement(using: &random) ?? ""
    let removes = Bool.random(using: &random)
    note(machine, sql.isEmpty ? "\(path) \(removes) \(value)" : sql)
    try await changing(machine) { document in
      do {
        try await document.edit { db, content in
          if !sql.isEmpty { return try db.execute(sql: sql) }
          if removes && path != "f3" { return try content.fileExists(path) ? content.remove(path) : () }
          try content.write(path, Data(value.utf8))
        }
      } catch let error as DocumentError where error.fileError?.code == .nameCollision {
        // A folder is in the place of the file.
      }
    }
  }

  private mutating func resolve(_ machine: DatabaseMachine) async throws {
    let conflicts = try await machine.main.conflicts()
    guard let conflict = conflicts.randomElement(using: &random) else { return }
    let choice = RowConflict.Choice.allCases.randomElement(using: &random) ?? .present
    note(machine, "resolve \(conflict.table) \(choice)")
    let seen = try await values(of: conflict, in: machine.main)
    var isResolved = false
    try await changing(machine) { document in
      do {
        try await document.resolve([conflict.id: choice])
        isResolved = true
      } catch is RowConflictError {
        // The row that excludes this one is changed first.
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        // The same.
      }
    }
    if isResolved {
      replaced.formUnion(seen.subtracting(try await values(machine.main)))
    }
  }

  private mutating func changing(
    _ machine: DatabaseMachine, _ body: (ManagedDocument) async throws -> Void
  ) async throws {
    let before = try await values(machine.main)
    let document = try await machine.main.open(policy, machine.migrator)
    if await document.writingRefusal?.fileError?.code == .newerFormat, !machine.isExtended {
      note(machine, "is too old")
      return try await document.close()
    }
    try await body(document)
    try await document.close()
    let after = try await values(machine.main)
    written.formUnion(after.subtracting(before))
    replaced.formUnion(before.subtracting(after))
  }

  private mutating func trouble(_ index: Int) async throws {
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      machines[index].link.isPartitioned.toggle()
      note(machines[index], "network \(!machines[index].link.isPartitioned)")
    case 2:
      machines[index].link.crash(after: Int.random(in: 1...25, using: &random))
      try await sync(machines[index])
      note(machines[index], "starts again")
      try await machines[index].restart()
    case 3:
      note(machines[index], "loses its state")
      try await machines[index].loseState()
    case 4:
      note(machines[index], "migrates")
      machines[index].isExtended = true
    case 5:
      note(machines[index], "collects garbage")
      let container = machines[index].container
      try await tolerant { _ = try await container.collectGarbage(isDryRun: false) }
    default:
      log.append("40 days")
      clock.advance(40 * 86_400)
    }
  }

  private mutating func sync(_ machine: DatabaseMachine) async throws {
    note(machine, "sync")
    try await tolerant { _ = try await machine.container.sync() }
    try await forgetConflicts(machine)
  }

  /// The sabotage: a machine that drops the conflicts of its merges.
  private func forgetConflicts(_ machine: DatabaseMachine) async throws {
    guard forgetsConflicts, try await machine.hasMain(), try await !machine.main.conflicts().isEmpty else {
      return
    }
    let queue = try DatabaseQueue(path: machine.main.url.appending(path: "StoreContent/persistentStore").path)
    try await queue.write { db in try db.execute(sql: "DELETE FROM grdb_conflicts") }
    try queue.close()
  }

  // MARK: Values

  /// The values in rows, and the texts of the files.
  private func values(_ document: RecipesFixture) async throws -> Set<String> {
    let rows = try await document.rows("SELECT name, notes FROM recipe UNION ALL SELECT text, NULL FROM step")
    let words = rows.flatMap { $0.split(separator: " ").map(String.init) } + (try document.files()).values
    return Set(words.filter { $0.hasPrefix("v") })
  }

  /// The values of a row in conflict; of a file, the texts that the database keeps.
  private func values(of conflict: RowConflict, in document: RecipesFixture) async throws -> Set<String> {
    // The model does not know the hashes of the texts of files.
    if conflict.table == "AdditionalContent" { return Set(try await texts(of: conflict, in: document)) }
    var values: Set<String> = []
    for row in [conflict.base, conflict.ours, conflict.theirs] {
      for value in (row ?? [:]).values {
        values.formUnion(String.fromDatabaseValue(value).map { [$0] } ?? [])
      }
    }
    return values.filter { $0.hasPrefix("v") }
  }

  private mutating func compare() async throws {
    let expected = try machines[0].documents()
    for machine in machines {
      let documents = try machine.documents()
      if documents.map(\.name) != expected.map(\.name) {
        differences.append("\(machine.number) has \(documents.map(\.name)), 0 has \(expected.map(\.name))")
        continue
      }
      for (document, first) in zip(documents, expected) {
        let name = "\(machine.number), \(document.name):"
        if try await document.digest() != first.digest() { differences.append("\(name) other rows") }
        if try document.files() != first.files() { differences.append("\(name) other files") }
        if try await document.conflicts() != first.conflicts() {
          differences.append("\(name) other conflicts")
        }
        try await document.check()
      }
    }
    var kept: Set<String> = []
    for document in expected {
      kept.formUnion(try await values(document))
      for conflict in try await document.conflicts() {
        kept.formUnion(try await values(of: conflict, in: document))
      }
    }
    let lost = written.subtracting(replaced).subtracting(kept)
    if !lost.isEmpty { differences.append("lost \(lost.sorted())") }
  }

  /// The texts of a file in conflict that the database keeps.
  private func texts(of conflict: RowConflict, in document: RecipesFixture) async throws -> [String] {
    let digests = [conflict.ours, conflict.theirs].compactMap { $0?["digest"] }
    var texts: [String] = []
    for digest in digests {
      texts += try await document.rows(
        "SELECT CAST(bytes AS TEXT) FROM grdb_objects WHERE digest = x'\(Self.hexadecimal(digest))'")
    }
    return texts
  }

  private static func hexadecimal(_ value: DatabaseValue) -> String {
    (Data.fromDatabaseValue(value) ?? Data()).map { String(format: "%02x", $0) }.joined()
  }
}
