import FilePackages
import FoundationEssentials

// A file has no place for conflict versions: those of a flat file are conflict copies beside it.

extension Document {
  /// The conflict copies of a flat file, the newest first.
  func conflictCopies() async throws -> [ConflictCopy] {
    let (url, disk) = (fileURL, storageEnvironment.disk)
    return try await BlockingThread().run { try ConflictCopy.all(of: url, on: disk) }
  }

  /// Makes a conflict copy of another program's state.
  func makeConflictCopy(_ theirs: FileWrapper) async throws {
    let (url, disk) = (fileURL, storageEnvironment.disk)
    try await BlockingThread().run { try ConflictCopy.make(theirs, of: url, on: disk) }
  }

  func remove(_ copies: [ConflictCopy]) async throws {
    let disk = storageEnvironment.disk
    try await BlockingThread().run { for copy in copies { try copy.remove(on: disk) } }
  }

  /// Lets a resolver decide about the conflict of a flat file.
  ///
  /// The copies go only after the document has saved the decision.
  func resolveCopies(
    with resolver: ConflictResolver<Content>, in file: FlatFileStore
  ) async throws -> Bool {
    let copies = try await conflictCopies()
    if !copies.isEmpty {
      let disk = storageEnvironment.disk
      var conflict = DocumentConflict(
        present: try content, presentModificationDate: lifecycle.facts?.modified, versions: [])
      for copy in copies {
        let theirs = try await file.read(copy.file(on: disk), as: Content.self)
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
      try await remove(copies)
    }
    // The save may have met another program's change.
    lifecycle.opened?.removeConflict(isLeft: try await !conflictCopies().isEmpty)
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
