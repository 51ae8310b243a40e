/// One registered action. It does not keep its target alive.
struct UndoAction {
  private(set) weak var target: AnyObject?
  let handler: (AnyObject) -> Void
  var isDiscardable = false

  init(target: AnyObject, handler: @escaping (AnyObject) -> Void) {
    (self.target, self.handler) = (target, handler)
  }

  /// Calls the handler; does nothing if the target is gone.
  func run() {
    if let target { handler(target) }
  }
}

/// Actions that are undone at once, and the groups among them.
struct UndoGroup {
  enum Item {
    case action(UndoAction)
    case group(UndoGroup)
  }

  private(set) var items: [Item] = []
  /// The user's action, for the menu.
  var name = ""
  var userInfo: [UndoManager.UserInfoKey: Any] = [:]
  /// Whether the group stays on its stack if it has no items. A group that lost its items, or that only an event began,
  /// does not.
  var staysEmpty: Bool

  init(staysEmpty: Bool) { self.staysEmpty = staysEmpty }

  var isEmpty: Bool { items.isEmpty }

  /// Whether all its actions are discardable; false for a group without actions.
  var isDiscardable: Bool {
    !items.isEmpty
      && items.allSatisfy { item in
        switch item {
        case .action(let action): action.isDiscardable
        case .group(let group): group.isDiscardable
        }
      }
  }

  /// The actions in the order in which an undo calls them: the newest first.
  var newestFirst: [UndoAction] {
    items.reversed().flatMap { item in
      switch item {
      case .action(let action): [action]
      case .group(let group): group.newestFirst
      }
    }
  }

  // MARK: Changing

  mutating func append(_ action: UndoAction) { items.append(.action(action)) }

  /// Takes in a group that closed within this one. A group without a name gets the name of that one.
  mutating func append(_ group: UndoGroup) {
    items.append(.group(group))
    if name.isEmpty { name = group.name }
    userInfo.merge(group.userInfo) { own, _ in own }
  }

  var endsWithGroup: Bool {
    if case .group = items.last { true } else { false }
  }

  /// Removes and returns the last item, if it is a group.
  mutating func popLastGroup() -> UndoGroup? {
    guard case .group(let group) = items.last else { return nil }
    items.removeLast()
    return group
  }

  /// Marks the newest action; false if there is none.
  mutating func setLastDiscardable(_ isDiscardable: Bool) -> Bool {
    for position in items.indices.reversed() {
      switch items[position] {
      case .action(var action):
        action.isDiscardable = isDiscardable
        items[position] = .action(action)
        return true
      case .group(var group):
        if group.setLastDiscardable(isDiscardable) {
          items[position] = .group(group)
          return true
        }
      }
    }
    return false
  }

  /// Marks all actions as discardable.
  mutating func makeDiscardable() {
    items = items.map { item in
      switch item {
      case .action(var action):
        action.isDiscardable = true
        return .action(action)
      case .group(var group):
        group.makeDiscardable()
        return .group(group)
      }
    }
  }

  mutating func removeAll() {
    if !items.isEmpty { staysEmpty = false }
    items = []
  }

  /// Removes the actions of a target, and the groups that have nothing else.
  mutating func removeActions(of target: AnyObject) {
    let count = items.count
    items = items.compactMap { item in
      switch item {
      case .action(let action):
        return action.target === target ? nil : item
      case .group(var group):
        group.removeActions(of: target)
        return group.isEmpty && !group.staysEmpty ? nil : .group(group)
      }
    }
    if items.isEmpty && count > 0 { staysEmpty = false }
  }
}
