/// Undo and redo of an `ObservableDocument`'s edits: the counterpart of `DocumentUndo`.
///
/// ```swift
/// if notes.undo.canUndo { notes.undo() }
/// let title = notes.undo.undoMenuItemTitle    // such as `Undo Typing`
/// ```
///
/// The members of `UndoState`, such as `canUndo`, can be read here, as the document last reported them. `Observation`
/// reports their changes.
@MainActor @dynamicMemberLookup
public struct ObservableUndo<Content: DocumentContent> {
  let document: ObservableDocument<Content>

  /// The edits that can be undone and redone, and the limits.
  public var state: UndoState { document.undoState }

  /// The value of a member of `UndoState`, such as `canUndo`.
  public subscript<Value>(dynamicMember member: KeyPath<UndoState, Value>) -> Value { state[keyPath: member] }

  /// Restores the content before the last edit or the last group of edits, soon after the call.
  public func undo() { document.add(.undo) }

  /// The same as `undo()`, so that `document.undo()` undoes.
  public func callAsFunction() { undo() }

  /// Takes back the last undo, soon after the call.
  public func redo() { document.add(.redo) }
}
