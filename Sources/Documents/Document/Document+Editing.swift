extension Document {
  /// Changes the content, and remembers the content before for undoing.
  ///
  /// Never waits for the disk. `body` changes a copy, so the content stays as it was if `body` throws. A large content
  /// is therefore best made of parts that share their storage, as Swift's collections and strings do.
  ///
  /// - Parameters:
  ///   - actionName: the user's action, for the Undo menu. Edits of the same name that follow each other at once are
  ///     undone together. Edits without a name are undone one by one.
  ///   - isDiscardable: whether the edit need not be saved for its own sake, such as a new selection. It does not make
  ///     the document changed.
  /// - Throws: `DocumentError` `closed` or `editingDisabled`, and any error of `body`.
  @discardableResult
  public func edit<Result>(
    _ actionName: String = "", isDiscardable: Bool = false, _ body: (inout Content) throws -> Result
  ) throws -> Result {
    let before = try moment(.edit)
    if documentState.contains(.editingDisabled) { throw error(.editingDisabled, .edit) }
    var content = before.content
    let result = try body(&content)
    history.register(before, name: actionName, isDiscardable: isDiscardable, at: clock.now())
    present = content
    if !isDiscardable {
      changes.change()
      noteChange()
    }
    return result
  }

  /// The present content of an open document.
  func moment(_ operation: DocumentError.Operation) throws(DocumentError) -> UndoHistory<Content>.Moment {
    guard isOpen, let present else { throw error(.closed, operation) }
    return .init(content: present, revision: changes.current)
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

  /// Tells the autosave schedule of a change.
  func noteChange() {
    guard hasUnsavedChanges else {
      schedule?.nothingToSave()
      return
    }
    schedule?.edited(at: clock.now())
    startAutosaving()
  }
}
