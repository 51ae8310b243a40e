extension Document {
  /// Changes the content, and remembers the content before for undoing.
  ///
  /// Never waits for the disk. `body` changes a copy, so the content stays as it was if `body` throws. A large content
  /// is therefore best made of parts that share their storage, as Swift's collections and strings do. Code of any actor
  /// may call it, the main actor included: `body` runs on the document.
  ///
  /// - Parameters:
  ///   - actionName: the user's action, for the Undo menu. Edits of the same name that follow each other at once are
  ///     undone together. Edits without a name are undone one by one.
  ///   - isDiscardable: whether the edit need not be saved for its own sake, such as a new selection. It does not make
  ///     the document changed.
  /// - Throws: `DocumentError` `closed` or `editingDisabled`, and any error of `body`.
  @discardableResult
  public func edit<Result>(
    _ actionName: String = "", isDiscardable: Bool = false, _ body: sending (inout Content) throws -> Result
  ) throws -> Result {
    let before = try moment(.edit)
    if editingHolds > 0 { throw error(.editingDisabled, .edit) }
    var content = before.content
    let result: Result
    do {
      result = try body(&content)
    } catch {
      restoreTrees(of: before)
      throw error
    }
    history.register(before, name: actionName, isDiscardable: isDiscardable, at: clock.now())
    lifecycle.opened?.content = content
    if !isDiscardable {
      changes.change()
      noteChange()
    }
    return result
  }

  /// The present content of an open document.
  func moment(_ operation: DocumentError.Operation) throws(DocumentError) -> UndoHistory<Content>.Moment {
    guard let opened = lifecycle.opened else { throw error(.closed, operation) }
    let trees = HeldTrees(treeFinder.folders(in: opened.content), since: history.lastMoment?.trees)
    return .init(content: opened.content, revision: changes.current, trees: trees)
  }

  /// Gives the folders in the content their children back, after an edit that failed. The caller throws the edit's error.
  private func restoreTrees(of moment: UndoHistory<Content>.Moment) {
    do {
      try moment.trees.restore()
    } catch {
      report(DocumentError(error, .edit, fileURL))
    }
  }

  // MARK: Refusing

  /// Refuses edits until the caller has called `enableEditing()` as many times as this method.
  public func disableEditing() {
    editingHolds += 1
    tellState()
  }

  /// Takes back one `disableEditing()`; does nothing if there is none.
  public func enableEditing() {
    editingHolds = max(0, editingHolds - 1)
    tellState()
  }

  // MARK: Counting

  /// Whether the content differs from the document on disk.
  ///
  /// The document compares identities and does not count. So an undo past a save makes the document changed, and a redo
  /// up to that save makes it unchanged again.
  public var hasUnsavedChanges: Bool { isOpen && changes.hasUnsavedChanges }

  /// Counts a change that the caller made without `edit`, and undoes itself.
  ///
  /// Apple's method counts up and down. Here an undone change followed by another one never looks unchanged.
  public func updateChangeCount(_ change: DocumentChangeKind) {
    guard isOpen else { return }
    changes.count(change)
    noteChange()
  }

  /// Returns a token for this moment in the history of changes.
  public func changeCountToken(for operation: DocumentSaveOperation) -> ChangeCountToken {
    ChangeCountToken(revision: changes.current)
  }

  /// Notes that the content of the token's moment is saved. Later changes stay unsaved.
  public func updateChangeCount(withToken token: ChangeCountToken, for operation: DocumentSaveOperation) {
    changes.save(token.revision)
  }

  /// Tells the autosaver of a change.
  func noteChange() {
    guard hasUnsavedChanges else {
      autosaver.nothingToSave()
      return
    }
    autosaver.edited(at: clock.now())
    startAutosaving()
  }
}

// MARK: - Undoing

extension Document {
  /// Goes back to the content before the last edit, or before the last group of edits; false if there is none.
  ///
  /// It ends an open group first.
  ///
  /// - Throws: `closed`, `editingDisabled`; `undoGrouping` within nested groups; `file` if a changed folder in the content
  ///   could not be read. Nothing has changed then.
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
  /// - Throws: `closed`, `editingDisabled`; `file` as `undo()`.
  @discardableResult
  public func undoNestedGroup() throws(DocumentError) -> Bool {
    try checkEditing()
    return try step { history, present in history.undo(from: present) }
  }

  /// Goes forward to the content before the last undo; false if there was none, or if an edit came after it.
  ///
  /// - Throws: `closed`, `editingDisabled`; `file` as `undo()`.
  @discardableResult
  public func redo() throws(DocumentError) -> Bool {
    try checkEditing()
    return try step { history, present in history.redo(from: present) }
  }

  private func checkEditing() throws(DocumentError) {
    guard isOpen else { throw error(.closed, .undo) }
    if editingHolds > 0 { throw error(.editingDisabled, .undo) }
  }

  private func step(
    _ body: (inout UndoHistory<Content>, UndoHistory<Content>.Moment) -> UndoHistory<Content>.Moment?
  ) throws(DocumentError) -> Bool {
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

  // MARK: Groups

  /// Begins a group, whose edits are undone at once.
  ///
  /// Groups may be nested. Does nothing in a closed document.
  public func beginUndoGrouping() {
    // A closed document has no content, and no groups.
    guard let present = try? moment(.edit) else { return }
    history.begin(at: present)
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

  /// The edits that the document can undo and redo.
  public var undoState: UndoState {
    UndoState(
      canUndo: history.canUndo, canRedo: !history.redoSteps.isEmpty, undoCount: history.undoSteps.count,
      redoCount: history.redoSteps.count, undoActionName: history.undoSteps.last?.name ?? "",
      redoActionName: history.redoSteps.last?.name ?? "",
      undoActionIsDiscardable: history.undoSteps.last?.isDiscardable ?? false,
      redoActionIsDiscardable: history.redoSteps.last?.isDiscardable ?? false)
  }

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
