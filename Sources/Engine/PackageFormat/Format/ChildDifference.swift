package import DurableIO

/// The difference of a child on disk from its saved state.
///
///     bytes       date           difference
///     the same    any            none; changed, if another program changed the executable bit
///     other       later          changed
///     other       not later      damaged
///
/// A program that edits a file gives it a later date. If the file has its saved date, a failing disk gave other bytes.
/// If the file has an earlier date, a copy or a synchronising program brought an earlier state.
package enum ChildDifference: Sendable, Equatable {
  /// Another program changed the child.
  case changed
  /// The child has other bytes than a save or an edit gave it.
  case damaged

  /// Judges a file whose bytes differ from the saved ones.
  package init(savedOn saved: FileTime, foundWith date: FileTime) {
    self = date > saved ? .changed : .damaged
  }
}

extension NotedChild {
  /// Returns the difference of the child that was found in the row's place; nil if it is as it was saved.
  package func difference(of found: NotedChild) -> ChildDifference? {
    if found.child == child { return nil }
    // No disk makes another kind of node, or another mode.
    if found.child.kind != child.kind || found.child.content == child.content { return .changed }
    return ChildDifference(savedOn: modified, foundWith: found.modified)
  }
}
