/// The undoing of an `ObservableDocument`'s edits, as `DocumentUndo` is that of a `Document`.
///
/// ```swift
/// if notes.undo.canUndo { notes.undo() }
/// let title = notes.undo.undoMenuItemTitle    // such as `Undo Typing`
/// ```
///
/// The members of `UndoState` belong to it. They are those that the document last told, and `Observation` reports their
/// changes.
@MainActor @dynamicMemberLookup
public struct ObservableUndo<Content: DocumentContent> {
  let document: ObservableDocument<Content>

  /// The edits that can be undone and redone, and the limits.
  public var state: UndoState { document.undoState }

  /// The value of a member of `UndoState`, such as `canUndo`.
  public subscript<Value>(dynamicMember member: KeyPath<UndoState, Value>) -> Value { state[keyPath: member] }

  /// Goes back to the content before the last edit, or the last group of edits, soon.
  public func undo() { document.add(.undo) }

  /// The same as `undo()`, so that `document.undo()` undoes.
  public func callAsFunction() { undo() }

  /// Goes forward to the content before the last undo, soon.
  public func redo() { document.add(.redo) }
}
