extension Document {
  /// Changes the content, and remembers the previous content for undo.
  ///
  /// Never waits for the disk. `body` changes a copy, so the content stays as it was if `body` throws. So make a large
  /// content of parts that share their storage with a copy, as Swift's collections and strings do. `body` runs on the
  /// document's actor; code on any actor may call this method.
  ///
  /// If the content is a class, `body` changes the object itself. The edit cannot be undone, and the document counts as
  /// changed even if `body` throws.
  ///
  /// - Parameters:
  ///   - actionName: the user's action, for the Undo menu. Edits of the same name that follow each other at once are
  ///     undone together. Edits without a name are undone one by one.
  ///   - isDiscardable: whether the edit alone needs no save, such as a new selection. Such an edit does not count as
  ///     an unsaved change.
  /// - Throws: `DocumentError` `closed` or `editingDisabled`, and any error of `body`.
  @discardableResult
  public func edit<Result>(
    _ actionName: String = "", isDiscardable: Bool = false, _ body: sending (inout Content) throws -> Result
  ) throws -> Result {
    let before = try moment(.edit)
    if core.editingHolds > 0 { throw error(.editingDisabled, .edit) }
    var content = before.content
    let result: Result
    do {
      result = try body(&content)
    } catch {
      // The folders in the content get their children back. The caller gets the edit's error.
      do { try before.trees.restore() } catch { report(DocumentError(error, .edit, fileURL)) }
      if Content.isReference {
        // The object may have changed in part.
        changes.change()
        noteChange()
      }
      throw error
    }
    history.register(before, name: actionName, isDiscardable: isDiscardable, at: core.clock.now())
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
    let trees = HeldTrees(opened.content.heldFolders, since: history.lastMoment?.trees)
    return .init(content: opened.content, revision: changes.current, trees: trees)
  }

  // MARK: Counting

  /// Whether the content differs from the document on disk.
  ///
  /// The document compares states instead of counting edits. So an undo past a save makes the document changed, and a
  /// redo up to that save makes it unchanged again.
  public var hasUnsavedChanges: Bool { isOpen && changes.hasUnsavedChanges }

  /// Counts a change that the caller made without `edit`. The caller also undoes such a change.
  ///
  /// Unlike Apple's method, this one does not count up and down. So an undo and then another change never make the
  /// document look unchanged.
  public func updateChangeCount(_ change: DocumentChangeKind) {
    guard isOpen else { return }
    changes.count(change)
    noteChange()
  }

  /// Returns a token for this moment in the history of changes.
  public func changeCountToken(for operation: DocumentSaveOperation) -> ChangeCountToken {
    ChangeCountToken(revision: changes.current)
  }

  /// Marks the content at the token's moment as saved. Later changes stay unsaved.
  public func updateChangeCount(withToken token: ChangeCountToken, for operation: DocumentSaveOperation) {
    changes.save(token.revision)
    core.autosaver.saveBegins()
    noteChange()
  }
}
