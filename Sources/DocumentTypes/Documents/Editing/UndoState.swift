/// The edits that a document can undo and redo, and its limits, at one moment.
public struct UndoState: Sendable, Hashable {
  /// Whether an edit can be undone.
  public var canUndo = false
  /// Whether an edit can be redone.
  public var canRedo = false
  /// The number of groups that can be undone.
  public var undoCount = 0
  /// The number of groups that can be redone.
  public var redoCount = 0
  /// The name of the edit that `undo()` would take back; empty if there is none.
  public var undoActionName = ""
  /// The name of the edit that `redo()` would bring back; empty if there is none.
  public var redoActionName = ""
  /// Whether the edit that `undo()` would take back is discardable.
  public var undoActionIsDiscardable = false
  /// Whether the edit that `redo()` would bring back is discardable.
  public var redoActionIsDiscardable = false
  /// The largest number of groups that can be undone; 0 for as many as the byte budget allows.
  public var levelsOfUndo = 0

  /// `Undo`, with the name of the edit that `undo()` would take back.
  public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }
  /// `Redo`, with the name of the edit that `redo()` would bring back.
  public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }
}

extension UndoState {
  /// Makes the state of a document without edits.
  package init(levelsOfUndo: Int) { self.init(canUndo: false, levelsOfUndo: levelsOfUndo) }
}
