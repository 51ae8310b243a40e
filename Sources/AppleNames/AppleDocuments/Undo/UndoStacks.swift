// US1 A registration goes into the innermost open group. A group that closes goes into the one around it, or onto a
//     stack.
// US2 A new action removes all groups that could be redone, at once. An undo and a redo do not.
// US3 While an undo or a redo runs, one group collects the registrations of its handlers. The groups that were open
//     before wait.
// US4 A closed group without items stays, if a caller began it. It counts as one undo.

/// The groups of an undo manager, without the calls of handlers and without notifications.
struct UndoStacks {
  /// The direction in which a group is run.
  enum Direction {
    case undo
    case redo
  }

  private(set) var undoGroups: [UndoGroup] = []
  private(set) var redoGroups: [UndoGroup] = []
  /// The outermost open group first.
  private(set) var openGroups: [UndoGroup] = []
  /// The groups that were open when an undo or a redo began. (US3)
  private var waitingGroups: [UndoGroup] = []
  private(set) var running: Direction?
  /// The number of the event group; nil if the outermost open group is none.
  private(set) var eventGroup: UInt64?
  private var lastEventGroup: UInt64 = 0
  /// Whether the event of the group is over.
  private(set) var isEventOver = false
  private var disabled = 0
  /// The groups that the stacks have forgotten, until the manager releases them.
  private var forgotten: [UndoGroup] = []
  /// The largest number of groups on each stack; 0 for any number.
  var levels = 0 { didSet { trim() } }

  var isRegistrationEnabled: Bool { disabled == 0 }
  var level: Int { openGroups.count }

  // MARK: Groups

  mutating func begin() { openGroups.append(UndoGroup(staysEmpty: true)) }

  /// Begins the group of an event, and returns its number.
  mutating func beginEvent() -> UInt64 {
    lastEventGroup += 1
    (eventGroup, isEventOver) = (lastEventGroup, false)
    openGroups.append(UndoGroup(staysEmpty: false))
    return lastEventGroup
  }

  /// Notes that the event of that group is over; true if the group can close.
  mutating func endEvent(_ number: UInt64) -> Bool {
    guard eventGroup == number, running == nil else { return false }
    isEventOver = true
    return level == 1
  }

  /// Closes the innermost group. (US1) (US4)
  mutating func end() {
    guard let group = openGroups.popLast() else { return }
    if openGroups.isEmpty && running == nil { eventGroup = nil }
    if group.isEmpty && !group.staysEmpty {
      forgotten.append(group)
      return
    }
    if openGroups.isEmpty {
      undoGroups.append(group)
      trim()
    } else {
      openGroups[openGroups.count - 1].append(group)
    }
  }

  // MARK: Registering

  mutating func register(_ action: UndoAction) {
    // (US2)
    if running == nil { (forgotten, redoGroups) = (forgotten + redoGroups, []) }
    openGroups[openGroups.count - 1].append(action)
  }

  mutating func disable() { disabled += 1 }

  /// False if the registration is enabled already.
  mutating func enable() -> Bool {
    if disabled == 0 { return false }
    disabled -= 1
    return true
  }

  /// Changes the innermost open group, or the last group that can be undone if none is open.
  mutating func changePresent(_ body: (inout UndoGroup) -> Void) {
    if let group = openGroups.indices.last {
      body(&openGroups[group])
    } else if let group = undoGroups.indices.last {
      body(&undoGroups[group])
    }
  }

  // MARK: Running

  /// Takes the group to run, and opens the group that collects what its handlers register; nil if there is none. (US3)
  mutating func beginRunning(_ direction: Direction) -> UndoGroup? {
    let taken: UndoGroup?
    switch direction {
    case .redo: taken = redoGroups.popLast()
    case .undo:
      if let group = openGroups.indices.last {
        taken = openGroups[group].popLastGroup()
      } else {
        taken = undoGroups.popLast()
      }
    }
    guard let taken else { return nil }
    var collecting = UndoGroup(staysEmpty: false)
    (collecting.name, collecting.userInfo) = (taken.name, taken.userInfo)
    (waitingGroups, openGroups) = (openGroups, [collecting])
    running = direction
    return taken
  }

  /// Puts the actions that the handlers registered onto the other stack, as one group. (US3)
  mutating func endRunning(_ group: UndoGroup) {
    var collected = openGroups.first
    if group.isDiscardable { collected?.makeDiscardable() }
    let direction = running
    (openGroups, waitingGroups, running) = (waitingGroups, [], nil)
    guard let collected, !collected.isEmpty else { return }
    if direction == .undo {
      redoGroups.append(collected)
    } else if let outer = openGroups.indices.last {
      openGroups[outer].append(collected)
    } else {
      undoGroups.append(collected)
    }
    trim()
  }

  // MARK: Looking

  /// The group that an undo would run. An open group closes first.
  var undoable: UndoGroup? {
    if let outermost = openGroups.first, running == nil, !outermost.isEmpty { return outermost }
    return undoGroups.last
  }

  /// Whether `beginRunning(.undo)` has a group to run.
  var canUndoNested: Bool {
    guard let innermost = openGroups.last else { return !undoGroups.isEmpty }
    return innermost.endsWithGroup
  }

  var redoable: UndoGroup? { redoGroups.last }

  var undoCount: Int {
    let hasOpen = running == nil && openGroups.first?.isEmpty == false
    return undoGroups.count + (hasOpen ? 1 : 0)
  }

  /// Whether an action waits in an open group that need be saved.
  var hasOpenActions: Bool {
    running == nil && openGroups.contains { !$0.isEmpty && !$0.isDiscardable }
  }

  // MARK: Forgetting

  /// Forgets all actions. Open groups stay open, so that the calls that end them still match.
  mutating func removeAll() {
    forgetLater()
    (undoGroups, redoGroups, disabled) = ([], [], 0)
    for position in openGroups.indices { openGroups[position].removeAll() }
    for position in waitingGroups.indices { waitingGroups[position].removeAll() }
  }

  /// Removes the actions of a target; returns whether there were some.
  mutating func removeActions(of target: AnyObject) -> Bool {
    let groups = undoGroups + redoGroups + openGroups + waitingGroups
    let isThere = groups.contains { $0.newestFirst.contains { $0.target === target } }
    forgetLater()
    func cleaned(_ groups: [UndoGroup]) -> [UndoGroup] {
      groups.map { group in
        var group = group
        group.removeActions(of: target)
        return group
      }
    }
    undoGroups = cleaned(undoGroups).filter { !$0.isEmpty || $0.staysEmpty }
    redoGroups = cleaned(redoGroups).filter { !$0.isEmpty || $0.staysEmpty }
    openGroups = cleaned(openGroups)
    waitingGroups = cleaned(waitingGroups)
    return isThere
  }

  private mutating func trim() {
    guard levels > 0 else { return }
    func trim(_ groups: inout [UndoGroup]) {
      let surplus = max(0, groups.count - levels)
      forgotten += groups.prefix(surplus)
      groups.removeFirst(surplus)
    }
    trim(&undoGroups)
    trim(&redoGroups)
  }

  /// Keeps all groups as they are now until the manager releases them.
  private mutating func forgetLater() { forgotten += undoGroups + redoGroups + openGroups + waitingGroups }

  /// Returns the groups that the stacks have forgotten since the last call of this method.
  mutating func takeForgotten() -> [UndoGroup] {
    if forgotten.isEmpty { return [] }
    defer { forgotten = [] }
    return forgotten
  }
}
