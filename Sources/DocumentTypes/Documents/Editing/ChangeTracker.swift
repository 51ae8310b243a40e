// CT1 A revision is an identity: two different states of the content never share one. So a new edit after an undo never
//     looks saved, nor does an undo past a save.
// CT2 The saved revision is the one that the save took when it began.

/// The identity of one state of the content.
package struct Revision: Sendable, Hashable {
  fileprivate let number: UInt64
}

/// A moment in the history of a document's changes. The caller passes it back after it has saved the content of that
/// moment.
public struct ChangeCountToken: Sendable, Hashable {
  let revision: Revision
}

/// The effect of a change on the change count.
public enum DocumentChangeKind: Int, Sendable, CaseIterable {
  /// The caller changed something.
  case done
  /// The caller undid a change.
  case undone
  /// The caller did an undone change again.
  case redone
  /// The document counts as saved.
  case cleared
}

/// The present revision of the content and the saved one.
package struct ChangeTracker: Sendable {
  package private(set) var current = Revision(number: 0)
  package private(set) var saved: Revision? = Revision(number: 0)
  private var last: UInt64 = 0
  /// The states before and after changes that the document only counted.
  private var before: [Revision] = []
  private var after: [Revision] = []

  package var hasUnsavedChanges: Bool { saved != current }

  package init() {}

  /// Notes that the content is a new state, with a revision of its own (CT1).
  package mutating func change() {
    current = fresh()
    forgetCounts()
  }

  /// Notes that the content is again in the state of that revision.
  package mutating func restore(_ revision: Revision) {
    current = revision
    forgetCounts()
  }

  /// Notes that a save is done which took this revision when it began (CT2).
  package mutating func save(_ revision: Revision) { saved = revision }

  /// Notes that the state on disk is none of the states in memory.
  package mutating func forgetSaved() { saved = nil }

  /// Notes that the caller cannot undo all changes that it counted. A later undo is a new state (CT1).
  package mutating func forgetCounts() { (before, after) = ([], []) }

  /// Counts a change that the caller undoes itself.
  package mutating func count(_ kind: DocumentChangeKind) {
    switch kind {
    case .done:
      before.append(current)
      current = fresh()
      after = []
    case .undone:
      after.append(current)
      current = before.popLast() ?? fresh()
    case .redone:
      before.append(current)
      current = after.popLast() ?? fresh()
    case .cleared:
      saved = current
    }
  }

  private mutating func fresh() -> Revision {
    last += 1
    return Revision(number: last)
  }
}
