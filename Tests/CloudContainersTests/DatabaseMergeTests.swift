import CloudContainers
import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import ObjectStores
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A document with a database in a container", .temporaryDirectory)
struct DatabaseMergeTests {
  /// Makes the recipes of two machines, which both have the same document.
  private func makeTwo(policy: MergePolicy = .error) async throws -> (RecipesFixture, RecipesFixture) {
    let (laptop, desktop) = try await RecipesFixture.two("laptop", "desktop")
    try await laptop.edit(
      """
      INSERT INTO recipe VALUES ('a', 'Rösti', 30, ''), ('b', 'Fondue', 20, ''), ('c', 'Soup', 10, '');
      INSERT INTO step(recipe, text) VALUES ('a', 'grate'), ('b', 'melt');
      """, files: ["Pictures/a.jpeg": "rösti", "Pictures/b.jpeg": "fondue"], policy)
    try await laptop.device.share(RecipesFixture.name, with: desktop.device)
    #expect(try await desktop.digest() == laptop.digest())
    return (laptop, desktop)
  }

  /// Lets the machines sync until both have everything, and checks that they have the same rows, files and conflicts.
  private func settle(_ machines: [RecipesFixture]) async throws {
    for _ in 0..<2 { for machine in machines { try await machine.device.sync() } }
    for machine in machines {
      #expect(try await machine.device.sync().documents.isEmpty, "all have everything")
      try await machine.check()
      #expect(try await machine.digest() == machines[0].digest())
      #expect(try machine.files() == machines[0].files())
      #expect(try await machine.conflicts() == machines[0].conflicts())
    }
  }

