import Documents
import DurableIO
import FilePackages
import Foundation
import GRDB
import ManagedDocuments
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A document with a database that has a problem", .temporaryDirectory)
struct ManagedErrorTests {
  @Test(arguments: 0...1)
  func `is not opened if its hidden folder cannot be made durable`(number: Int) async throws {
    try await fixture.open().close()
    // The names in the folder, and the name of the folder: bytes of a save may be there only.
    let faulty = FaultyDisk(PosixDisk(), .operation(.synchronize, from: number))
    await #expect(throws: (any Error).self) { _ = try await fixture.open { $0.disk = faulty.disk } }
    #expect(faulty.injectedFailures > 0)
  }

  @Test func `is opened for reading by an older program`() async throws {
    let newer = try await fixture.open {
      $0.migrator?.registerMigration("newer") { db in
        try db.execute(sql: "ALTER TABLE recipe ADD COLUMN stars INTEGER NOT NULL DEFAULT 3")
      }
      $0.program = SavingProgram(name: "Recipes", version: "2.1")
    }
    #expect(await newer.writingRefusal == nil)
    try await newer.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await newer.close()
    let digest = try await ManagedPackage(at: fixture.url)?.contentDigest()
    let older = try await fixture.open()
    #expect(await older.documentState == .editingDisabled)
    #expect(try await older.book.titles == ["Rösti"])
    let refusal = await older.writingRefusal
    #expect(refusal?.fileError?.code == .newerFormat)
    #expect(
      refusal?.description
        == "The document 'Recipes.recipebook' could not be saved: a newer version of the application made its schema: "
        + "Recipes 2.1 saved it last. The document on disk is unchanged since it was opened. Use the newer program, or "
        + "open a copy that this one made.")
    for call in [
      { try await older.add(Recipe(id: 2, title: "Soup")) }, { _ = try await older.save() },
      { try await older.undo() },
    ] {
      #expect(await documentError { try await call() }?.fileError?.code == .newerFormat)
    }
    try await older.close()
    #expect(try await ManagedPackage(at: fixture.url)?.contentDigest() == digest && digest != nil)
    #expect(try fixture.names(in: "StoreContent") == ["persistentStore"])
    #expect(try fixture.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])
    let again = try await fixture.open { $0.migrator?.registerMigration("newer") { _ in } }
    try await again.add(Recipe(id: 2, title: "Soup"))
    #expect(try await again.book.titles == ["Rösti", "Soup"])
    try await again.close()
  }

  @Test func `is not opened by a program with other migrations`() async throws {
    let one = try await fixture.open { $0.migrator?.registerMigration("one") { _ in } }
    try await one.close()
    let error = await documentError {
      _ = try await fixture.open { $0.migrator?.registerMigration("other") { _ in } }
    }
    #expect(error?.fileError?.code == .newerFormat)
    #expect(error?.description.contains("a newer version of the application made its schema") == true)
  }

  @Test(arguments: [
    ("CREATE TABLE t(a)", "table 't' has no primary key"),
    ("CREATE TABLE t(a TEXT PRIMARY KEY)", "column 'a' in the primary key of table 't' may be NULL"),
    ("CREATE TABLE t(a INTEGER PRIMARY KEY, b AS (a + 1))", "table 't' has the generated column 'b'"),
  ])
  func `is not opened if a table's changes cannot be undone`(_ sql: String, _ reason: String) async throws {
    let error = await documentError {
      _ = try await fixture.open { $0.migrator?.registerMigration("bad") { db in try db.execute(sql: sql) } }
    }
    #expect(error?.fileError?.code == .invalidContent)
    #expect(error?.description.contains(reason) == true)
  }

  @Test func `refuses a schema change in an edit`() async throws {
    let book = try await fixture.open()
    let error = await documentError {
      try await book.execute("CREATE TABLE t(a INTEGER PRIMARY KEY)")
    }
    #expect(error?.description.contains("an edit changed the schema; the migrator does that") == true)
    #expect(try await book.read { db, _ in try !db.tableExists("t") })
    try await book.close()
  }

  @Test func `names a missing file, and publishes it again by a new edit`() async throws {
    let book = try await fixture.openRösti(picture: "golden")
    try await book.saveAndPublish()
    try FileManager.default.removeItem(at: fixture.url.appending(path: "AdditionalContent/Pictures"))
    let error = await documentError { _ = try await book.book }
    #expect(error?.fileError?.child == "AdditionalContent/Pictures/1.jpeg")
    try await book.publish("Pictures/1.jpeg", "brown")
    #expect(await book.documentState == .normal)
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "brown"])
    try await book.close()
  }

  /// Its own copy has the bytes that the file had.
  @Test(arguments: [1, 100_000], [false, true])
  func `brings a file back by writing the same bytes again`(_ count: Int, isMissing: Bool) async throws {
    let bytes = Data(String(repeating: "abc", count: count).utf8)
    let source = URL(filePath: fixture.folder.appending("source").string)
    try bytes.write(to: source)
    let place = fixture.url.appending(path: "AdditionalContent/a")
    let book = try await fixture.open()
    try await book.edit { _, content in try content.write("a", bytes) }
    try await book.saveAndPublish()
    for isFile in [false, true] {
      if isMissing { try FileManager.default.removeItem(at: place) } else { try Data().write(to: place) }
      try await book.edit { _, content in
        if isFile { try content.write("a", contentsOf: source) } else { try content.write("a", bytes) }
      }
      #expect(try await book.read { _, content in try content.read("a") } == bytes)
      try await book.saveAndPublish()
      #expect(try Data(contentsOf: place) == bytes)
      // Once more is no change.
      try await book.edit { _, content in
        if isFile { try content.write("a", contentsOf: source) } else { try content.write("a", bytes) }
      }
      #expect(await !book.hasUnsavedChanges)
    }
    try await book.close()
  }

  @Test func `reports a database that is locked, and loses nothing`() async throws {
    let book = try await fixture.open { $0.configuration.busyMode = .immediateError }
    let other = try DatabaseQueue(path: fixture.store.path, configuration: .unsafe)
    try await book.add(Recipe(id: 1, title: "Rösti"))
    try other.inDatabase { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    #expect(
      await documentError { try await book.add(Recipe(id: 2, title: "Soup")) }?.fileError?.code == .busy)
    let failure = await documentError { try await book.save() }
    #expect(failure?.fileError?.code == .busy)
    #expect(
      failure?.description
        == "The document 'Recipes.recipebook' could not be saved: another program is using it (writing 'StoreContent/persistentStore'). The document on disk is unchanged since it was opened. Try again after it has finished. The edits are still in memory."
    )
    let refusal = await documentError {
      _ = try await fixture.open { $0.configuration.busyMode = .immediateError }
    }
    #expect(
      refusal?.description
        == "The document 'Recipes.recipebook' could not be opened: another program is using it (opening 'StoreContent/persistentStore'). Try again after it has finished."
    )
    #expect(failure?.hasUnsavedChanges == true)
    #expect(await book.documentState == .savingError)
    try other.inDatabase { db in try db.execute(sql: "ROLLBACK") }
    try other.close()
    try await book.save()
    #expect(await book.documentState == .normal)
    #expect(try await book.book.titles == ["Rösti"])
    try await book.close()
  }
}

/// The reports of publishing that a handler got.
final class PublishingList: Sendable {
  private let reports = Mutex<[SaveReport]>([])
  private let (signals, signal) = AsyncStream.makeStream(of: Void.self)

  func add(_ event: DocumentEvent) {
    guard case .published(let report) = event else { return }
    reports.withLock { $0.append(report) }
    signal.yield()
  }

  var published: [SaveReport] { reports.withLock { $0 } }

  /// Waits for the next publishing.
  func nextPublishing() async {
    for await _ in signals { return }
  }
}
