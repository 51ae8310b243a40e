import Foundation
import GRDB
import ManagedDocuments
import Synchronization
import TestSupport
import Testing

@Suite("Undoing in a database", .temporaryDirectory)
struct ManagedUndoTests {
  @Test func `takes rows and files back and brings them again, also past saves`() async throws {
    let book = try await fixture.open()
    var moments = [try await book.book]
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden", named: "Add")
    moments.append(try await book.book)
    try await book.save()
    try await book.edit("Change") { db, content in
      try db.execute(sql: "UPDATE recipe SET title = 'Soup', servings = 4")
      try content.write("Pictures/1.jpeg", Data("red".utf8))
    }
    moments.append(try await book.book)
    try await book.edit("Remove") { db, content in
      try db.execute(sql: "DELETE FROM recipe")
      try content.remove("Pictures/1.jpeg")
    }
    moments.append(try await book.book)
    try await book.save()
    #expect(try await book.undoState.undoMenuItemTitle == "Undo Remove")
    for moment in moments.dropLast().reversed() {
      #expect(try await book.undo())
      #expect(try await book.book == moment)
      try await book.saveAndPublish()
      #expect(try fixture.visibleFiles == moment.files)
    }
    #expect(try await !book.undo())
    #expect(try await book.undoState == UndoStateFixture.redo(3, "Add"))
    for moment in moments.dropFirst() {
      #expect(try await book.redo())
      #expect(try await book.book == moment)
      try await book.saveAndPublish()
      #expect(try fixture.visibleFiles == moment.files)
    }
    #expect(try await !book.redo())
    try await book.close()
  }

  @Test func `past a save makes a document changed, and redoing up to it unchanged`() async throws {
    let book = try await fixture.openRösti()
    try await book.save()
    try await book.undo()
    #expect(await book.hasUnsavedChanges)
    try await book.redo()
    #expect(await !book.hasUnsavedChanges)
    try await book.add(Recipe(id: 2, title: "Soup"))
    #expect(await book.hasUnsavedChanges)
    try await book.undo()
    #expect(await !book.hasUnsavedChanges)
    try await book.undo()
    try await book.add(Recipe(id: 1, title: "Rösti"))
    #expect(await book.hasUnsavedChanges, "an equal edit is another state")
    #expect(try await !book.redo())
    try await book.close()
  }

  @Test func `takes edits of one name as one step, as typing`() async throws {
    let clock = ManualClock()
    let book = try await fixture.open {
      $0.undo = UndoPolicy()
      $0.clock = clock
    }
    try await book.add(Recipe(id: 1, title: ""))
    for title in ["R", "Rö", "Rös"] {
      try await book.edit("Typing") { db, content in
        try db.execute(sql: "UPDATE recipe SET title = ?", arguments: [title])
        try content.write(title, Data(title.utf8))
      }
    }
    clock.advance(by: .seconds(2))
    try await book.execute("UPDATE recipe SET title = 'Röst'", named: "Typing")
    #expect(try await book.undoState.undoCount == 3)
    try await book.undo()
    #expect(try await book.book.titles == ["Rös"])
    try await book.undo()
    #expect(try await book.book == Book(recipes: [Recipe(id: 1, title: "")]))
    try await book.redo()
    #expect(try await book.book.titles == ["Rös"])
    #expect(try await book.book.files.count == 3)
    try await book.undo()
    #expect(try await book.book == Book(recipes: [Recipe(id: 1, title: "")]))
    try await book.close()
  }

