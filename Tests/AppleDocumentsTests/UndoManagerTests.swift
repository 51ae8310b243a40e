import AppleDocuments
import Testing

/// Numbers that register the opposite of each change.
private final class Numbers {
  var values: [Int] = []
  let undoManager: UndoManager
  private(set) var levels: [Int] = []

  init(_ undoManager: UndoManager) { self.undoManager = undoManager }

  func add(_ number: Int) {
    undoManager.registerUndo(withTarget: self) { $0.remove(number) }
    values.append(number)
    levels.append(undoManager.groupingLevel)
  }

  func remove(_ number: Int) {
    undoManager.registerUndo(withTarget: self) { $0.add(number) }
    values.removeAll { $0 == number }
    levels.append(undoManager.groupingLevel)
  }
}

/// One call of a row.
enum UndoCall: Sendable {
  case begin, end, endEvent, undo, undoNested, redo, disable, enable, removeAll, removeTarget
  case add(Int)
  case levels(Int)
}

/// Calls, and the manager after them.
struct UndoRow: Sendable, CustomTestStringConvertible {
  var calls: [UndoCall]
  var level = 0
  var undo = 0
  var redo = 0
  var values: [Int] = []

  var testDescription: String { "\(calls)" }
}

@Suite("An undo manager")
@MainActor
struct UndoManagerTests {
  private func run(_ row: UndoRow, _ manager: UndoManager) {
    let numbers = Numbers(manager)
    for call in row.calls {
      switch call {
      case .begin: manager.beginUndoGrouping()
      case .end: manager.endUndoGrouping()
      case .endEvent: manager.endEventGrouping()
      case .undo: manager.undo()
      case .undoNested: manager.undoNestedGroup()
      case .redo: manager.redo()
      case .disable: manager.disableUndoRegistration()
      case .enable: manager.enableUndoRegistration()
      case .removeAll: manager.removeAllActions()
      case .removeTarget: manager.removeAllActions(withTarget: numbers)
      case .add(let number): numbers.add(number)
      case .levels(let levels): manager.levelsOfUndo = levels
      }
    }
    #expect(manager.groupingLevel == row.level)
    #expect(manager.undoCount == row.undo)
    #expect(manager.redoCount == row.redo)
    #expect(manager.canUndo == (row.undo > 0))
    #expect(manager.canRedo == (row.redo > 0))
    #expect(numbers.values == row.values)
    withExtendedLifetime(numbers) {}
  }

  @Test(arguments: [
    // One group, and groups in it. (US1) (US4)
    UndoRow(calls: [.begin], level: 1),
    UndoRow(calls: [.begin, .end], undo: 1),
    UndoRow(calls: [.begin, .add(1), .end], undo: 1, values: [1]),
    UndoRow(calls: [.begin, .add(1), .add(2), .end, .undo], redo: 1),
    UndoRow(calls: [.begin, .add(1), .add(2), .end, .undo, .redo], undo: 1, values: [1, 2]),
    UndoRow(calls: [.begin, .begin, .begin], level: 3),
    UndoRow(calls: [.begin, .add(1), .begin, .add(2), .end, .add(3), .end, .undo], redo: 1),
    UndoRow(
      calls: [.begin, .add(1), .begin, .add(2), .end, .add(3), .end, .undo, .redo], undo: 1,
      values: [1, 2, 3]),
    // An undo closes the one open group.
    UndoRow(calls: [.begin, .add(1), .undo], redo: 1),
    // Within an open group.
    UndoRow(
      calls: [.begin, .add(1), .begin, .add(2), .end, .undoNested], level: 1, undo: 1, redo: 1, values: [1]),
    UndoRow(
      calls: [.begin, .add(1), .begin, .add(2), .end, .undoNested, .redo], level: 1, undo: 1, values: [1, 2]),
    UndoRow(calls: [.begin, .add(1), .begin, .add(2), .end, .undoNested, .redo, .end, .undo], redo: 1),
    UndoRow(
      calls: [.begin, .begin, .add(2), .end, .add(3), .undoNested], level: 1, undo: 1, values: [2, 3]),
    // Nothing to do.
    UndoRow(calls: [.undo]),
    UndoRow(calls: [.redo]),
    UndoRow(calls: [.undoNested]),
    UndoRow(calls: [.begin, .end, .undo]),
    // Several groups.
    UndoRow(calls: [.begin, .add(1), .end, .begin, .add(2), .end, .undo], undo: 1, redo: 1, values: [1]),
    UndoRow(
      calls: [.begin, .add(1), .end, .begin, .add(2), .end, .undo, .undo, .redo, .redo], undo: 2,
      values: [1, 2]),
    // A new action removes the redo, before its group closes. (US2)
    UndoRow(calls: [.begin, .add(1), .end, .undo, .begin, .add(2)], level: 1, undo: 1, values: [2]),
    UndoRow(calls: [.begin, .add(1), .end, .undo, .begin], level: 1, redo: 1),
    // Levels.
    UndoRow(
      calls: [.levels(2), .begin, .add(1), .end, .begin, .add(2), .end, .begin, .add(3), .end], undo: 2,
      values: [1, 2, 3]),
    UndoRow(calls: [.begin, .add(1), .end, .begin, .add(2), .end, .levels(1), .undo], redo: 1, values: [1]),
    UndoRow(calls: [.levels(1), .begin, .begin, .add(1), .end, .begin, .add(2), .end, .end, .undo], redo: 1),
    UndoRow(
      calls: [
        .levels(1), .begin, .begin, .add(1), .end, .begin, .add(2), .end, .undoNested, .undoNested,
      ], level: 1, redo: 1),
    // Registration.
    UndoRow(calls: [.begin, .disable, .add(1), .enable, .end], undo: 1, values: [1]),
    UndoRow(calls: [.disable, .add(1), .disable, .enable, .add(2), .enable], values: [1, 2]),
    UndoRow(calls: [.begin, .add(1), .end, .undo, .disable, .add(2), .enable], redo: 1, values: [2]),
    // Forgetting.
    UndoRow(calls: [.begin, .add(1), .end, .removeAll, .undo], values: [1]),
    UndoRow(calls: [.begin, .add(1), .removeAll, .end], values: [1]),
    UndoRow(calls: [.begin, .add(1), .removeAll, .add(2), .end, .undo], redo: 1, values: [1]),
    UndoRow(calls: [.disable, .removeAll, .begin, .add(1), .end], undo: 1, values: [1]),
    UndoRow(calls: [.begin, .begin, .add(1), .end, .end, .removeTarget], values: [1]),
    UndoRow(calls: [.begin, .end, .begin, .add(1), .end, .removeTarget], undo: 1, values: [1]),
    UndoRow(calls: [.begin, .add(1), .end, .undo, .removeTarget]),
  ])
  func `groups by its callers`(row: UndoRow) {
    let manager = UndoManager()
    manager.groupsByEvent = false
    run(row, manager)
  }

