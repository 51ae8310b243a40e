extension Document {
  /// Undo and redo: `document.undo()` takes back the last edit, and the members name the edits that can be undone.
  public nonisolated var undo: DocumentUndo<Content> { DocumentUndo(document: self) }

  /// Takes back the last undo: the same as `undo.redo()`.
  @discardableResult
  public func redo() throws(DocumentError) -> Bool { try goForward() }

  // MARK: Going back and forward

  func goBack() throws(DocumentError) -> Bool {
    try step { history, present in history.undo(from: present) }
  }

  func goForward() throws(DocumentError) -> Bool {
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

  func group<Result>(
    _ actionName: String, _ body: @Sendable (isolated Document) throws -> Result
  ) rethrows -> Result {
    history.beginGroup()
    defer { history.endGroup(actionName) }
    return try body(self)
  }

  // MARK: Looking and adjusting

  func undoState() -> UndoState { history.state }

  func changeHistory(_ change: @Sendable (inout UndoHistory<Content>) -> Void) { change(&history) }
}
