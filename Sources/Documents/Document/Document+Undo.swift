extension Document {
  /// Goes back to the content before the last edit, or before the last group of edits; false if there is none.
  ///
  /// It ends an open group first.
  ///
  /// - Throws: `closed`, `editingDisabled`; `undoGrouping` within nested groups.
  @discardableResult
  public func undo() throws(DocumentError) -> Bool {
    try checkEditing()
    if history.openGroups.count > 1 { throw error(.undoGrouping, .undo) }
    if !history.openGroups.isEmpty { _ = history.end() }
    return try step { history, present in history.undo(from: present) }
  }

  /// Takes back the last edit or the last closed group within the open group; false if there is none.
  ///
  /// Without an open group it does the same as `undo()`.
  ///
  /// - Throws: `closed`, `editingDisabled`.
  @discardableResult
  public func undoNestedGroup() throws(DocumentError) -> Bool {
    try checkEditing()
    return try step { history, present in history.undo(from: present) }
  }

  /// Goes forward to the content before the last undo; false if there was none, or if an edit came after it.
  ///
  /// - Throws: `closed`, `editingDisabled`.
  @discardableResult
  public func redo() throws(DocumentError) -> Bool {
    try checkEditing()
    return try step { history, present in history.redo(from: present) }
  }

  private func checkEditing() throws(DocumentError) {
    guard isOpen else { throw error(.closed, .undo) }
    if documentState.contains(.editingDisabled) { throw error(.editingDisabled, .undo) }
  }

  private func step(
    _ body: (inout UndoHistory<Content>, UndoHistory<Content>.Moment) -> UndoHistory<Content>.Moment?
  ) throws(DocumentError) -> Bool {
    guard let moment = body(&history, try moment(.undo)) else { return false }
    present = moment.content
    changes.restore(moment.revision)
    noteChange()
    return true
  }

  // MARK: Groups

  /// Begins a group, whose edits are undone at once.
  ///
  /// Groups may be nested. Does nothing in a closed document.
  public func beginUndoGrouping() {
    guard let present, isOpen else { return }
    history.begin(at: .init(content: present, revision: changes.current))
  }

  /// Ends the innermost group.
  ///
  /// - Throws: `undoGrouping` if no group is open.
  public func endUndoGrouping() throws(DocumentError) {
    guard history.end() else { throw error(.undoGrouping, .undo) }
  }

  /// The number of open groups.
  public var groupingLevel: Int { history.openGroups.count }

  /// Calls `body`, and makes one group of its edits.
  public func undoGroup<Result>(
    _ actionName: String = "", _ body: @Sendable (isolated Document) throws -> Result
  ) rethrows -> Result {
    beginUndoGrouping()
    defer {
      if !actionName.isEmpty { history.setName(actionName) }
      _ = history.end()
    }
    return try body(self)
  }

  // MARK: Looking

  /// Whether an edit can be undone.
  public var canUndo: Bool { history.canUndo }
  /// Whether an edit can be redone.
  public var canRedo: Bool { !history.redoSteps.isEmpty }
  /// The number of groups that can be undone.
  public var undoCount: Int { history.undoSteps.count }
  /// The number of groups that can be redone.
  public var redoCount: Int { history.redoSteps.count }
  /// The name of the edit that `undo()` would take back; empty if there is none.
  public var undoActionName: String { history.undoSteps.last?.name ?? "" }
  /// The name of the edit that `redo()` would bring back; empty if there is none.
  public var redoActionName: String { history.redoSteps.last?.name ?? "" }
  /// `Undo`, with the name of the edit that `undo()` would take back.
  public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }
  /// `Redo`, with the name of the edit that `redo()` would bring back.
  public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }
  /// Whether the edit that `undo()` would take back is discardable.
  public var undoActionIsDiscardable: Bool { history.undoSteps.last?.isDiscardable ?? false }
  /// Whether the edit that `redo()` would bring back is discardable.
  public var redoActionIsDiscardable: Bool { history.redoSteps.last?.isDiscardable ?? false }

  // MARK: Adjusting

  /// Names the open group, or the last edit if no group is open.
  public func setActionName(_ actionName: String) { history.setName(actionName) }

  /// Marks the last edit as one that need not be saved for its own sake.
  public func setActionIsDiscardable(_ isDiscardable: Bool) { history.setDiscardable(isDiscardable) }

  /// The largest number of groups that can be undone; 0 for as many as the byte budget allows.
  public var levelsOfUndo: Int { history.policy.levels }

  /// Sets the largest number of groups that can be undone. The document forgets the groups beyond it at once, the
  /// oldest first.
  public func setLevelsOfUndo(_ levels: Int) { history.policy.levels = max(0, levels) }

  /// Remembers no edits until the caller has called `enableUndoRegistration()` as many times as this method.
  public func disableUndoRegistration() { history.setRegistration(isEnabled: false) }

  /// Takes back one `disableUndoRegistration()`; does nothing if there is none.
  public func enableUndoRegistration() { history.setRegistration(isEnabled: true) }

  /// Whether the document remembers edits.
  public var isUndoRegistrationEnabled: Bool { history.isRegistrationEnabled }

  /// Forgets all undo and redo steps, all open groups, and every `disableUndoRegistration()`.
  public func removeAllActions() { history.removeAll() }
}