  @Test(arguments: [
    UndoRow(calls: [.add(1)], level: 1, undo: 1, values: [1]),
    UndoRow(calls: [.add(1), .add(2)], level: 1, undo: 1, values: [1, 2]),
    UndoRow(calls: [.add(1), .add(2), .endEvent], undo: 1, values: [1, 2]),
    UndoRow(calls: [.add(1), .endEvent, .add(2), .endEvent], undo: 2, values: [1, 2]),
    // An undo in the same event closes the group first.
    UndoRow(calls: [.add(1), .add(2), .undo], redo: 1),
    // On a manager without an open group, a caller's group is in that of the event.
    UndoRow(calls: [.begin], level: 2),
    UndoRow(calls: [.begin, .begin, .begin], level: 4),
    UndoRow(calls: [.add(1), .begin], level: 2, undo: 1, values: [1]),
    UndoRow(calls: [.begin, .end, .endEvent], undo: 1),
    UndoRow(calls: [.begin, .add(1), .end, .begin, .add(2), .end, .endEvent, .undo], redo: 1),
    UndoRow(calls: [.begin, .add(1), .endEvent, .end], level: 1, undo: 1, values: [1]),
    UndoRow(calls: [.add(1), .undo, .redo], undo: 1, values: [1]),
    UndoRow(calls: [.add(1), .removeAll, .endEvent], values: [1]),
    UndoRow(calls: [.disable, .add(1)], values: [1]),
    UndoRow(calls: [.endEvent]),
  ])
  func `groups by events`(row: UndoRow) {
    run(row, UndoManager())
  }

  @Test func `begins like Apple's`() {
    let manager = UndoManager()
    #expect(manager.groupsByEvent && manager.isUndoRegistrationEnabled)
    #expect(manager.groupingLevel == 0 && manager.levelsOfUndo == 0)
    #expect(!manager.canUndo && !manager.canRedo && !manager.isUndoing && !manager.isRedoing)
    #expect(manager.undoActionName == "" && manager.redoActionName == "")
    #expect(manager.undoMenuItemTitle == "Undo" && manager.redoMenuItemTitle == "Redo")
    #expect(manager.undoMenuTitle(forUndoActionName: "Cut") == "Undo Cut")
    #expect(manager.redoMenuTitle(forUndoActionName: "") == "Redo")
  }

  @Test func `closes the group of an event with the next turn of the main queue`() async {
    let manager = UndoManager()
    let numbers = Numbers(manager)
    numbers.add(1)
    numbers.add(2)
    #expect(manager.groupingLevel == 1)
    await nextTurn()
    #expect(manager.groupingLevel == 0 && manager.undoCount == 1)
    numbers.add(3)
    await nextTurn()
    manager.undo()
    #expect(numbers.values == [1, 2])
    manager.undo()
    #expect(numbers.values.isEmpty && manager.redoCount == 2)
    // A group that a caller holds open closes first.
    manager.beginUndoGrouping()
    numbers.add(4)
    await nextTurn()
    #expect(manager.groupingLevel == 2)
    manager.endUndoGrouping()
    await nextTurn()
    #expect(manager.groupingLevel == 0 && manager.undoCount == 1)
  }

