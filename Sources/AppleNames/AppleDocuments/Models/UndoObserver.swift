import Documents
import Foundation
import Synchronization

/// Counts the groups of an undo manager as changes.
///
/// A group that closes is a change; an undo takes it back, and a redo does it again. Discardable groups do not count.
final class UndoObserver: Sendable {
  // `@unchecked`: the tokens are only handed back to the notification center, which takes them on any thread.
  private struct Tokens: @unchecked Sendable {
    let tokens: [any NSObjectProtocol]
  }

  private let tokens: Tokens

  /// - Parameter count: gets each change; nil if a later undo may not take back the whole of one.
  init(_ undoManager: UndoManager, count: @escaping @Sendable (DocumentChangeKind?) -> Void) {
    let running = RunningGroup()
    func observe(
      _ name: Notification.Name, _ body: @escaping @Sendable (UndoManager, Bool) -> Void
    ) -> any NSObjectProtocol {
      NotificationCenter.default.addObserver(forName: name, object: undoManager, queue: nil) { note in
        guard let manager = note.object as? UndoManager else { return }
        body(manager, note.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool == true)
      }
    }
    tokens = Tokens(tokens: [
      observe(.NSUndoManagerWillCloseUndoGroup) { manager, isDiscardable in
        // A group in another one is a part of its change, and a group in an undo is a part of the undo.
        if manager.groupingLevel == 1 && !isDiscardable && !manager.isUndoing && !manager.isRedoing {
          count(.done)
        }
      },
      observe(.undoManagerDidForgetActions) { manager, _ in
        // The change of an open group stays, too.
        if manager.groupingLevel > 0 { count(.done) }
        count(nil)
      },
      observe(.NSUndoManagerWillUndoChange) { manager, _ in
        running.isDiscardable.withLock { $0 = manager.undoActionIsDiscardable }
      },
      observe(.NSUndoManagerDidUndoChange) { manager, _ in
        // An undo within an open group is a part of that group's change.
        if manager.groupingLevel == 0 && !running.isDiscardable.withLock({ $0 }) { count(.undone) }
      },
      observe(.NSUndoManagerWillRedoChange) { manager, _ in
        running.isDiscardable.withLock { $0 = manager.redoActionIsDiscardable }
      },
      observe(.NSUndoManagerDidRedoChange) { manager, _ in
        if manager.groupingLevel == 0 && !running.isDiscardable.withLock({ $0 }) { count(.redone) }
      },
    ])
  }

  deinit {
    for token in tokens.tokens { NotificationCenter.default.removeObserver(token) }
  }
}

/// The group that an undo or a redo runs; afterwards it is on the other stack.
private final class RunningGroup: Sendable {
  let isDiscardable = Mutex(false)
}
