import FoundationEssentials
import PackageFormat

// E1 A state that an undo or redo made has the content of an earlier state, and stands for that state.
// E2 A redo can take back only undos since the last save that was neither undo nor redo. After any other save there is
//    nothing to redo, and the undone states stay among the versions.

/// The states of a document in the order of their saves, as undoing and redoing of whole saves sees them.
struct UndoChain {
  /// The oldest first, the current one last.
  let states: [PackageMetadata]

  init(_ history: VersionHistory) {
    states = history.chain.versions[history.available].map(\.metadata) + [history.current]
  }

  /// The state whose content an undo brings back; nil if there is nothing to undo.
  var undone: UUID? {
    guard let current = states.last else { return nil }
    return predecessor(of: current.content)
  }

  /// The state whose content a redo brings back; nil if there is nothing to redo.
  var redone: UUID? {
    // Undos before the last other save do not count (E2).
    guard let current = states.last, let edit = states.last(where: { $0.contentRevision == nil }) else {
      return nil
    }
    var next = edit.content
    // No state comes before itself; the bound ends the loop if the line is damaged.
    for _ in states {
      guard next != current.content, let before = predecessor(of: next) else { return nil }
      if before == current.content { return next }
      next = before
    }
    return nil
  }

  /// Returns the index of the latest earlier state with this content; excludes the current state.
  func index(of content: UUID) -> Int? {
    states.dropLast().lastIndex { $0.content == content }
  }

  private func predecessor(of content: UUID) -> UUID? {
    guard let index = states.firstIndex(where: { $0.revision == content }), index > 0 else { return nil }
    return states[index - 1].content
  }
}

extension PackageMetadata {
  /// The state for which this state stands (E1).
  fileprivate var content: UUID { contentRevision ?? revision }
}
