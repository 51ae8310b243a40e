// (1) A revision is an identity: no two states of the content that differ have the same one. So undoing and then
//     editing differently never looks saved, and undoing past a save does not either.
// (2) What is saved is the revision that was taken when the save began.

/// Which state of the content this is.
struct Revision: Sendable, Hashable {
  fileprivate let number: UInt64
}

/// A moment in the history of a document's changes, to be handed back once that moment is saved.
public struct ChangeCountToken: Sendable, Hashable {
  let revision: Revision
}

/// Knows whether the present content is the saved one.
struct ChangeTracker: Sendable {
  private(set) var current = Revision(number: 0)
  private(set) var saved: Revision? = Revision(number: 0)
  private var last: UInt64 = 0
  /// The states before and after changes that were only counted.
  private var before: [Revision] = []
  private var after: [Revision] = []

  var hasUnsavedChanges: Bool { saved != current }

  /// The content is another one that never was before. (1)
  mutating func change() {
    current = fresh()
    (before, after) = ([], [])
  }

  /// The content is again what it was at that revision.
  mutating func restore(_ revision: Revision) {
    current = revision
    (before, after) = ([], [])
  }

  /// (2)
  mutating func save(_ revision: Revision) { saved = revision }

  /// What is on disk is none of the states in memory.
  mutating func forgetSaved() { saved = nil }

  /// Counts a change that is somebody else's to undo.
  mutating func count(_ kind: DocumentChangeKind) {
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
