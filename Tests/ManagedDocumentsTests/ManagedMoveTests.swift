import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("An open document with a database that another program moves or removes", .temporaryDirectory)
struct ManagedMoveTests {
  /// The save comes before the watcher's report, or finds the document without a watcher.
  @Test(arguments: [true, false])
  func `goes on in the new place with its next save`(_ watches: Bool) async throws {
    let book = try await fixture.open { $0.watchesDisk = watches }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    let moved = fixture.moved
    try FileManager.default.moveItem(at: fixture.url, to: moved.url)
    try await book.add(Recipe(id: 2, title: "Soup"), picture: "green")
    try await book.saveAndPublish()
    #expect(await book.fileURL.lastPathComponent == "Moved.recipebook")
    #expect(try moved.visibleFiles == ["Pictures/1.jpeg": "golden", "Pictures/2.jpeg": "green"])
    // Each reader has a connection of its own, which opens the database's files again.
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try await book.read { db, _ in try Recipe.fetchCount(db) } } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 2, count: 8))
    try await book.add(Recipe(id: 3, title: "Bread"))
    try await book.undo()
    try await book.close()
    #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
    #expect(try moved.names(in: "StoreContent") == ["persistentStore"], "the log is folded in")
    #expect(try moved.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])
    let again = try await moved.open()
    #expect(try await again.book.titles == ["Rösti", "Soup"])
    try await again.close()
  }

  @Test(arguments: [1, 100_000])
  func `reads and writes its files in the new place before a save`(_ count: Int) async throws {
    let book = try await fixture.open { $0.watchesDisk = false }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.saveAndPublish()
    try FileManager.default.moveItem(at: fixture.url, to: fixture.moved.url)
    // Another package in the old place.
    try await fixture.open().close()
    #expect(try await book.book.files == ["Pictures/1.jpeg": "golden"])
    let large = String(repeating: "abc", count: count)
    try await book.write("Pictures/1.jpeg", large)
    #expect(try await book.book.files == ["Pictures/1.jpeg": large])
    try await book.saveAndPublish()
    #expect(try fixture.moved.visibleFiles == ["Pictures/1.jpeg": large])
    try await book.close()
    #expect(try fixture.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])
  }

  @Test func `notices a move by itself`() async throws {
    let events = NoteList<DocumentEvent>()
    let book = try await fixture.open { $0.eventHandler = { events.add($0) } }
    try await book.add(Recipe(id: 1, title: "Rösti"))
    let moved = fixture.moved
    try FileManager.default.moveItem(at: fixture.url, to: moved.url)
    try await withDeadline("the new place") {
      while await book.fileURL.lastPathComponent != "Moved.recipebook" { await Task.yield() }
    }
    #expect(events.all.contains { if case .moved = $0 { true } else { false } })
    // It goes on watching there.
    let other = try DatabaseQueue(path: moved.url.appending(path: "StoreContent/persistentStore").path)
    try await other.write { db in try Recipe(id: 2, title: "Soup").insert(db) }
    try await withDeadline("a row of another program") {
      for try await count in book.observe({ try Recipe.fetchCount($0) }) where count == 2 { return }
    }
    try other.close()
    try await book.close()
    #expect(try moved.names(in: "StoreContent") == ["persistentStore"])
  }

  @Test func `follows a coordinated move at once, and no other package`() async throws {
    let errors = NoteList<DocumentError>()
    let book = try await fixture.open {
      $0.watchesDisk = false
      $0.errorHandler = { errors.add($0) }
    }
    try await book.add(Recipe(id: 1, title: "Rösti"))
    let moved = fixture.moved
    try FileManager.default.moveItem(at: fixture.url, to: moved.url)
    await book.presentedItemDidMove(to: moved.url)
    #expect(await book.fileURL == moved.url)
    let other = try await fixture.open()
    await book.presentedItemDidMove(to: fixture.url)
    #expect(errors.all.map { $0.fileError?.code } == [.changedOnDisk])
    #expect(await book.fileURL == moved.url)
    try await closeAll(other, book)
  }

  @Test func `is moved by a program that coordinates, with its edits saved first`() async throws {
    let book = try await fixture.open {
      $0.watchesDisk = false
      $0.isCoordinated = true
    }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    let (old, moved) = (fixture.url, fixture.moved)
    let coordinator = FileCoordinator()
    try await coordinator.coordinate(
      with: [
        .writingIntent(with: old, options: .forMoving),
        .writingIntent(with: moved.url, options: .forReplacing),
      ], deadline: .seconds(120)
    ) {
      coordinator.item(at: old, willMoveTo: moved.url)
      try FileManager.default.moveItem(at: old, to: moved.url)
      try await coordinator.item(at: old, didMoveTo: moved.url)
    }
    try await withDeadline("the new place") {
      while await book.fileURL.lastPathComponent != "Moved.recipebook" { await Task.yield() }
    }
    try await book.add(Recipe(id: 2, title: "Soup"), picture: "green")
    try await book.close()
    #expect(try moved.visibleFiles == ["Pictures/1.jpeg": "golden", "Pictures/2.jpeg": "green"])
    #expect(!FileManager.default.fileExists(atPath: old.path))
  }

  @Test func `can be read after its removal, and is not made again`() async throws {
    let (events, errors) = (NoteList<DocumentEvent>(), NoteList<DocumentError>())
    let book = try await fixture.open {
      $0.eventHandler = { events.add($0) }
      $0.errorHandler = { errors.add($0) }
    }
    try await book.add(Recipe(id: 1, title: "Rösti"))
    try FileManager.default.removeItem(at: fixture.url)
    try await withDeadline("the removal") { while await book.isOpen { await Task.yield() } }
    #expect(await book.documentState == .closed)
    #expect(errors.all.map(\.code) == [.deleted])
    #expect(errors.all.first?.hasUnsavedChanges == true)
    #expect(events.takeChanges() > 0)
    #expect(try await book.read { db, _ in try Recipe.fetchAll(db).map(\.title) } == ["Rösti"])
    #expect(await documentError { try await book.add(Recipe(id: 2, title: "Soup")) }?.code == .deleted)
    #expect(await documentError { try await book.save() }?.code == .deleted)
    #expect(await documentError { try await book.undo() }?.code == .deleted)
    try await book.close()
    #expect(await documentError { _ = try await book.book }?.code == .closed)
    #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
  }

  @Test func `leaves another package in its place alone`() async throws {
    let book = try await fixture.open { $0.watchesDisk = false }
    try await book.add(Recipe(id: 1, title: "Rösti"))
    let moved = fixture.moved
    let other = try await moved.open()
    try await other.add(Recipe(id: 1, title: "Soup"))
    try await other.close()
    try FileManager.default.removeItem(at: fixture.url)
    try FileManager.default.moveItem(at: moved.url, to: fixture.url)
    #expect(await documentError { try await book.save() }?.code == .deleted)
    #expect(try await book.read { db, _ in try Recipe.fetchAll(db).map(\.title) } == ["Rösti"])
    try await book.close()
    let again = try await fixture.open()
    #expect(try await again.book.titles == ["Soup"])
    try await again.close()
  }
}

extension BookFixture {
  /// The place to which another program moves the document.
  fileprivate var moved: BookFixture { BookFixture(folder: folder, name: "Moved.recipebook") }
}
