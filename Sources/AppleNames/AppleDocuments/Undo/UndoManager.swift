public import Foundation

// Foundation has no `UndoManager` on Linux; if it gets one, that one takes the place of this class.

// The lock is held for the stacks only. Handlers, observers of notifications and overriding methods run without it. So
// do the ends of values that the manager forgets: they may call it.

/// A record of a model's actions, which undoes and redoes them.
///
/// Counterpart of Apple's `UndoManager`, with its members and notifications. A model registers the opposite of each
/// change:
///
/// ```swift
/// func rename(to new: String) {
///   let old = name
///   undoManager.registerUndo(withTarget: self) { $0.rename(to: old) }
///   undoManager.setActionName("Rename")
///   name = new
/// }
/// ```
///
/// Differences from Apple's:
///
/// - If a target no longer exists, its actions do nothing.
/// - If `groupsByEvent` is true, the next turn of the main queue closes the group of the first registration. Linux
///   programs have no event loop. Without a running main queue, `undo()` and `endEventGrouping()` close the group.
/// - Any thread may call the members. A program that registers on other threads than the main one sets `groupsByEvent`
///   to false.
/// - `registerUndo(withTarget:selector:object:)` and `prepare(withInvocationTarget:)` need the Objective-C runtime and
///   have no counterpart; `runLoopModes` has none either.
// `@unchecked`: `stacks` and `isGroupedByEvent` are the only state, and `lock` guards both. A subclass guards its own.
open class UndoManager: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var stacks = UndoStacks()
  private var isGroupedByEvent = true

  /// Makes a manager without actions that groups by event.
  public override init() { super.init() }

  private func locked<Result>(_ body: (inout UndoStacks) -> Result) -> Result {
    let (result, forgotten) = lock.withLock { (body(&stacks), stacks.takeForgotten()) }
    withExtendedLifetime(forgotten) {}
    return result
  }

  // MARK: Registering

  /// Registers an action that undoes a change of `target`.
  ///
  /// The action joins the innermost open group. If none is open, it begins the group of the present event. Outside an
  /// undo and a redo, it removes all actions that could be redone. The manager retains `handler`, but not `target`.
  ///
  /// Registering without an open group is a programming error if `groupsByEvent` is false.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    let event = beginEventIfNeeded()
    precondition(groupingLevel > 0, "registerUndo needs an open group if groupsByEvent is false")
    let action = UndoAction(target: target) { target in
      // The target is the one of the registration.
      if let target = target as? TargetType { handler(target) }
    }
    locked { $0.register(action) }
    if let event { closeSoon(event) }
  }

  /// Whether the manager accepts registrations; false between `disableUndoRegistration()` and its counterpart.
  open var isUndoRegistrationEnabled: Bool { locked { $0.isRegistrationEnabled } }

  /// Ignores later registrations until `enableUndoRegistration()` has been called as many times as this method.
  open func disableUndoRegistration() { locked { $0.disable() } }

  /// Cancels one `disableUndoRegistration()`. A call without one is a programming error.
  open func enableUndoRegistration() {
    precondition(locked { $0.enable() }, "enableUndoRegistration without disableUndoRegistration")
  }

  // MARK: Groups

  /// Whether the first registration of an event begins a group, which the end of the event closes; initially true.
  ///
  /// The event ends at the next turn of the main queue, and at the latest in `undo()`.
  open var groupsByEvent: Bool {
    get { lock.withLock { isGroupedByEvent } }
    set { lock.withLock { isGroupedByEvent = newValue } }
  }

  /// The number of open groups.
  open var groupingLevel: Int { locked { $0.level } }

  /// Begins a group. Groups may be nested: an undo of the outer group also undoes the inner one.
  ///
  /// If the manager groups by event and no group is open, this begins two groups: that of the event is the outer one.
  open func beginUndoGrouping() {
    post(.NSUndoManagerCheckpoint)
    let event = beginEventIfNeeded()
    locked { $0.begin() }
    post(.NSUndoManagerDidOpenUndoGroup)
    if let event { closeSoon(event) }
  }

  /// Ends the innermost group. A call without an open group is a programming error.
  ///
  /// A group without actions can be undone, too.
  open func endUndoGrouping() {
    precondition(groupingLevel > 0, "endUndoGrouping without beginUndoGrouping")
    post(.NSUndoManagerCheckpoint)
    let isDiscardable = locked { $0.openGroups.last?.isDiscardable ?? false }
    let userInfo = isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil
    post(.NSUndoManagerWillCloseUndoGroup, userInfo)
    let overdue = locked { stacks in
      stacks.end()
      return stacks.isEventOver && stacks.level == 1 ? stacks.eventGroup : nil
    }
    post(.NSUndoManagerDidCloseUndoGroup, userInfo)
    if let overdue { closeSoon(overdue) }
  }

  /// Closes the group of the present event, unless groups within it are still open. Apple's class has no such method.
  ///
  /// It is for programs whose main queue does not run, and for tests.
  open func endEventGrouping() {
    if let number = locked({ $0.eventGroup }) { close(number) }
  }

  /// Begins the group of an event if no group is open, and returns its number. The caller closes it soon: a main queue
  /// that runs on another thread must not close it before the caller has used it.
  private func beginEventIfNeeded() -> UInt64? {
    let begun = lock.withLock { () -> UInt64? in
      guard isGroupedByEvent, stacks.level == 0 else { return nil }
      return stacks.beginEvent()
    }
    if begun != nil { post(.NSUndoManagerDidOpenUndoGroup) }
    return begun
  }

  private func closeSoon(_ number: UInt64) {
    DispatchQueue.main.async { [weak self] in self?.close(number) }
  }

  private func close(_ number: UInt64) {
    if locked({ $0.endEvent(number) }) { endUndoGrouping() }
  }

  /// The largest number of groups that can be undone; 0 for any number.
  ///
  /// The manager forgets the groups beyond it at once, the oldest first.
  open var levelsOfUndo: Int {
    get { locked { $0.levels } }
    set { locked { $0.levels = max(0, newValue) } }
  }

  // MARK: Undoing

  /// Closes the outermost group if it is open, and undoes the last group; does nothing if there is none.
  ///
  /// A call within nested groups, or within an undo or a redo, is a programming error.
  open func undo() {
    checkNotRunning("undo")
    precondition(groupingLevel <= 1, "undo within nested groups")
    if groupingLevel == 1 { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last closed group, within the innermost open group if one is open.
  ///
  /// Does nothing if an action follows that group in the open one, or if there is none. A call within an undo or a redo
  /// is a programming error.
  open func undoNestedGroup() {
    checkNotRunning("undoNestedGroup")
    post(.NSUndoManagerCheckpoint)
    run(.undo, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
  }

  /// Undoes the last undo; does nothing if there was none, or if an action was registered after it.
  ///
  /// A call within an undo or a redo is a programming error.
  open func redo() {
    checkNotRunning("redo")
    post(.NSUndoManagerCheckpoint)
    run(.redo, .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange)
  }

  private func checkNotRunning(_ call: String) {
    precondition(locked { $0.running } == nil, "\(call) within an undo or a redo")
  }

  private func run(_ direction: UndoStacks.Direction, _ will: Notification.Name, _ did: Notification.Name) {
    // A group is posted before it is taken, so that an observer sees the manager as it was.
    guard locked({ direction == .undo ? $0.canUndoNested : $0.redoable != nil }) else { return }
    post(will)
    guard let group = locked({ $0.beginRunning(direction) }) else { return }
    for action in group.newestFirst { action.run() }
    // A handler that began a group and did not end it ends here.
    while groupingLevel > 1 { endUndoGrouping() }
    locked { $0.endRunning(group) }
    post(did)
  }

  /// Whether an action can be undone.
  open var canUndo: Bool { locked { $0.undoable != nil } }
  /// Whether an action can be redone.
  open var canRedo: Bool { locked { $0.redoable != nil } }
  /// The number of groups that can be undone. An open group with actions counts as one.
  open var undoCount: Int { locked { $0.undoCount } }
  /// The number of groups that can be redone.
  open var redoCount: Int { locked { $0.redoGroups.count } }
  /// Whether an undo runs.
  open var isUndoing: Bool { locked { $0.running == .undo } }
  /// Whether a redo runs.
  open var isRedoing: Bool { locked { $0.running == .redo } }

  /// Whether an open group has an action that need be saved.
  package var hasOpenActions: Bool { locked { $0.hasOpenActions } }

  // MARK: Forgetting

  /// Forgets all actions, and enables registration again. Open groups stay open.
  open func removeAllActions() { locked { $0.removeAll() } }

  /// Forgets the actions of this target, and the groups without other actions.
  open func removeAllActions(withTarget target: Any) {
    if locked({ $0.removeActions(of: target as AnyObject) }) { post(.undoManagerDidForgetActions) }
  }

  // MARK: Names

  /// Names the innermost open group, or the last one that can be undone if none is open. An empty name removes it.
  ///
  /// A group without a name gets that of a group within it. An undo and a redo do not change the name.
  open func setActionName(_ actionName: String) {
    locked { $0.changePresent { $0.name = actionName } }
  }

  /// The name of the action that `undo()` would undo; empty if it has none.
  open var undoActionName: String { locked { $0.undoable?.name ?? "" } }
  /// The name of the action that `redo()` would redo; empty if it has none.
  open var redoActionName: String { locked { $0.redoable?.name ?? "" } }
  /// The title of the Undo menu item.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
  /// The title of the Redo menu item.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// Returns `Undo` with the name of the action. Subclasses override it to translate the title.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// Returns `Redo` with the name of the action. Subclasses override it to translate the title.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  // MARK: Discardable actions

  /// Sets whether the newest action is discardable: it alone requires no save. An example is a selection.
  open func setActionIsDiscardable(_ discardable: Bool) {
    locked { $0.changePresent { _ = $0.setLastDiscardable(discardable) } }  // False without an action.
  }

  /// Whether all actions that `undo()` would undo are discardable.
  open var undoActionIsDiscardable: Bool { locked { $0.undoable?.isDiscardable ?? false } }
  /// Whether all actions that `redo()` would redo are discardable.
  open var redoActionIsDiscardable: Bool { locked { $0.redoable?.isDiscardable ?? false } }

  // MARK: User info

  /// The key of a value that a program attaches to an undo group.
  public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
    /// The key's text.
    public let rawValue: String
    /// Makes a key of this text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a key of this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }

  /// Attaches a value to the innermost open group, or to the last one that can be undone; nil removes it.
  open func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
    let old = locked { stacks in
      var old: Any?
      stacks.changePresent { group in
        old = group.userInfo[key]
        group.userInfo[key] = info
      }
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Returns a value of the group that `undo()` would undo.
  open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
    locked { $0.undoable?.userInfo[key] }
  }

  /// Returns a value of the group that `redo()` would redo.
  open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
    locked { $0.redoable?.userInfo[key] }
  }

  private func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }
}
