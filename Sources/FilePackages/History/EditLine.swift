import FoundationEssentials

// (1) A state that undoing or redoing made has the content of another one, and stands for that.
// (2) What can be redone is what was undone since the last save that was neither: after any other save there is
//     nothing to be redone, and what was undone before stays among the versions.

/// The states of a document in the order in which they were saved, as undoing and redoing whole saves sees them.
struct EditLine {
  /// The oldest first, the present one last.
  let states: [PackageMetadata]

  init(_ history: VersionHistory) {
    states = history.chain.versions[history.available].map(\.metadata) + [history.current]
  }

  /// The state whose content the present one has after undoing; nil where nothing can be undone.
  var undone: UUID? {
    guard let current = states.last else { return nil }
    return predecessor(of: current.content)
  }

  /// The state whose content the present one has after redoing; nil where nothing can be redone.
  var redone: UUID? {
    // (2)
    guard let current = states.last, let edit = states.last(where: { $0.contentRevision == nil }) else {
      return nil
    }
    var next = edit.content
    // No state comes before itself; a damaged line must not keep us here.
    for _ in states {
      guard next != current.content, let before = predecessor(of: next) else { return nil }
      if before == current.content { return next }
      next = before
    }
    return nil
  }

  /// Where in the line the content of a state is to be had, the present one apart.
  func index(of content: UUID) -> Int? {
    states.dropLast().lastIndex { $0.content == content }
  }

  private func predecessor(of content: UUID) -> UUID? {
    guard let index = states.firstIndex(where: { $0.revision == content }), index > 0 else { return nil }
    return states[index - 1].content
  }
}

extension PackageMetadata {
  /// (1)
  fileprivate var content: UUID { contentRevision ?? revision }
}
