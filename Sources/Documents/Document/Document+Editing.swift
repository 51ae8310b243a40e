extension Document {
  /// Changes the content, and remembers the content before for undoing.
  ///
  /// Never waits for the disk. The content is copied before, so that it is as it was when `body` throws; a large
  /// content is therefore best made of parts that share their storage, as Swift's collections and strings do.
  ///
  /// - Parameters:
  ///   - actionName: what the user did, for the Undo menu. Edits of the same name that follow each other at once are
  ///     undone together; those without a name never.
  ///   - isDiscardable: for what need not be saved for its own sake, such as what is selected: the document does not
  ///     count as changed.
  /// - Throws: `DocumentError` `closed` or `editingDisabled`, and what `body` throws.
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

  /// Whether the content differs from what is on disk.
  ///
  /// Told by identity, not by counting: undoing past a save makes a document changed, and redoing up to it makes it
  /// unchanged again.
  public var hasUnsavedChanges: Bool { isOpen && changes.hasUnsavedChanges }

  /// Counts a change that was not made by `edit`; undoing it is the caller's business.
  ///
  /// Unlike Apple's, which counts up and down, undoing one change and making another never looks unchanged.
  public func updateChangeCount(_ change: DocumentChangeKind) {
    guard isOpen else { return }
    changes.count(change)
    noteChange()
  }

  /// This moment in the history of changes.
  public func changeCountToken(for operation: DocumentSaveOperation) -> ChangeCountToken {
    ChangeCountToken(revision: changes.current)
  }

  /// Notes that what the content was when the token was taken is saved. What was changed since is unsaved.
  public func updateChangeCount(withToken token: ChangeCountToken, for operation: DocumentSaveOperation) {
    changes.save(token.revision)
  }

  /// Lets autosave know.
  func noteChange() {
    guard hasUnsavedChanges else {
      schedule?.nothingToSave()
      return
    }
    schedule?.edited(at: clock.now())
    startAutosaving()
  }
}