  @Test func `is bounded by steps and by bytes, and keeps the last step always`() async throws {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { $0.undo = UndoPolicy(levels: 3, groupingInterval: .zero) }
      for id in 1...5 { try await book.add(Recipe(id: Int64(id), title: "\(id)")) }
      #expect(try await book.undoState.undoCount == 3)
      while try await book.undo() {}
      #expect(try await book.book.titles == ["1", "2"])
      // Reverting needs all changes since the last save, and has them.
      try await book.revertToSaved()
      #expect(try await book.book.titles == [])
      try await book.close()
    }
    let book = try await fixture.open { $0.undo = UndoPolicy(byteBudget: 3000, groupingInterval: .zero) }
    for id in 1...5 {
      try await book.add(Recipe(id: Int64(id), title: String(repeating: "x", count: 1000)))
    }
    #expect(try await book.undoState.undoCount == 2)
    try await book.add(Recipe(id: 6, title: String(repeating: "x", count: 10_000)))
    #expect(try await book.undoState.undoCount == 1)
    try await book.close()
  }

  @Test func `goes back to the last save, and forgets what could be undone`() async throws {
    let book = try await fixture.openRösti(picture: "golden")
    try await book.save()
    let saved = try await book.book
    try await book.undo()
    try await book.add(Recipe(id: 7, title: "Soup"), picture: "red")
    try await book.undo()
    try await book.add(Recipe(id: 8, title: "Cake"), picture: "brown")
    try await book.revertToSaved()
    #expect(try await book.book == saved)
    #expect(await !book.hasUnsavedChanges)
    #expect(try await book.undoState == UndoStateFixture.empty)
    try await book.revertToSaved()
    #expect(try await book.book == saved)
    try await book.add(Recipe(id: 9, title: "Bread"), picture: "dark")
    try await book.close(discardingChanges: true)
    let again = try await fixture.open()
    #expect(try await again.book == saved)
    #expect(try fixture.visibleFiles == saved.files)
    try await again.close()
  }

  @Test func `takes back every accepted edit when it closes, also one whose transaction comes late`()
    async throws
  {
    let clock = TellingClock()
    let book = try await fixture.open { $0.clock = clock }
    try await book.add(Recipe(id: 1, title: "Soup"))
    let executor = HoldingExecutor()
    clock.tellNext { executor.holdNext() }
    let edit = Task(executorPreference: executor) { try await book.add(Recipe(id: 2, title: "Salad")) }
    await executor.holds()
    async let close = documentError { try await book.close(discardingChanges: true) }
    while await book.documentState.isDisjoint(with: [.editingDisabled, .closed]) { await Task.yield() }
    executor.release()
    try await edit.value
    #expect(await close == nil)
    let again = try await fixture.open()
    #expect(try await again.book.titles == [])
    #expect(await !again.hasUnsavedChanges)
    try await again.close()
  }

  /// Without undo the document does not know the changes.
  @Test func `closes a document whose edits cannot be taken back, and says so`() async throws {
    let book = try await fixture.open { $0.undo = nil }
    try await book.add(Recipe(id: 1, title: "Soup"))
    #expect(await documentError { try await book.close(discardingChanges: true) }?.code == .content)
    #expect(await book.documentState == .closed)
    let again = try await fixture.open { $0.undo = nil }
    #expect(try await again.book.titles == ["Soup"])
    #expect(await again.hasUnsavedChanges)
    try await again.save()
    try await again.close(discardingChanges: true)
  }

  @Test(arguments: [false, true])
  func `ends with the document, or goes on if an option says so`(keeps: Bool) async throws {
    let book = try await fixture.open { $0.keepsUndoAfterClosing = keeps }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.write("Pictures/1.jpeg", "red")
    try await book.close()
    let again = try await fixture.open { $0.keepsUndoAfterClosing = keeps }
    #expect(try await again.undo() == keeps)
    #expect(try await again.book.files["Pictures/1.jpeg"] == (keeps ? "golden" : "red"))
    try await again.close()
  }

  /// The clock of each session begins at its opening.
  @Test func `is a step of its own for the first edit of a session`() async throws {
    func open(_ clock: ManualClock) async throws -> ManagedDocument {
      try await fixture.open {
        $0.keepsUndoAfterClosing = true
        $0.undo = UndoPolicy()
        $0.clock = clock
      }
    }
    let clock = ManualClock()
    let book = try await open(clock)
    clock.advance(by: .seconds(10))
    try await book.add(Recipe(id: 1, title: "Rösti"), named: "Typing")
    try await book.close()
    let again = try await open(ManualClock())
    try await again.add(Recipe(id: 2, title: "Soup"), named: "Typing")
    #expect(try await again.undoState.undoCount == 2)
    try await again.close()
  }

  @Test func `is known to the document, also if its task is cancelled meanwhile`() async throws {
    let (gate, isHeld) = (Gate(), Held())
    let book = try await fixture.open { options in
      options.configuration.prepareDatabase { db in
        db.add(
          function: DatabaseFunction("pass", argumentCount: 1) { _ in
            if isHeld.value.withLock({ $0 }) { gate.enter() }
            return true
          })
      }
      options.migrator?.registerMigration("items") { db in
        try db.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY CHECK (pass(id)))")
      }
    }
    try await book.execute("INSERT INTO item VALUES (1)")
    try await book.execute("DELETE FROM item")
    try await book.save()
    isHeld.value.withLock { $0 = true }
    let undo = Task { try await book.undo() }
    try await gate.entered()
    isHeld.value.withLock { $0 = false }
    undo.cancel()
    gate.leave()
    #expect(try await undo.value)
    #expect(await book.hasUnsavedChanges)
    #expect(try await book.read { db, _ in try Int.fetchAll(db, sql: "SELECT id FROM item") } == [1])
    try await book.close()
  }

  @Test func `takes back what triggers, cascades and statements without WHERE did`() async throws {
    try await expectUndo(
      schema: """
        CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL, books INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE book(id INTEGER PRIMARY KEY, author INTEGER NOT NULL
          REFERENCES author(id) ON DELETE CASCADE ON UPDATE CASCADE, title TEXT NOT NULL);
        CREATE TABLE loan(id INTEGER PRIMARY KEY, book INTEGER REFERENCES book(id) ON DELETE SET NULL);
        CREATE TRIGGER counted AFTER INSERT ON book BEGIN
          UPDATE author SET books = books + 1 WHERE id = new.author;
        END;
        """,
      edits: [
        "INSERT INTO author(id, name) VALUES (1, 'Ana'), (2, 'Ben')",
        "INSERT INTO book VALUES (1, 1, 'Soups'), (2, 1, 'Cakes'), (3, 2, 'Bread')",
        "INSERT INTO loan VALUES (1, 1), (2, 3)", "UPDATE author SET id = 9 WHERE id = 1",
        "DELETE FROM author WHERE id = 9", "DELETE FROM loan", "DELETE FROM book", "DELETE FROM author",
      ], tables: ["author", "book", "loan"])
  }

  @Test func `takes back an exchange of unique values`() async throws {
    try await expectUndo(
      schema: "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, place INT NOT NULL UNIQUE, v)",
      edits: [
        "INSERT INTO t VALUES ('a', 1, 0), ('b', 2, 0), ('c', 3, 0)",
        """
        UPDATE t SET place = 0 WHERE k = 'a'; UPDATE t SET place = 1 WHERE k = 'b';
        UPDATE t SET place = 2, v = 7 WHERE k = 'a';
        """,
        """
        DELETE FROM t WHERE k = 'c'; UPDATE t SET place = 3 WHERE k = 'a';
        INSERT INTO t VALUES ('d', 2, 1);
        """,
      ], tables: ["t"])
  }

  @Test func `takes back changes of tables without row numbers, of any value`() async throws {
    try await expectUndo(
      schema: """
        CREATE TABLE w(a TEXT NOT NULL, b INTEGER NOT NULL, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE TABLE s(k TEXT PRIMARY KEY NOT NULL, v ANY) STRICT;
        """,
      edits: [
        "INSERT INTO w VALUES ('x', 1, NULL), ('x', 2, 1.5), ('y', 1, x'00ff'), ('z', -9, 'ö' || char(0) || 'x')",
        "INSERT INTO s VALUES ('', 9223372036854775807), ('k', -0.0)", "UPDATE w SET v = b, b = b + 10",
        "UPDATE w SET a = 'q' WHERE a = 'x'", "REPLACE INTO s VALUES ('k', 'new')", "DELETE FROM w",
        "DELETE FROM s",
      ], tables: ["w", "s"])
  }

  /// Edits from before a migration, and those of a program that does not undo, cannot be taken back.
  @Test(arguments: [false, true])
  func `refuses to go back to the last save if it knows only some changes`(isMigrated: Bool) async throws {
    // Without a watcher no task holds the document when the test drops it.
    var book: ManagedDocument? = try await fixture.open {
      $0.watchesDisk = false
      if !isMigrated { $0.undo = nil }
    }
    try await book?.add(Recipe(id: 1, title: "Rösti"))
    book = nil
    try await fixture.waitUntilClosed()
    let again = try await fixture.open {
      if isMigrated { $0.migrator?.registerMigration("newer") { _ in } }
    }
    try await again.add(Recipe(id: 2, title: "Soup"))
    #expect(await documentError { try await again.revertToSaved() }?.code == .content)
    #expect(try await again.book.titles == ["Rösti", "Soup"])
    try await again.close()
  }

  @Test func `ends before the first migration, also if a later one fails`() async throws {
    struct Failure: Error {}
    // Without a watcher no task holds the document when the test drops it.
    var book: ManagedDocument? = try await fixture.open { $0.watchesDisk = false }
    try await book?.add(Recipe(id: 1, title: "Rösti"))
    book = nil
    try await fixture.waitUntilClosed()
    await #expect(throws: DocumentError.self) {
      try await fixture.open {
        $0.migrator?.registerMigration("stars") { db in
          try db.execute(sql: "ALTER TABLE recipe ADD COLUMN stars INTEGER")
        }
        $0.migrator?.registerMigration("bad") { _ in throw Failure() }
      }
    }
    let again = try await fixture.open { $0.migrator?.registerMigration("stars") { _ in } }
    #expect(await again.hasUnsavedChanges)
    #expect(await documentError { try await again.revertToSaved() }?.code == .content)
    #expect(try await again.book.titles == ["Rösti"])
    try await again.close()
  }

  @Test func `is off if an option says so`() async throws {
    let book = try await fixture.open { $0.undo = nil }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    #expect(await book.hasUnsavedChanges)
    #expect(try await !book.undo())
    let error = await documentError { try await book.revertToSaved() }
    #expect(
      error?.description
        == "The document 'Recipes.recipebook' could not be reverted: the changes since its last save are not known."
    )
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    try await book.close()
  }

  /// Makes each edit, undoes all and redoes all, and compares all tables at each step.
  private func expectUndo(schema: String, edits: [String], tables: [String]) async throws {
    let book = try await fixture.open { options in
      options.migrator = DatabaseMigrator()
      options.migrator?.registerMigration("schema") { db in try db.execute(sql: schema) }
    }
    @Sendable func rows() async throws -> [[[DatabaseValue]]] {
      try await book.read { db, _ in
        try tables.map { table in
          try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map { Array($0.databaseValues) }
        }
      }
    }
    var moments = [try await rows()]
    for edit in edits {
      try await book.execute(edit)
      moments.append(try await rows())
    }
    for moment in moments.dropLast().reversed() {
      #expect(try await book.undo())
      #expect(try await rows() == moment)
    }
    for moment in moments.dropFirst() {
      #expect(try await book.redo())
      #expect(try await rows() == moment)
    }
    let violation = try await book.read { db, _ in try db.foreignKeyViolations().next() == nil }
    #expect(violation)
    try await book.revertToSaved()
    #expect(try await rows() == moments[0])
    try await book.close()
  }
}

