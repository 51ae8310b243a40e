import Documents
import DurableIO
import TestSupport
import Testing

@Suite("Undoing")
struct UndoTests {
  /// Makes a document of one page, and a clock that stands still.
  private func document(
    _ change: (inout DocumentOptions<Pages>) -> Void = { _ in }
  ) async throws -> (document: Document<Pages>, clock: ManualClock) {
    let clock = ManualClock()
    let document = try await Trip.create(Pages(["a.txt": "0"]), on: try CrashDisk()) { options in
      options.clock = clock
      change(&options)
    }
    return (document, clock)
  }

  @Test func `goes back and forth, with names`() async throws {
    let (document, _) = try await document()
    #expect(await !document.undoState.canUndo)
    #expect(await !document.undoState.canRedo)
    #expect(await document.undoState.undoMenuItemTitle == "Undo")
    #expect(try await !document.undo())
    try await document.set("1", "First")
    try await document.set("2", "Second")
    #expect(await document.undoState.undoMenuItemTitle == "Undo Second")
    #expect(await document.undoState.undoCount == 2)
    #expect(try await document.undo())
    #expect(try await document.text == "1")
    #expect(await document.undoState.redoMenuItemTitle == "Redo Second")
    #expect(await document.undoState.undoActionName == "First")
    #expect(try await document.redo())
    #expect(try await document.text == "2")
    #expect(try await !document.redo())
    try await document.undo()
    try await document.undo()
    #expect(try await document.text == "0")
    // A new edit removes the redo steps.
    try await document.set("3", "Third")
    #expect(await !document.undoState.canRedo)
  }

  @Test func `takes typing as one, by name and time`() async throws {
    let (document, clock) = try await document()
    for number in 1...5 {
      try await document.set("typed \(number)", "Typing")
      clock.advance(by: .milliseconds(900))
    }
    #expect(await document.undoState.undoCount == 1)
    clock.advance(by: .milliseconds(200))
    try await document.set("later", "Typing")
    try await document.set("deleted", "Delete")
    #expect(await document.undoState.undoCount == 3)
    try await document.undo()
    try await document.undo()
    #expect(try await document.text == "typed 5")
    try await document.undo()
    #expect(try await document.text == "0")
    try await document.redo()
    #expect(try await document.text == "typed 5")
    // A later edit does not join a redone step.
    try await document.set("more", "Typing")
    try await document.undo()
    #expect(try await document.text == "typed 5")
    // Each edit without a name is a step of its own.
    try await document.set("x", "")
    try await document.set("y", "")
    try await document.undo()
    #expect(try await document.text == "x")
  }