  // US3
  @Test func `collects what an undo registers in one group for redo`() {
    let manager = UndoManager()
    let numbers = Numbers(manager)
    numbers.add(1)
    numbers.add(2)
    manager.undo()
    #expect(numbers.levels == [1, 1, 1, 1])
    final class Seen { var isUndoing = false, isRedoing = false }
    let seen = Seen()
    manager.registerUndo(withTarget: seen) { seen in
      seen.isUndoing = manager.isUndoing
      manager.registerUndo(withTarget: seen) { $0.isRedoing = manager.isRedoing }
    }
    manager.undo()
    manager.redo()
    #expect(seen.isUndoing && seen.isRedoing && !manager.isUndoing && !manager.isRedoing)
    #expect(!manager.canUndo && !manager.canRedo)
  }

  @Test func `keeps names through undo and redo`() {
    let manager = UndoManager()
    let numbers = Numbers(manager)
    numbers.add(1)
    manager.setActionName("Add")
    #expect(manager.undoMenuItemTitle == "Undo Add")
    manager.setActionUserInfoValue(7, forKey: .init("line"))
    manager.undo()
    #expect(manager.undoActionName == "" && manager.redoMenuItemTitle == "Redo Add")
    #expect(manager.redoActionUserInfoValue(forKey: .init(rawValue: "line")) as? Int == 7)
    manager.redo()
    #expect(manager.undoActionName == "Add" && manager.redoActionName == "")
    #expect(manager.undoActionUserInfoValue(forKey: .init("line")) as? Int == 7)
    manager.setActionName("")
    #expect(manager.undoMenuItemTitle == "Undo")
    // The group of the event takes the name of the group in it.
    manager.beginUndoGrouping()
    numbers.add(2)
    manager.setActionName("Add Two")
    manager.endUndoGrouping()
    manager.endEventGrouping()
    #expect(manager.undoActionName == "Add Two")
  }

  @Test func `knows discardable actions`() {
    let manager = UndoManager()
    let numbers = Numbers(manager)
    numbers.add(1)
    manager.setActionIsDiscardable(true)
    #expect(manager.undoActionIsDiscardable && !manager.hasOpenActions)
    numbers.add(2)
    #expect(!manager.undoActionIsDiscardable && manager.hasOpenActions)
    manager.undo()
    #expect(!manager.redoActionIsDiscardable)
    numbers.add(3)
    manager.setActionIsDiscardable(true)
    manager.undo()
    #expect(manager.redoActionIsDiscardable)
    manager.redo()
    #expect(manager.undoActionIsDiscardable)
  }

  @Test func `does nothing for a target that is gone`() {
    let manager = UndoManager()
    var calls = 0
    do {
      let target = Numbers(manager)
      manager.registerUndo(withTarget: target) { _ in calls += 1 }
      manager.registerUndo(withTarget: manager) { _ in calls += 10 }
    }
    manager.undo()
    #expect(calls == 10)
  }

  @Test func `posts Apple's notifications in order`() {
    let manager = UndoManager()
    let numbers = Numbers(manager)
    var posted: [String] = []
    let names: [NSNotification.Name] = [
      .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
      .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange,
      .NSUndoManagerDidRedoChange,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { note in
        let isDiscardable = note.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool == true
        MainActor.assumeIsolated { posted.append(name.shortened + (isDiscardable ? " discardable" : "")) }
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    numbers.add(1)
    #expect(posted == ["DidOpenUndoGroup"])
    posted = []
    manager.undo()
    #expect(posted == ["WillCloseUndoGroup", "DidCloseUndoGroup", "WillUndoChange", "DidUndoChange"])
    posted = []
    manager.redo()
    #expect(posted == ["WillRedoChange", "DidRedoChange"])
    posted = []
    manager.undo()
    #expect(posted == ["WillUndoChange", "DidUndoChange"])
    posted = []
    manager.beginUndoGrouping()
    numbers.add(2)
    manager.setActionIsDiscardable(true)
    manager.endUndoGrouping()
    #expect(
      posted == [
        "DidOpenUndoGroup", "DidOpenUndoGroup", "WillCloseUndoGroup discardable",
        "DidCloseUndoGroup discardable",
      ])
    #expect(NSNotification.Name.NSUndoManagerCheckpoint.rawValue == "NSUndoManagerCheckpointNotification")
  }

  @Test func `ends the program where Apple's does`() async {
    await #expect(processExitsWith: .failure) { UndoManager().endUndoGrouping() }
    await #expect(processExitsWith: .failure) { UndoManager().enableUndoRegistration() }
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.groupsByEvent = false
      manager.registerUndo(withTarget: manager) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.beginUndoGrouping()
      manager.undo()
    }
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.registerUndo(withTarget: manager) { $0.redo() }
      manager.undo()
    }
  }
}

extension NSNotification.Name {
  /// The name without what all names of an undo manager have.
  fileprivate var shortened: String {
    String(rawValue.dropFirst("NSUndoManager".count).dropLast("Notification".count))
  }
}

/// Waits until the main queue has done its work up to now.
func nextTurn() async {
  await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}