/// Expected states of undoing.
enum UndoStateFixture {
  static let empty = UndoState(levelsOfUndo: 0)

  static func redo(_ count: Int, _ name: String) -> UndoState {
    var state = empty
    (state.canRedo, state.redoCount, state.redoActionName) = (true, count, name)
    return state
  }
}

/// Whether a function of SQLite waits.
private final class Held: Sendable { let value = Mutex(false) }

/// A clock that tells when a document asks for the time, which it does for each edit.
private final class TellingClock: Clock {
  private let next = Mutex<(@Sendable () -> Void)?>(nil)

  var now: ContinuousClock.Instant {
    let told = next.withLock { next in
      defer { next = nil }
      return next
    }
    told?()
    return ContinuousClock().now
  }
  var minimumResolution: Duration { ContinuousClock().minimumResolution }

  func tellNext(_ body: @escaping @Sendable () -> Void) { next.withLock { $0 = body } }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }
}

/// Holds a step of a task until it may go on.
private final class HoldingExecutor: TaskExecutor {
  private struct State {
    var isHolding = false
    var held: UnownedJob?
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func holdNext() { state.withLock { $0.isHolding = true } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isHeld, waiting) = state.withLock { state in
      if !state.isHolding || state.held != nil { return (false, nil as CheckedContinuation<Void, Never>?) }
      state.held = job
      return (true, state.waiting)
    }
    waiting?.resume()
    if !isHeld { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// Waits until a step is held.
  func holds() async {
    await withCheckedContinuation { caller in
      let isHeld = state.withLock { state in
        if state.held == nil { state.waiting = caller }
        return state.held != nil
      }
      if isHeld { caller.resume() }
    }
  }

  func release() {
    let job = state.withLock { state in
      state.isHolding = false
      return state.held
    }
    if let job { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }
}
