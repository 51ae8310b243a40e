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
  var lastMoment: Moment? { openGroups.last?.steps.last?.moment ?? undoSteps.last?.moment }

  /// The content that an undo or a redo goes to. The present content is in no step.
  struct Step: UndoCost {
    var moment: Moment
    var name: String
    var isDiscardable: Bool
    var cost: Int
    /// The time of the last edit in it; nil if no later edit joins it.
    var editedAt: Duration?
  }

  struct OpenGroup: Sendable {
    var start: Moment
    var name = ""
    var isDiscardable = true
    var steps: [Step] = []
  }

  var policy: UndoPolicy { didSet { trim() } }
  private(set) var undoSteps = UndoSteps<Step>()
  private(set) var redoSteps = UndoSteps<Step>()
  private(set) var openGroups: [OpenGroup] = []
  private var disabled = 0

  init(_ policy: UndoPolicy) { self.policy = policy }

  var isRegistrationEnabled: Bool { disabled == 0 && !Content.isReference }
  var canUndo: Bool { !undoSteps.isEmpty || openGroups.contains { !$0.steps.isEmpty } }
  var state: UndoState {
    UndoState(
      canUndo: canUndo, canRedo: !redoSteps.isEmpty, undoCount: undoSteps.count, redoCount: redoSteps.count,
      undoActionName: undoSteps.last?.name ?? "", redoActionName: redoSteps.last?.name ?? "",
      undoActionIsDiscardable: undoSteps.last?.isDiscardable ?? false,
      redoActionIsDiscardable: redoSteps.last?.isDiscardable ?? false, groupingLevel: openGroups.count,
      levelsOfUndo: policy.levels, isUndoRegistrationEnabled: isRegistrationEnabled)
  }

  // MARK: Editing

  /// Remembers the content before an edit.
  mutating func register(_ before: Moment, name: String, isDiscardable: Bool, at now: Duration) {
    guard isRegistrationEnabled else { return }
    // A new edit removes all redo steps.
    redoSteps = UndoSteps()
    if joins(name, at: now) {
      mutateLast { step in
        step.editedAt = now
        step.isDiscardable = step.isDiscardable && isDiscardable
      }
      return
    }
    let step = Step(
      moment: before, name: name, isDiscardable: isDiscardable, cost: before.content.undoCost, editedAt: now)
    if openGroups.isEmpty {
      undoSteps.append(step)
      trim()
    } else {
      openGroups[openGroups.count - 1].steps.append(step)
      openGroups[openGroups.count - 1].isDiscardable =
        openGroups[openGroups.count - 1].isDiscardable && isDiscardable
    }
  }

  private func joins(_ name: String, at now: Duration) -> Bool {
    guard !name.isEmpty, let last = openGroups.last.map(\.steps.last) ?? undoSteps.last,
      last.name == name, let editedAt = last.editedAt
    else { return false }
    return now - editedAt <= policy.groupingInterval
  }

  private mutating func mutateLast(_ body: (inout Step) -> Void) {
    if let group = openGroups.indices.last {
      if let step = openGroups[group].steps.indices.last { body(&openGroups[group].steps[step]) }
    } else {
      undoSteps.changeLast(body)
    }
  }

  /// Makes the next edit a step of its own, even if it has the same name.
  mutating func endTyping() { mutateLast { $0.editedAt = nil } }

  mutating func setName(_ name: String) {
    if openGroups.isEmpty {
      mutateLast { $0.name = name }
    } else {
      openGroups[openGroups.count - 1].name = name
    }
  }

  mutating func setDiscardable(_ isDiscardable: Bool) { mutateLast { $0.isDiscardable = isDiscardable } }

  // MARK: Groups

  mutating func begin(at present: Moment) {
    endTyping()
    if isRegistrationEnabled { redoSteps = UndoSteps() }
    openGroups.append(OpenGroup(start: present))
  }

  /// Ends the innermost group; false if none is open. A group without edits counts, too.
  mutating func end() -> Bool {
    guard let group = openGroups.popLast() else { return false }
    guard isRegistrationEnabled else { return true }
    let step = Step(
      moment: group.start, name: group.name.isEmpty ? group.steps.last?.name ?? "" : group.name,
      isDiscardable: group.isDiscardable && !group.steps.isEmpty, cost: group.start.content.undoCost)
    if openGroups.isEmpty {
      undoSteps.append(step)
      trim()
    } else {
      openGroups[openGroups.count - 1].steps.append(step)
    }
    return true
  }

  // MARK: Undoing

  /// Takes back the last step; nil if there is none.
  ///
  /// Within an open group, it takes back only groups that were closed in it.
  mutating func undo(from present: Moment) -> Moment? {
    let step: Step
    if let group = openGroups.indices.last {
      guard let last = openGroups[group].steps.popLast() else { return nil }
      step = last
    } else {
      guard let last = undoSteps.popLast() else { return nil }
      step = last
    }
    redoSteps.append(step.reversed(at: present))
    return step.moment
  }

  mutating func redo(from present: Moment) -> Moment? {
    guard let step = redoSteps.popLast() else { return nil }
    if let group = openGroups.indices.last {
      openGroups[group].steps.append(step.reversed(at: present))
    } else {
      undoSteps.append(step.reversed(at: present))
      trim()
    }
    return step.moment
  }

  // MARK: Forgetting

  mutating func setRegistration(isEnabled: Bool) {
    disabled = isEnabled ? max(0, disabled - 1) : disabled + 1
  }

  mutating func removeAll() {
    (undoSteps, redoSteps, openGroups, disabled) = (UndoSteps(), UndoSteps(), [], 0)
  }

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
