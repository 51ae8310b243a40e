import FilePackages
import FoundationEssentials

extension Document {
  /// Lets a resolver decide about the conflict of a flat file.
  ///
  /// The copies go only after the document has saved the decision.
  func resolveCopies(
    with resolver: ConflictResolver<Content>, in file: FlatFileStore
  ) async throws(DocumentError) -> Bool {
    guard let (copies, decided) = try await reporting({ try await decision(of: resolver, in: file) }) else {
      return false
    }
    // The save reports its own error.
    if let decided { try await save(decided: decided) }
    try await reporting {
      try await file.remove(copies)
      // The save may have met another program's change.
      let isLeft = try await file.hasConflicts()
      lifecycle.opened?.removeConflict(isLeft: isLeft)
    }
    tellState()
    return true
  }

  /// Runs `body`, and reports its error.
  private func reporting<Result>(_ body: () async throws -> Result) async throws(DocumentError) -> Result {
    do {
      return try await body()
    } catch {
      throw report(DocumentError(error, .save, fileURL))
    }
  }

  /// Returns the copies and the content to save, if it is not the present one; nil if the resolver does not decide.
  private func decision(
    of resolver: ConflictResolver<Content>, in file: FlatFileStore
  ) async throws -> (copies: [ConflictCopy], content: Content?)? {
    let copies = try await file.conflictCopies()
    if copies.isEmpty { return ([], nil) }
    var conflict = DocumentConflict(
      present: try content, presentModificationDate: lifecycle.facts?.modified, versions: [])
    for copy in copies {
      let theirs = try await file.content(of: copy, as: Content.self)
      conflict.versions.append(.init(version: copy.version, content: theirs, base: nil))
    }
    switch try await resolver.resolve(conflict) {
    case .undecided: return nil
    case .keepPresent: return (copies, nil)
    case .keep(let kept):
      guard let chosen = conflict.versions.first(where: { $0.version.id == kept.id }) else {
        throw FilePackageError(
          .noSuchVersion, .read, document: fileURL.path,
          reason: "no version '\(kept.id.uuidString)' is in conflict with it")
      }
      return (copies, chosen.content)
    case .merged(let content): return (copies, content)
    }
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