  @Test func `merges the rows and files that machines change apart`() async throws {
    let (laptop, desktop) = try await makeTwo()
    try await laptop.edit(
      """
      UPDATE recipe SET minutes = 35 WHERE id = 'a'; DELETE FROM recipe WHERE id = 'c';
      INSERT INTO recipe VALUES ('l', 'Laptop', 1, ''); INSERT INTO step(recipe, text) VALUES ('l', 'type');
      """, files: ["Pictures/l.jpeg": "laptop", "Pictures/b.jpeg": nil])
    try await desktop.edit(
      """
      UPDATE recipe SET notes = 'crisp' WHERE id = 'a'; UPDATE step SET text = 'stir' WHERE recipe = 'b';
      INSERT INTO recipe VALUES ('d', 'Desktop', 2, ''); INSERT INTO step(recipe, text) VALUES ('d', 'click');
      """, files: ["Pictures/d.jpeg": "desktop", "Pictures/a.jpeg": "golden"])
    try await laptop.device.sync()
    #expect(try await desktop.device.sync().documents.map(\.merged) == [true])
    try await settle([laptop, desktop])
    #expect(
      try await laptop.recipes() == ["a Rösti 35 crisp", "b Fondue 20 ", "d Desktop 2 ", "l Laptop 1 "])
    #expect(
      try await laptop.rows("SELECT recipe, text FROM step ORDER BY recipe") == [
        "a grate", "b stir", "d click", "l type",
      ])
    #expect(
      try laptop.files() == [
        "Pictures/a.jpeg": "golden", "Pictures/d.jpeg": "desktop", "Pictures/l.jpeg": "laptop",
      ])
    #expect(try await laptop.conflicts().isEmpty)
    #expect(try await laptop.device.container.items().map(\.name) == [RecipesFixture.name])
  }

  @Test(arguments: MergePolicy.allCases)
  func `decides a row that both changed by the policy of the document, and keeps the other value`(
    _ policy: MergePolicy
  ) async throws {
    let (laptop, desktop) = try await makeTwo(policy: policy)
    try await laptop.edit(
      "UPDATE recipe SET minutes = 1 WHERE id = 'a'", files: ["Pictures/a.jpeg": "laptop"], policy)
    try await desktop.edit(
      "UPDATE recipe SET minutes = 2 WHERE id = 'a'", files: ["Pictures/a.jpeg": "desktop"], policy)
    try await laptop.device.sync()
    try await desktop.device.sync()
    try await settle([laptop, desktop])
    let desktopWins = [.error, .mergeByPropertyObjectTrump, .overwrite].contains(policy)
    #expect(try await laptop.rows("SELECT minutes FROM recipe WHERE id = 'a'") == [desktopWins ? "2" : "1"])
    #expect(try laptop.files()["Pictures/a.jpeg"] == (desktopWins ? "desktop" : "laptop"))
    let conflicts = try await laptop.conflicts().sorted { $0.table < $1.table }
    #expect(conflicts.map(\.table) == ["AdditionalContent", "recipe"])
    #expect(conflicts.last?.ours?["minutes"] == 2.databaseValue)
    #expect(conflicts.last?.theirs?["minutes"] == 1.databaseValue)

    // The other values are taken on one machine, and both have them.
    let document = try await laptop.open(policy)
    try await document.resolve(Dictionary(conflicts.map { ($0.id, .other) }) { first, _ in first })
    try await document.close()
    try await settle([laptop, desktop])
    #expect(try await desktop.rows("SELECT minutes FROM recipe WHERE id = 'a'") == [desktopWins ? "1" : "2"])
    #expect(try desktop.files()["Pictures/a.jpeg"] == (desktopWins ? "laptop" : "desktop"))
    #expect(try await desktop.conflicts().isEmpty)
  }

  @Test func `lists a row that one machine removed and the other one changed`() async throws {
    let (laptop, desktop) = try await makeTwo()
    try await laptop.edit("DELETE FROM recipe WHERE id = 'c'")
    try await desktop.edit("UPDATE recipe SET minutes = 11 WHERE id = 'c'")
    try await laptop.device.sync()
    #expect(try await desktop.device.sync().documents.map(\.conflict) == [true])
    try await settle([laptop, desktop])
    #expect(try await laptop.rows("SELECT minutes FROM recipe WHERE id = 'c'") == ["11"])
    #expect(try await laptop.conflicts().map(\.kind) == [.removal])
  }

  @Test func `merges into a document that an application has open`() async throws {
    let (laptop, desktop) = try await makeTwo()
    let document = try await desktop.open()
    try await document.edit { db, _ in
      try db.execute(sql: "UPDATE recipe SET notes = 'open' WHERE id = 'a'")
    }
    try await laptop.edit("UPDATE recipe SET minutes = 31 WHERE id = 'a'")
    try await laptop.device.sync()
    try await desktop.device.sync()
    let seen = try await document.read { db, _ -> [String] in
      try String.fetchAll(db, sql: "SELECT minutes || ' ' || notes FROM recipe WHERE id = 'a'")
    }
    #expect(seen == ["31 open"])
    try await laptop.device.sync()
    #expect(try await laptop.recipes().first == "a Rösti 31 open")
    try await document.edit { db, _ in
      try db.execute(sql: "UPDATE recipe SET notes = 'more' WHERE id = 'a'")
    }
    try await desktop.device.sync()
    try await laptop.device.sync()
    #expect(try await laptop.recipes().first == "a Rösti 31 more")
    try await document.close()
    try await settle([laptop, desktop])
  }

  @Test func `lists its conflicts for an application, which ends them on each machine`() async throws {
    let (laptop, desktop) = try await makeTwo()
    for (machine, minutes) in [(laptop, 1), (desktop, 2)] {
      try await machine.edit("UPDATE recipe SET minutes = \(minutes) WHERE id IN ('a', 'b')")
      try await machine.device.sync()
    }
    try await laptop.device.sync()
    let document = try await laptop.open()
    let conflicts = try await document.read { db, _ in try RowConflict.fetchAll(db) }
    #expect(conflicts.map { $0.key["id"] } == ["a".databaseValue, "b".databaseValue])
    #expect(conflicts.map(\.changedColumns) == [["minutes"], ["minutes"]])
    #expect(conflicts.map { $0.base?["minutes"] } == [30.databaseValue, 20.databaseValue])
    #expect(conflicts.allSatisfy { $0.present?["minutes"] == 2.databaseValue })
    #expect(conflicts.allSatisfy { $0.other?["minutes"] == 1.databaseValue })

    // With an unknown conflict among them, the choices end no conflict.
    let unknown = UUID()
    await #expect(throws: RowConflictError.noSuchConflict(unknown)) {
      try await document.resolve([conflicts[0].id: .other, unknown: .present])
    }
    #expect(try await document.read { db, _ in try RowConflict.fetchAll(db).count } == 2)
    try await document.resolve([conflicts[0].id: .other, conflicts[1].id: .present])
    #expect(try await document.read { db, _ in try RowConflict.fetchAll(db) } == [])
    try await document.close()
    try await settle([laptop, desktop])
    #expect(try await desktop.rows("SELECT minutes FROM recipe WHERE id IN ('a', 'b')") == ["1", "2"])
    #expect(try await desktop.conflicts() == [])
  }

  @Test func `is downloaded by an application that opens it, and is not evicted while it is open`()
    async throws
  {
    let (laptop, desktop) = try await makeTwo()
    let container = desktop.device.container
    try await container.evict(itemNamed: RecipesFixture.name)
    #expect(!FileManager.default.fileExists(atPath: desktop.url.path))
    let figures = Mutex<[(completed: UInt64, total: UInt64)]>([])
    var options = desktop.options()
    options.provider = container
    options.downloadHandler = { completed, total in figures.withLock { $0.append((completed, total)) } }
    let document = try await ManagedDocument.open(at: desktop.url, options: options)
    let last = try #require(figures.withLock { $0.last })
    #expect(last.completed == last.total && last.total > 4096, "\(last)")
    #expect(
      try await document.read { db, _ in try Int.fetchOne(db, sql: "SELECT count(*) FROM recipe") } == 3)

    await expect(\FilePackageError.reason, "a program has it open") {
      try await container.evict(itemNamed: RecipesFixture.name)
    }
    try await document.close()
    try await container.evict(itemNamed: RecipesFixture.name)

    // If the store has lost the content, the application gets an error, and makes no other document.
    let folder = laptop.device.url.deletingLastPathComponent()
    try FileManager.default.removeItem(at: folder.appending(path: "store"))
    await expect(\DocumentError.code, .unavailable) {
      try await ManagedDocument.open(at: desktop.url, options: options)
    }
    #expect(!FileManager.default.fileExists(atPath: desktop.url.path))
  }

  @Test func `gives new rows of both machines that have one number two numbers`() async throws {
    let (laptop, desktop) = try await makeTwo()
    try await laptop.edit("INSERT INTO step VALUES (10, 'a', 'laptop')")
    try await desktop.edit("INSERT INTO step VALUES (10, 'b', 'desktop')")
    try await laptop.device.sync()
    try await desktop.device.sync()
    try await settle([laptop, desktop])
    #expect(
      try await laptop.rows("SELECT * FROM step WHERE id >= 10 ORDER BY id") == [
        "10 a laptop", "11 b desktop",
      ])
    #expect(try await laptop.conflicts().isEmpty)
  }

  /// The changes of the open document name its row by the key that the other one has now.
  @Test func `ends undo in an open document whose row got another key`() async throws {
    let (laptop, desktop) = try await makeTwo()
    let document = try await desktop.open()
    try await document.edit { db, _ in try db.execute(sql: "INSERT INTO step VALUES (10, 'b', 'first')") }
    try await document.edit { db, _ in try db.execute(sql: "UPDATE step SET text = 'stir' WHERE id = 10") }
    try await laptop.edit("INSERT INTO step VALUES (10, 'a', 'stir')")
    try await laptop.device.sync()
    try await desktop.device.sync()
    #expect(try await !document.undo())
    try await document.revertToSaved()
    #expect(
      try await desktop.rows("SELECT * FROM step WHERE id >= 10 ORDER BY id") == ["10 a stir", "11 b stir"])
    try await document.edit { db, _ in try db.execute(sql: "UPDATE step SET text = 'beat' WHERE id = 11") }
    #expect(try await document.undo())
    try await document.close()
    try await settle([laptop, desktop])
    #expect(
      try await desktop.rows("SELECT * FROM step WHERE id >= 10 ORDER BY id") == ["10 a stir", "11 b stir"])
  }

  @Test(arguments: [RowConflict.Choice.present, .other])
  func `takes the end of a conflict for a change, which can be undone`(_ choice: RowConflict.Choice)
    async throws
  {
    let (laptop, desktop) = try await makeTwo()
    for (machine, text) in [(laptop, "laptop"), (desktop, "desktop")] {
      try await machine.edit(
        "UPDATE recipe SET notes = '\(text)' WHERE id = 'a'", files: ["Pictures/a.jpeg": text])
      try await machine.device.sync()
    }
    let document = try await desktop.open()
    let conflicts = try await desktop.conflicts()
    #expect(conflicts.count == 2)
    try await document.resolve(Dictionary(uniqueKeysWithValues: conflicts.map { ($0.id, choice) }))
    #expect(await document.hasUnsavedChanges)
    #expect(try await document.save().strategy == .database)
    try await document.synchronize()
    #expect(try await desktop.conflicts() == [])
    try await document.undo()
    #expect(try await desktop.conflicts() == conflicts)
    #expect(try await desktop.rows("SELECT notes FROM recipe WHERE id = 'a'") == ["desktop"])
    try await document.redo()
    #expect(try await desktop.conflicts() == [])
    try await document.undo()
    try await document.save()
    try await settle([desktop, laptop])
    // The bytes of the other side are there, too, on each machine.
    try await document.close()
    let other = try await laptop.open()
    try await other.resolve(Dictionary(uniqueKeysWithValues: conflicts.map { ($0.id, .other) }))
    try await other.close()
    try await settle([laptop, desktop])
    #expect(try desktop.files()["Pictures/a.jpeg"] == "laptop")
  }

  /// Another file has them for a while.
  @Test func `brings the bytes of a losing file to each machine`() async throws {
    let (laptop, desktop) = try await makeTwo()
    for (machine, text) in [(laptop, "laptop"), (desktop, "desktop")] {
      try await machine.edit("", files: ["Pictures/a.jpeg": text])
      try await machine.device.sync()
    }
    for text in ["laptop", "other"] { try await desktop.edit("", files: ["copy": text]) }
    try await settle([laptop, desktop])
    // The next copy comes from the container.
    let container = desktop.device.container
    try await container.evict(itemNamed: RecipesFixture.name)
    try await container.startDownloading(itemNamed: RecipesFixture.name)
    try await desktop.device.sync()
    let conflicts = try await desktop.conflicts()
    #expect(conflicts.count == 1)
    let document = try await desktop.open()
    try await document.resolve(Dictionary(uniqueKeysWithValues: conflicts.map { ($0.id, .other) }))
    try await document.close()
    #expect(try desktop.files()["Pictures/a.jpeg"] == "laptop")
    try await settle([laptop, desktop])
  }

  @Test func `uploads nothing if an application only opened the document that came`() async throws {
    let (laptop, desktop) = try await makeTwo()
    try await laptop.edit("UPDATE recipe SET minutes = 7 WHERE id = 'a'")
    try await laptop.device.sync()
    #expect(try await desktop.device.sync().documents.map(\.events) == [["downloaded"]])
    try await desktop.open().close()
    #expect(try await desktop.device.sync().documents.isEmpty)
    try await settle([laptop, desktop])
  }

  @Test(arguments: [false, true])
  func `stays as it is while the store lacks a part of what came, and merges after a repair`(
    isEdited: Bool
  ) async throws {
    let (laptop, desktop) = try await makeTwo()
    // Larger than a document that its version contains.
    let picture = String(repeating: "laptop", count: 5_000)
    try await laptop.edit(
      "UPDATE recipe SET minutes = 35 WHERE id = 'a'", files: ["Pictures/l.jpeg": picture])
    if isEdited { try await desktop.edit("UPDATE recipe SET notes = 'crisp' WHERE id = 'a'") }
    try await laptop.device.sync()
    let before = try await desktop.digest()
    let store = laptop.device.url.deletingLastPathComponent().appending(path: "store")
    try FileManager.default.removeItem(at: store.appending(path: BlobName(of: Data(picture.utf8)).key.string))
    let report = try #require(try await desktop.device.container.sync().documents.first)
    #expect(report.name == RecipesFixture.name)
    let error = "\(try #require(report.error))"
    #expect(error.contains("an object of it is not there"), "\(error)")
    #expect(try await desktop.digest() == before)
    #expect(try await desktop.device.container.items().map(\.name) == [RecipesFixture.name])

    #expect(try await laptop.device.container.repair(reads: true).check.isWhole)
    #expect(try await desktop.device.sync().documents.map(\.merged) == [isEdited])
    try await settle([laptop, desktop])
    #expect(try await desktop.recipes().first == (isEdited ? "a Rösti 35 crisp" : "a Rösti 35 "))
    #expect(try desktop.files()["Pictures/l.jpeg"] == picture)
  }

  @Test func `brings a schema that one machine migrated`() async throws {
    let (laptop, desktop) = try await makeTwo()
    try await laptop.edit("UPDATE recipe SET stars = 5", .error, RecipesFixture.extendedMigrator)
    try await laptop.device.sync()
    try await desktop.device.sync()
    #expect(try await desktop.rows("SELECT DISTINCT stars FROM recipe") == ["5"])
    try await settle([laptop, desktop])
    #expect(try await desktop.device.container.items().count == 1)
  }

  @Test func `makes two documents of schemas that differ, and loses no row`() async throws {
    let (laptop, desktop) = try await makeTwo()
    try await laptop.edit("UPDATE recipe SET stars = 5", .error, RecipesFixture.extendedMigrator)
    try await desktop.edit("UPDATE recipe SET minutes = 99")
    try await laptop.device.sync()
    #expect(try await desktop.device.sync().documents.contains(where: \.conflict))
    for machine in [laptop, desktop, laptop] { try await machine.device.sync() }
    #expect(
      try await laptop.device.container.items().map(\.name).sorted() == [
        "Recipes 2.recipebook", RecipesFixture.name,
      ])
    #expect(try await desktop.rows("SELECT DISTINCT stars FROM recipe") == ["5"])
    let second = try #require(
      try ManagedPackage(at: desktop.device.url.appending(path: "Recipes 2.recipebook")))
    #expect(
      try await second.read { db, _ in try Int.fetchAll(db, sql: "SELECT DISTINCT minutes FROM recipe") }
        == [99])
  }

  @Test func `merges again after a run that was cut off behind the merge, and lists each conflict once`()
    async throws
  {
    let (laptop, desktop) = try await makeTwo()
    try await laptop.edit(
      "UPDATE recipe SET minutes = 1, notes = 'x' WHERE id = 'a'; INSERT INTO step VALUES (9, 'a', 'l')")
    try await desktop.edit(
      "UPDATE recipe SET minutes = 2 WHERE id = 'a'; INSERT INTO step VALUES (9, 'a', 'd')")
    try await laptop.device.sync()
    let session = desktop.device.container.session
    let cut = CloudContainer(
      ContainerSession(
        folder: session.folder, settings: session.settings, state: session.state, store: session.store,
        mergers: [CutMerger()]))
    #expect(try await cut.sync().failures.count == 1)
    #expect(try await desktop.rows("SELECT text FROM step WHERE id >= 9 ORDER BY id") == ["l", "d"])
    try await settle([laptop, desktop])
    #expect(try await laptop.rows("SELECT text FROM step WHERE id >= 9 ORDER BY id") == ["l", "d"])
    #expect(try await laptop.rows("SELECT minutes FROM recipe WHERE id = 'a'") == ["2"])
    #expect(try await laptop.conflicts().count == 1)
  }
}

private struct CutOff: Error {}

/// The rules of databases, for a run that is cut off after each merge.
private struct CutMerger: ContentMerger {
  private let merger = DatabaseMerger()

  func merges(packageAt url: URL) throws -> Bool { try merger.merges(packageAt: url) }
  func settle(packageAt url: URL) async throws { try await merger.settle(packageAt: url) }
  func sum(ofPackageAt url: URL) async throws -> String { try await merger.sum(ofPackageAt: url) }

  func merge(_ theirs: URL, since base: URL, intoPackageAt url: URL) async throws -> MergedContent {
    _ = try await merger.merge(theirs, since: base, intoPackageAt: url)
    throw CutOff()
  }
}
