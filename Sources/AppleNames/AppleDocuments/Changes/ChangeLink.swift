import Documents
import DurableIO
import Foundation
import Synchronization

// CL1 The revision that a save writes is taken with the snapshot, in one step of the main queue. So an undo after a save
//     never looks saved while the disk has the undone change.
// CL2 The document's "unsaved" follows that of the link, a moment later and in the same order.

/// The changes of a model, and the document that saves them.
///
/// The model changes on the main queue, and its document is an actor. The link counts the changes at once, and tells
/// the document soon.
final class ChangeLink: Sendable {
  private struct State {
    var changes = ChangeTracker()
    /// The moment whose state the running save writes (CL1).
    var taken: Moment?
    /// A saved moment that is not exact, before the main queue confirms it.
    var unconfirmed: Moment?
    /// The number of changes up to now. It never goes back, as the revision does by an undo.
    var count: UInt64 = 0
    /// Tells the document; nil before the model has one.
    var tell: (@Sendable (DocumentChangeKind) async -> Void)?
    /// Closes the group of the present event, before a save takes the revision; true if no group is open afterwards.
    var endEvent: (@Sendable () -> Bool)?
  }

  /// A moment in the history of changes.
  struct Moment: Sendable {
    fileprivate var revision: Revision
    fileprivate var count: UInt64
    /// Whether a save writes just the state of this moment. It may write a later one if the model changes the tree that
    /// it writes, or if a group of changes is open.
    var isExact: Bool
  }

  private let state = Mutex(State())
  /// The messages to the document (CL2).
  private let messages = SerialQueue()

  var hasUnsavedChanges: Bool { state.withLock { $0.changes.hasUnsavedChanges } }
  /// The present revision.
  var revision: Revision { state.withLock { $0.changes.current } }

  /// Returns the present moment.
  func moment(isExact: Bool) -> Moment {
    state.withLock { Moment(revision: $0.changes.current, count: $0.count, isExact: isExact) }
  }

  /// Whether a change came after that moment, even if it was undone.
  func isChanged(since moment: Moment) -> Bool { state.withLock { $0.count != moment.count } }

  /// Tells this document from now on.
  func attach(
    endEvent: @escaping @Sendable () -> Bool, tell: @escaping @Sendable (DocumentChangeKind) async -> Void
  ) {
    state.withLock { state in
      (state.tell, state.endEvent) = (tell, endEvent)
      if state.changes.hasUnsavedChanges { self.tell(.done, &state) }
    }
  }

  /// Tells this document from now on, and closes the manager's group of the present event before each snapshot.
  func attach(_ undoManager: UndoManager, tell: @escaping @Sendable (DocumentChangeKind) async -> Void) {
    let endEvent: @Sendable () -> Bool = {
      undoManager.endEventGrouping()
      return undoManager.groupingLevel == 0
    }
    attach(endEvent: endEvent, tell: tell)
  }

  /// Counts a change of the model.
  func count(_ kind: DocumentChangeKind) {
    state.withLock { state in
      state.changes.count(kind)
      state.count += 1
      tell(state.changes.hasUnsavedChanges ? .done : .cleared, &state)
    }
  }

  /// Notes that the disk has another state than the model.
  func forgetSaved() {
    state.withLock { state in
      state.changes.forgetSaved()
      tell(.done, &state)
    }
  }

  // MARK: Saving

  /// Calls `body`, which takes the snapshot that a save writes, on the main queue (CL1).
  ///
  /// - Throws: the error of `body`; `UnansweredCall` if the main queue does not run.
  func takeSnapshot<Snapshot>(_ body: () throws -> Snapshot) throws -> Snapshot {
    try waitForMainQueue()
    // By this name, the closure is not bound to the main actor, as `body` is not either.
    let mainQueue = DispatchQueue.main
    return try mainQueue.sync {
      let isExact = state.withLock { $0.endEvent }?() ?? true
      let snapshot = try body()
      take(moment(isExact: isExact))
      return snapshot
    }
  }

  /// Notes the moment whose state a save writes.
  func take(_ moment: Moment) { state.withLock { $0.taken = moment } }

  /// Notes an event of the document: a save, or a conflict that left the model as it is.
  func note(_ event: DocumentEvent) {
    switch event {
    case .saved: noteSave()
    case .changedByOthers(.conflict, _): forgetSaved()
    default: break
    }
  }

  /// Notes that the moment which was taken last is saved. One that is not exact waits for `confirmSave(isQuiet:)`.
  func noteSave() {
    state.withLock { state in
      guard let taken = state.taken else { return }
      state.taken = nil
      guard taken.isExact else {
        state.unconfirmed = taken
        tell(.done, &state)
        return
      }
      state.unconfirmed = nil
      state.changes.save(taken.revision)
      tell(state.changes.hasUnsavedChanges ? .done : .cleared, &state)
    }
  }

  /// Confirms, on the main queue, a save of a moment that is not exact: nothing has changed since (CL1).
  ///
  /// - Parameter isQuiet: whether no group of changes is open.
  func confirmSave(isQuiet: Bool) {
    state.withLock { state in
      guard let moment = state.unconfirmed else { return }
      state.unconfirmed = nil
      if isQuiet && state.count == moment.count {
        state.changes.save(moment.revision)
      } else {
        state.changes.forgetSaved()
      }
      tell(state.changes.hasUnsavedChanges ? .done : .cleared, &state)
    }
  }

  /// Waits until the document knows all changes.
  func drain() async { await messages.drain() }

  private func tell(_ kind: DocumentChangeKind, _ state: inout State) {
    if let tell = state.tell { messages.enqueue { await tell(kind) } }
  }
}
