/// The limits of undoing a document's edits.
public struct UndoPolicy: Sendable, Hashable {
  /// The number of groups of edits that are remembered; 0 for as many as `byteBudget` allows.
  public var levels: Int
  /// The number of bytes that earlier contents may take, as the sum of their `DocumentContent.undoCost`. The last group
  /// always stays.
  public var byteBudget: Int
  /// The time within which edits of the same name are undone together, as typing is.
  public var groupingInterval: Duration

  /// Makes a policy; by default any number of levels within 64 MiB, and groups by a second.
  public init(levels: Int = 0, byteBudget: Int = 64 << 20, groupingInterval: Duration = .seconds(1)) {
    (self.levels, self.byteBudget, self.groupingInterval) = (levels, byteBudget, groupingInterval)
  }
}

/// The earlier and the undone contents of a document.
struct UndoHistory<Content: DocumentContent>: Sendable {
  struct Moment: Sendable {
    var content: Content
    var revision: Revision
    /// The trees that the content refers to.
    var trees: HeldTrees
  }

  /// The moment before the last edit that can be undone.
  var lastMoment: Moment? { undoSteps.last?.moment }

  /// The content that an undo or a redo goes to. The present content is in no step.
  struct Step: UndoCost {
    var moment: Moment
    var name: String
    var isDiscardable: Bool
    var cost: Int
    /// The time of the last edit in it; nil if no later edit joins it.
    var editedAt: Duration?
  }

  /// Whether a group is open, and whether it has a step.
  private enum Group { case none, empty, begun }

  var policy: UndoPolicy { didSet { trim() } }
  private(set) var undoSteps = UndoSteps<Step>()
  private(set) var redoSteps = UndoSteps<Step>()
  private var group = Group.none

  init(_ policy: UndoPolicy) { self.policy = policy }

  var state: UndoState {
    UndoState(
      canUndo: !undoSteps.isEmpty, canRedo: !redoSteps.isEmpty, undoCount: undoSteps.count,
      redoCount: redoSteps.count,
      undoActionName: undoSteps.last?.name ?? "", redoActionName: redoSteps.last?.name ?? "",
      undoActionIsDiscardable: undoSteps.last?.isDiscardable ?? false,
      redoActionIsDiscardable: redoSteps.last?.isDiscardable ?? false, levelsOfUndo: policy.levels)
  }

  // MARK: Editing

  /// Remembers the content before an edit.
  mutating func register(_ before: Moment, name: String, isDiscardable: Bool, at now: Duration) {
    if Content.isReference { return }
    // A new edit removes all redo steps.
    redoSteps = UndoSteps()
    let isGrouped = group != .none
    if isGrouped ? group == .begun : joins(name, at: now) {
      undoSteps.changeLast { step in
        step.editedAt = isGrouped ? nil : now
        step.isDiscardable = step.isDiscardable && isDiscardable
        step.name = name
      }
      return
    }
    if isGrouped { group = .begun }
    undoSteps.append(
      Step(
        moment: before, name: name, isDiscardable: isDiscardable, cost: before.content.undoCost,
        editedAt: isGrouped ? nil : now))
    trim()
  }

  private func joins(_ name: String, at now: Duration) -> Bool {
    guard !name.isEmpty, let last = undoSteps.last, last.name == name, let editedAt = last.editedAt else {
      return false
    }
    return now - editedAt <= policy.groupingInterval
  }

  /// Begins a group: the next edits are one step.
  mutating func beginGroup() { group = .empty }

  /// Ends the group. If it has no name, it has that of its last edit.
  mutating func endGroup(_ name: String) {
    if group == .begun && !name.isEmpty { undoSteps.changeLast { $0.name = name } }
    group = .none
  }

  // MARK: Undoing

  /// Takes back the last step; nil if there is none.
  mutating func undo(from present: Moment) -> Moment? {
    guard let step = undoSteps.popLast() else { return nil }
    redoSteps.append(step.reversed(at: present))
    return step.moment
  }

  mutating func redo(from present: Moment) -> Moment? {
    guard let step = redoSteps.popLast() else { return nil }
    undoSteps.append(step.reversed(at: present))
    trim()
    return step.moment
  }

  // MARK: Forgetting

  mutating func removeAll() { (undoSteps, redoSteps) = (UndoSteps(), UndoSteps()) }

  private mutating func trim() {
    if policy.levels > 0 {
      while undoSteps.count > policy.levels { undoSteps.removeFirst() }
      while redoSteps.count > policy.levels { redoSteps.removeFirst() }
    }
    var isBeyondBudget: Bool { undoSteps.cost + redoSteps.cost > policy.byteBudget }
    while isBeyondBudget, undoSteps.count > 1 { undoSteps.removeFirst() }
    while isBeyondBudget, redoSteps.count > 1 { redoSteps.removeFirst() }
  }
}

extension UndoHistory.Step {
  fileprivate func reversed(at present: UndoHistory.Moment) -> UndoHistory.Step {
    UndoHistory.Step(
      moment: present, name: name, isDiscardable: isDiscardable, cost: present.content.undoCost)
  }
}
