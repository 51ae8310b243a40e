import FilePackages
import FoundationEssentials

// A file has no place for conflict versions, so those of a flat file are recovery copies.

extension Document {
  /// The conflict versions of a flat file, the newest first.
  var copiedVersions: [ConflictVersion] { (recovery?.conflicts ?? []).compactMap(\.conflictVersion) }

  /// Lets a resolver decide about the conflict of a flat file.
  ///
  /// The copies go only after the document has saved the decision.
  func resolveCopies<Resolver: ConflictResolver<Content>>(
    with resolver: Resolver, in file: FlatFileStore
  ) async throws -> Bool {
    let copies = recovery?.conflicts ?? []
    if !copies.isEmpty {
      var conflict = DocumentConflict(
        present: try content, presentModificationDate: lifecycle.facts?.modified, versions: [])
      for copy in copies {
        guard let recovery, let version = copy.conflictVersion else { continue }
        let theirs = try await file.content(as: Content.self, of: recovery.edits(of: copy))
        conflict.versions.append(.init(version: version, content: theirs, base: nil))
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
      for copy in copies { try await recovery?.remove(copy) }
    }
    // The save may have met another program's change.
    lifecycle.opened?.removeConflict(isLeft: recovery?.conflicts.isEmpty == false)
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
