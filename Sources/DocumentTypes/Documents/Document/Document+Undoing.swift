extension Document {
  /// Undo and redo: `document.undo()` takes back the last edit, and the members name the edits that can be undone.
  public nonisolated var undo: DocumentUndo<Content> { DocumentUndo(document: self) }

  /// Takes back the last undo: the same as `undo.redo()`.
  @discardableResult
  public func redo() throws(DocumentError) -> Bool { try goForward() }

  // MARK: Going back and forward

  func goBack() throws(DocumentError) -> Bool {
    try checkEditing()
    if history.openGroups.count > 1 { throw error(.undoGrouping, .undo) }
    if !history.openGroups.isEmpty { _ = history.end() }  // A group is open.
    return try goBackInGroup()
  }

  func goBackInGroup() throws(DocumentError) -> Bool {
    try step { history, present in history.undo(from: present) }
  }

  func goForward() throws(DocumentError) -> Bool {
    try step { history, present in history.redo(from: present) }
  }

  private func checkEditing() throws(DocumentError) {
    guard isOpen else { throw error(.closed, .undo) }
    if editingHolds > 0 { throw error(.editingDisabled, .undo) }
  }

  private func step(
    _ body: (inout UndoHistory<Content>, UndoHistory<Content>.Moment) -> UndoHistory<Content>.Moment?
  ) throws(DocumentError) -> Bool {
    try checkEditing()
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

  func beginGroup() {
    // A closed document has no content, and no groups.
    guard let present = try? moment(.edit) else { return }
    history.begin(at: present)
  }

  func endGroup() throws(DocumentError) {
    guard history.end() else { throw error(.undoGrouping, .undo) }
  }

  func group<Result>(
    _ actionName: String, _ body: @Sendable (isolated Document) throws -> Result
  ) rethrows -> Result {
    beginGroup()
    defer {
      if !actionName.isEmpty { history.setName(actionName) }
      _ = history.end()  // A closed document has no group.
    }
    return try body(self)
  }

  // MARK: Looking and adjusting

  func undoState() -> UndoState { history.state }

  func changeHistory(_ change: @Sendable (inout UndoHistory<Content>) -> Void) { change(&history) }
}
