public import Documents

/// Undo and redo of a document's edits.
///
/// ```swift
/// try await book.undo()
/// try await book.redo()
/// let title = try await book.undo.state.undoMenuItemTitle    // such as `Undo Add Recipe`
/// ```
public struct ManagedUndo: Sendable {
  let document: ManagedDocument

  /// Takes back the last edit of this document, or the last edits of one name that followed each other at once.
  ///
  /// If other programs changed the same rows meanwhile, the merge policy decides.
  ///
  /// - Returns: false if there is nothing to undo.
  /// - Throws: `closed`, `editingDisabled`; `conflict` if the merge policy refuses, and nothing is undone; `file`.
  @discardableResult
  public func undo() async throws(DocumentError) -> Bool { try await document.takeBack(.undo) }

  /// The same as `undo()`, so that `book.undo()` undoes.
  @discardableResult
  public func callAsFunction() async throws(DocumentError) -> Bool { try await undo() }

  /// Takes back the last undo.
  ///
  /// - Returns: false if there was none, or if an edit followed it.
  /// - Throws: as `undo()`.
  @discardableResult
  public func redo() async throws(DocumentError) -> Bool { try await document.takeBack(.redo) }

  /// The edits that the document can undo and redo, at one moment.
  ///
  /// - Throws: `closed`; `file` if the database cannot be read.
  public var state: UndoState { get async throws(DocumentError) { try await document.undoState() } }
}

extension ManagedDocument {
  /// Undo and redo: `book.undo()` takes back the last edit.
  public nonisolated var undo: ManagedUndo { ManagedUndo(document: self) }

  /// Takes back the last undo: the same as `undo.redo()`.
  @discardableResult
  public func redo() async throws(DocumentError) -> Bool { try await takeBack(.redo) }

  func takeBack(_ role: ChangeLog.Role) async throws(DocumentError) -> Bool {
    try beginEdit(.undo)
    defer { endEdit() }
    do {
      guard let position = try await store.takeBack(role, at: core.clock.now().seconds) else { return false }
      note(position.head)
      return true
    } catch {
      throw failure(of: error, .undo)
    }
  }

  func undoState() async throws(DocumentError) -> UndoState {
    guard isOpen else { throw error(.closed, .undo) }
    do {
      return try await store.undoState()
    } catch {
      throw failure(of: error, .undo)
    }
  }
}
