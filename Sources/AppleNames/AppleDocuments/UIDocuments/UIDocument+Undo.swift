// The groups of the undo manager, which are the document's changes.

extension UIDocument {
  /// Counts the groups of this manager from now on, and those of no other.
  func use(_ manager: UndoManager?) {
    createdUndoManager = manager
    observer = manager.map { manager in UndoObserver(manager) { [relay] in relay.link?.count($0) } }
  }

  /// Closes the group of the present event, so that it counts.
  func endEvent() { createdUndoManager?.endEventGrouping() }

  /// Whether no group of edits is open.
  var isQuiet: Bool { createdUndoManager.map { $0.groupingLevel == 0 } ?? true }

  /// Forgets the edits, which are of no use for new contents.
  func forgetUndo() { createdUndoManager?.removeAllActions() }
}
