import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("A document with a database beside another program's transactions", .temporaryDirectory)
struct ManagedOthersTests {
  /// The same numbers of SQLite stand for own and other transactions.
  @Test func `hears of each once, and of none of its own`() async throws {
    let events = NoteList<DocumentEvent>()
    let book = try await fixture.open {
      $0.watchesDisk = false
      $0.eventHandler = { events.add($0) }
    }
    let theirs = try await fixture.open { $0.watchesDisk = false }
    // The opening of the other document is a transaction, too.
    await book.presentedItemDidChange()
    #expect(events.takeChanges() == 1)
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.undo()
    try await book.redo()
    try await book.save()
    try await book.add(Recipe(id: 2, title: "Soup"))
    try await book.revertToSaved()
    await book.presentedItemDidChange()
    #expect(events.takeChanges() == 0)
    try await theirs.add(Recipe(id: 3, title: "Bread"))
    await book.presentedItemDidChange()
    await book.presentedItemDidChange()
    #expect(events.takeChanges() == 1)
    // Own transactions after another program's do not hide it.
    try await book.add(Recipe(id: 4, title: "Jam"))
    try await theirs.add(Recipe(id: 5, title: "Tea"))
    try await book.undo()
    await book.presentedItemDidChange()
    #expect(events.takeChanges() == 1)
    try await closeAll(theirs, book)
  }

  /// `cp -al` and programs that save room give the files of two packages one node.
  @Test func `stays as it is while a copy that shares its files is edited`() async throws {
    let (copy, late) = (BookFixture(folder: fixture.folder, name: "Copy.recipebook"), "Late.recipebook")
    func link(as name: String) throws {
      let run = try Program(path: "/bin/cp").run([
        "-al", fixture.url.path, fixture.folder.appending(name).string,
      ])
      #expect(run.status == 0, "\(run)")
    }
    let book = try await fixture.openRösti(picture: "golden")
    let saved = try await book.book
    try await book.close()
    try link(as: copy.name)
    let other = try await copy.open()
    try await other.add(Recipe(id: 2, title: "Soup"), picture: "hot")
    try await other.close()
    let again = try await fixture.open()
    #expect(try await again.book == saved)
    try link(as: late)
    let refusal = await #expect(throws: DocumentError.self) {
      try await BookFixture(folder: fixture.folder, name: late).open()
    }
    #expect("\(String(describing: refusal))".contains("a copy with hard links shares its database"))
    try await again.add(Recipe(id: 3, title: "Bread"))
    try await again.close()
    let otherAgain = try await copy.open()
    #expect(try await otherAgain.book.titles == ["Rösti", "Soup"])
    try await otherAgain.close()
  }

  @Test func `tells its observers by itself`() async throws {
    let book = try await fixture.open()
    let theirs = try await fixture.openRösti()
    try await withDeadline("another program's row in an observation") {
      for try await count in book.observe({ try Recipe.fetchCount($0) }) where count == 1 { return }
    }
    try await withDeadline("unsaved edits of another program") {
      while await !book.hasUnsavedChanges { await Task.yield() }
    }
    try await theirs.save()
    try await withDeadline("a save of another program") {
      while await book.hasUnsavedChanges { await Task.yield() }
    }
    try await closeAll(theirs, book)
  }
}

extension NoteList<DocumentEvent> {
  /// Returns the number of changes by other programs since the last call.
  func takeChanges() -> Int { taken().count { if case .changedByOthers = $0 { true } else { false } } }
}