  @Test func `takes a group as one`() async throws {
    let (document, _) = try await document()
    try await document.set("1", "Typing")
    await document.groupEdits("Both") { document in
      #expect(throws: Never.self) { try document.edit("Typing") { $0["a.txt"] = "2" } }
      #expect(throws: Never.self) { try document.edit { $0["a.txt"] = "3" } }
    }
    try await document.set("4", "Typing")
    #expect(await document.undoState.undoCount == 3)
    try await document.undo()
    #expect(try await document.text == "3")
    #expect(await document.undoState.undoActionName == "Both")
    try await document.undo()
    #expect(try await document.text == "1")
    #expect(await document.undoState.redoActionName == "Both")
    try await document.redo()
    #expect(try await document.text == "3")
    try await document.undo()
    // The edits before an error stay, and are one step, too.
    await #expect(throws: CancellationError.self) {
      try await document.groupEdits { document in
        try document.edit("One") { $0["a.txt"] = "5" }
        try document.edit("Two") { $0["a.txt"] = "6" }
        throw CancellationError()
      }
    }
    #expect(await document.undoState.undoActionName == "Two")
    try await document.undo()
    #expect(try await document.text == "1")
    // A group without edits is no step.
    await document.groupEdits("Empty") { _ in }
    #expect(await document.undoState.redoActionName == "Two")
  }

  @Test func `is bounded by levels, at once when they are lowered`() async throws {
    let (document, _) = try await document { $0.undo = UndoPolicy(levels: 3) }
    for number in 1...5 { try await document.set("\(number)", "") }
    #expect(await document.undoState.undoCount == 3)
    await document.setLevelsOfUndo(1)
    #expect(await document.undoState.undoCount == 1)
    try await document.undo()
    #expect(try await document.text == "4")
    #expect(try await !document.undo())
    await document.setLevelsOfUndo(0)
    for number in 1...50 { try await document.set("\(number)", "") }
    #expect(await document.undoState.undoCount == 50)
    await document.removeAllUndoActions()
    #expect(await document.undoState == UndoState(levelsOfUndo: 0))
  }

  @Test func `is bounded by bytes, and keeps the last step always`() async throws {
    // Each step has the default cost.
    let (document, _) = try await document { $0.undo = UndoPolicy(byteBudget: 5 * (64 << 10)) }
    for number in 1...20 { try await document.set("\(number)", "") }
    #expect(await document.undoState.undoCount == 5)
    let (tiny, _) = try await self.document { $0.undo = UndoPolicy(byteBudget: 1) }
    for number in 1...20 { try await tiny.set("\(number)", "") }
    #expect(await tiny.undoState.undoCount == 1)
    try await tiny.undo()
    #expect(try await tiny.text == "19")
  }

  @Test func `past a save makes a document changed, and redoing up to it unchanged`() async throws {
    // A new edit after an undo has a revision of its own, and does not look saved (CT1).
    let (document, _) = try await document()
    try await document.set("1", "")
    try await document.set("2", "")
    try await document.save()
    #expect(await !document.hasUnsavedChanges)
    try await document.undo()
    #expect(await document.hasUnsavedChanges)
    try await document.redo()
    #expect(await !document.hasUnsavedChanges)
    // An equal number of undos and edits does not make the document saved.
    try await document.undo()
    try await document.set("other", "")
    #expect(await document.hasUnsavedChanges)
    try await document.undo()
    #expect(await document.hasUnsavedChanges)
    try await document.save()
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `of what is discardable leaves a document unchanged`() async throws {
    let (document, _) = try await document()
    try await document.edit("Select", isDiscardable: true) { $0["b.txt"] = "selected" }
    #expect(await !document.hasUnsavedChanges)
    #expect(await document.undoState.undoActionIsDiscardable)
    try await document.set("1", "Edit")
    #expect(await !document.undoState.undoActionIsDiscardable)
    try await document.undo()
    #expect(await !document.hasUnsavedChanges)
    #expect(await !document.undoState.redoActionIsDiscardable)
    try await document.undo()
    #expect(await !document.hasUnsavedChanges)
    #expect(await document.undoState.redoActionIsDiscardable)
    #expect(try await document.content["b.txt"] == nil)
  }

  @Test func `counts changes that are made elsewhere as identities`() async throws {
    let (document, _) = try await document()
    await document.updateChangeCount(.done)
    await document.updateChangeCount(.done)
    #expect(await document.hasUnsavedChanges)
    let token = await document.changeCountToken(for: .forOverwriting)
    await document.updateChangeCount(.done)
    await document.updateChangeCount(withToken: token, for: .forOverwriting)
    #expect(await document.hasUnsavedChanges)
    await document.updateChangeCount(.undone)
    #expect(await !document.hasUnsavedChanges)
    await document.updateChangeCount(.undone)
    #expect(await document.hasUnsavedChanges)
    await document.updateChangeCount(.redone)
    #expect(await !document.hasUnsavedChanges)
    await document.updateChangeCount(.undone)
    await document.updateChangeCount(.done)
    #expect(await document.hasUnsavedChanges)
    await document.updateChangeCount(.cleared)
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `leaves the content as it was when an edit throws`() async throws {
    let (document, _) = try await document()
    await #expect(throws: CancellationError.self) {
      try await document.edit("Half") { pages in
        pages["a.txt"] = "half"
        throw CancellationError()
      }
    }
    #expect(try await document.text == "0")
    #expect(await !document.hasUnsavedChanges)
    #expect(await !document.undoState.canUndo)
  }
}

extension Document<Pages> {
  fileprivate var text: String? { get throws { try content["a.txt"] } }

  fileprivate func set(_ text: String, _ name: String) throws {
    try edit(name) { $0["a.txt"] = text }
  }
}
