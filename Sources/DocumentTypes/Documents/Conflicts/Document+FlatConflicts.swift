import FilePackages
import FoundationEssentials

extension Document {
  /// Lets a resolver decide about the conflict of a flat file.
  ///
  /// The copies go only after the document has saved the decision.
  func resolveCopies(
    with resolver: ConflictResolver<Content>, in file: FlatFileStore
  ) async throws -> Bool {
    let copies = try await file.conflictCopies()
    if !copies.isEmpty {
      var conflict = DocumentConflict(
        present: try content, presentModificationDate: lifecycle.facts?.modified, versions: [])
      for copy in copies {
        let theirs = try await file.content(of: copy, as: Content.self)
        conflict.versions.append(.init(version: copy.version, content: theirs, base: nil))
      }
      switch try await resolver.resolve(conflict) {
      case .undecided: return false
      case .keepPresent: break
      case .keep(let version):
        if let kept = conflict.versions.first(where: { $0.version.id == version.id }) {
          try await save(decided: kept.content)
        }
      case .merged(let content): try await save(decided: content)
      }
      try await file.remove(copies)
    }
    // The save may have met another program's change.
    lifecycle.opened?.removeConflict(isLeft: try await file.hasConflicts())
    tellState()
    return true
  }

  private func save(decided content: Content) async throws(DocumentError) {
    lifecycle.opened?.content = content
    changes.change()
    // An undo would go back to a state without the other program's changes.
    history.removeAll()
    try await write()
  }
}

extension FlatFileStore {
  fileprivate func content<Content: DocumentContent>(
    of copy: ConflictCopy, as type: Content.Type
  ) throws -> Content {
    try read(copy.file(on: disk), as: type)
  }
}
