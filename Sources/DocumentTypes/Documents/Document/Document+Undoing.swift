extension Document {
  // MARK: Going back and forward

  /// Restores the content before the last edit or the last group of edits; returns false if there is none.
  ///
  /// ```swift
  /// try await document.undo()
  /// try await document.redo()
  /// let title = await document.undoState.undoMenuItemTitle    // such as `Undo Typing`
  /// ```
  ///
  /// - Throws: `closed`, `editingDisabled`; `file` if a changed folder in the content could not be read. Nothing has
  ///   changed then.
  @discardableResult
  public func undo() throws(DocumentError) -> Bool {
    try step { history, present in history.undo(from: present) }
  }

  /// Takes back the last undo; returns false if there was none, or if an edit followed it.
  ///
  /// - Throws: `closed`, `editingDisabled`; `file` as `undo()`.
  @discardableResult
  public func redo() throws(DocumentError) -> Bool {
    try step { history, present in history.redo(from: present) }
  }

  private func step(
    _ body: (inout UndoHistory<Content>, UndoHistory<Content>.Moment) -> UndoHistory<Content>.Moment?
  ) throws(DocumentError) -> Bool {
    guard isOpen else { throw error(.closed, .undo) }
    if core.editingHolds > 0 { throw error(.editingDisabled, .undo) }
    var after = history
    guard let moment = body(&after, try moment(.undo)) else { return false }
    do {
      try moment.trees.restore()
    } catch {
      throw DocumentError(error, .undo, fileURL)
    }
    history = after
    lifecycle.opened?.content = moment.content
    changes.restore(moment.revision)
    noteChange()
    return true
  }

  // MARK: Grouping

  /// Calls `body`, and makes one group of its edits: one undo takes back all of them.
  ///
  /// ```swift
  /// try await document.groupEdits("Paste") { document in
  ///   try document.edit { $0.text += text }
  ///   try document.edit { $0.selection = nil }
  /// }
  /// ```
  ///
  /// - Parameter actionName: the name of the group; if empty, it has that of its last edit.
  /// - Throws: the error of `body`. The edits before it stay, in the group.
  public func groupEdits<Result: Sendable>(
    _ actionName: String = "", _ body: @Sendable (isolated Document) throws -> Result
  ) rethrows -> Result {
    history.beginGroup()
    defer { history.endGroup(actionName) }
    return try body(self)
  }

  // MARK: Looking and adjusting

  /// The edits that can be undone and redone, and the limits, at one moment.
  public var undoState: UndoState { history.state }

  /// Sets the largest number of groups that can be undone. The document forgets the groups beyond it at once, the
  /// oldest first.
  ///
  /// - Parameter levels: the number; 0 for as many as the byte budget allows.
  public func setLevelsOfUndo(_ levels: Int) { history.policy.levels = max(0, levels) }

  /// Forgets all undo and redo steps.
  public func removeAllUndoActions() { history.removeAll() }
}
