public import Documents

extension ManagedDocument {
  /// Takes back the last edit of this document, or the last edits of one name that followed each other at once.
  ///
  /// If other programs changed the same rows meanwhile, the merge policy decides.
  ///
  /// ```swift
  /// try await book.undo()
  /// try await book.redo()
  /// let title = try await book.undoState.undoMenuItemTitle    // such as `Undo Add Recipe`
  /// ```
  ///
  /// - Returns: false if there is nothing to undo.
  /// - Throws: `closed`, `editingDisabled`; `conflict` if the merge policy refuses, and nothing is undone; `file`.
  @discardableResult
  public func undo() async throws(DocumentError) -> Bool { try await takeBack(.undo) }

  /// Takes back the last undo.
  ///
  /// - Returns: false if there was none, or if an edit followed it.
  /// - Throws: as `undo()`.
  @discardableResult
  public func redo() async throws(DocumentError) -> Bool { try await takeBack(.redo) }

  private func takeBack(_ role: ChangeLog.Role) async throws(DocumentError) -> Bool {
    try beginEdit(.undo)
    defer { endEdit() }
    do {
      guard let head = try await store.takeBack(role, at: core.clock.now().seconds) else { return false }
      note(head)
      return true
    } catch {
      throw failure(of: error, .undo)
    }
  }

  /// The edits that the document can undo and redo, at one moment.
  ///
  /// - Throws: `closed`; `file` if the database cannot be read.
  public var undoState: UndoState {
    get async throws(DocumentError) {
      guard isOpen else { throw error(.closed, .undo) }
      do {
        return try await store.undoState()
      } catch {
        throw failure(of: error, .undo)
      }
    }
  }
}
