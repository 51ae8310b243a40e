extension Document {
  /// Goes back to the content before the last edit, or the last group of edits; false when there is none. An open group
  /// is ended first.
  ///
  /// - Throws: `closed`, `editingDisabled`; `undoGrouping` within nested groups.
  @discardableResult
  public func undo() throws(DocumentError) -> Bool {
    try checkEditing()
    if history.openGroups.count > 1 { throw error(.undoGrouping, .undo) }
    if !history.openGroups.isEmpty { _ = history.end() }
    return try step { history, present in history.undo(from: present) }
  }

  /// Takes back the last edit, or the last closed group, within the group that is open; false when there is none.
  /// Without an open group the same as `undo()`.
  ///
  /// - Throws: `closed`, `editingDisabled`.
  @discardableResult
  public func undoNestedGroup() throws(DocumentError) -> Bool {
    try checkEditing()
    return try step { history, present in history.undo(from: present) }
  }

  /// Goes forward again to what was undone last; false when there is nothing, since nothing was undone or something
  /// else was edited after it.
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

  /// Begins a group: what is edited until it ends is undone at once. Groups may be nested. Does nothing in a closed
  /// document.
  public func beginUndoGrouping() {
    guard let present, isOpen else { return }
    history.begin(at: .init(content: present, revision: changes.current))
  }

  /// Ends the innermost group.
  ///
  /// - Throws: `undoGrouping` when none was begun.
  public func endUndoGrouping() throws(DocumentError) {
    guard history.end() else { throw error(.undoGrouping, .undo) }
  }

  /// How many groups are open.
  public var groupingLevel: Int { history.openGroups.count }

  /// Calls `body`, and makes a group of what it edits.
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

  /// Whether there is something to undo.
  public var canUndo: Bool { history.canUndo }
  /// Whether there is something to redo.
  public var canRedo: Bool { !history.redoSteps.isEmpty }
  /// How many groups can be undone.
  public var undoCount: Int { history.undoSteps.count }
  /// How many groups can be redone.
  public var redoCount: Int { history.redoSteps.count }
  /// The name of what would be undone; empty for none.
  public var undoActionName: String { history.undoSteps.last?.name ?? "" }
  /// The name of what would be redone; empty for none.
  public var redoActionName: String { history.redoSteps.last?.name ?? "" }
  /// `Undo`, with the name of what would be undone.
  public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }
  /// `Redo`, with the name of what would be redone.
  public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }
  /// Whether what would be undone is discardable.
  public var undoActionIsDiscardable: Bool { history.undoSteps.last?.isDiscardable ?? false }
  /// Whether what would be redone is discardable.
  public var redoActionIsDiscardable: Bool { history.redoSteps.last?.isDiscardable ?? false }

  // MARK: Adjusting

  /// Names the open group, or else the last one.
  public func setActionName(_ actionName: String) { history.setName(actionName) }

  /// Marks the last edit as one that need not be saved for its own sake.
  public func setActionIsDiscardable(_ isDiscardable: Bool) { history.setDiscardable(isDiscardable) }

  /// How many groups can be undone at most; 0 for as many as the byte budget lets.
  public var levelsOfUndo: Int { history.policy.levels }

  /// Sets how many groups can be undone at most; those beyond go at once, the oldest first.
  public func setLevelsOfUndo(_ levels: Int) { history.policy.levels = max(0, levels) }

  /// Edits are not remembered until `enableUndoRegistration()` is called as many times as this.
  public func disableUndoRegistration() { history.setRegistration(isEnabled: false) }

  /// Takes back one `disableUndoRegistration()`; does nothing where there is none.
  public func enableUndoRegistration() { history.setRegistration(isEnabled: true) }

  /// Whether edits are remembered.
  public var isUndoRegistrationEnabled: Bool { history.isRegistrationEnabled }

  /// Forgets all that could be undone and redone, and that registration was disabled.
  public func removeAllActions() { history.removeAll() }
}
