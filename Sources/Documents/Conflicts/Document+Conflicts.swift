public import FilePackages
import FoundationEssentials

// (1) Unsaved edits are saved before a conflict is decided: what is decided is about what is on disk, and nothing of the document
//     is in memory alone.

extension Document {
  /// The versions that are in conflict with the document, the newest first: what other programs wrote and a save has kept, and
  /// what a program that synchronises folders has brought from other computers. None for a single file, whose
  /// conflicts are `recoveryCopies`.
  ///
  /// - Throws: `closed`, `file`.
  public func conflicts() async throws(DocumentError) -> [ConflictVersion] {
    try await attempt { document throws(DocumentError) in
      guard let storage = document.storage else { throw document.error(.closed, .edit) }
      guard case .package(let store) = storage else { return [] }
      do {
        return try await store.conflicts()
      } catch {
        throw DocumentError(error, .edit, document.fileURL)
      }
    }
  }

  /// Lets a resolver decide what becomes of the versions that are in conflict with the document, and does that: the document is
  /// saved as it decides, and then nothing is in conflict any more. Unsaved edits are saved before. Editing is disabled
  /// meanwhile.
  ///
  /// - Returns: whether it was decided; true also where there is no conflict.
  /// - Throws: `closed`; what the resolver throws, as `content`; as `save()`. All versions are then there still.
  @discardableResult
  public func resolveConflicts<Resolver: ConflictResolver<Content>>(
    with resolver: Resolver
  ) async throws(DocumentError) -> Bool {
    disableEditing()
    defer { enableEditing() }
    return try await attempt { document throws(DocumentError) in
      // (1) A save that failed may have left edits in the tree that the content does not have any more.
      var isEdited = document.hasUnsavedChanges
      if !isEdited { isEdited = try await document.hasEditedTree() }
      if isEdited { try await document.write() }
      guard let storage = document.storage else { throw document.error(.closed, .save) }
      guard case .package(let store) = storage else { return true }
      do {
        try await store.publish()
        let versions = try await store.conflicts()
        if versions.isEmpty { return true }
        let conflict = try await document.conflict(versions, in: store)
        let resolution = try await resolver.resolve(conflict)
        guard let report = try await store.resolve(resolution, document.options.saving) else { return false }
        let content = try await storage.reload(as: Content.self)
        document.adopt(storage, content, await storage.facts())
        document.documentState.subtract([.inConflict, .savingError])
        document.noteChange()
        document.options.eventHandler?(.saved(report))
        return true
      } catch {
        throw document.report(DocumentError(error, .save, document.fileURL))
      }
    }
  }

  private func hasEditedTree() async throws(DocumentError) -> Bool {
    guard case .package(let store) = storage else { return false }
    do {
      return try await store.hasUnsavedEdits()
    } catch {
      throw DocumentError(error, .save, fileURL)
    }
  }

  private func conflict(
    _ versions: [ConflictVersion], in store: PackageStore
  ) async throws -> DocumentConflict<Content> {
    // What is open has the copies as children like any other.
    let present = try await store.content(ofConflict: nil, as: Content.self)
    var conflict = DocumentConflict(present: present, presentDate: facts?.modified, versions: [])
    for version in versions {
      let content = try await store.content(ofConflict: version.id, as: Content.self)
      let base = try await store.baseContent(ofConflict: version.id, as: Content.self)
      conflict.versions.append(DocumentConflict.Version(version: version, content: content, base: base))
    }
    return conflict
  }
}

extension PackageStore {
  fileprivate func content<Content: DocumentContent>(
    ofConflict id: UUID?, as type: Content.Type
  ) throws -> Content {
    try Content(
      configuration: FileDocumentReadConfiguration(
        contentType: contentType, file: contents(ofConflict: id), at: nil))
  }

  fileprivate func baseContent<Content: DocumentContent>(
    ofConflict id: UUID, as type: Content.Type
  ) throws -> Content? {
    guard let base = try commonAncestor(ofConflict: id) else { return nil }
    return try Content(
      configuration: FileDocumentReadConfiguration(contentType: contentType, file: base, at: nil))
  }

  /// Saves what was decided; nil where nothing was.
  fileprivate func resolve<Content: DocumentContent>(
    _ resolution: ConflictResolution<Content>, _ options: SavingOptions
  ) throws -> SaveReport? {
    let options = options.subtracting(.returnsAtCommit)
    switch resolution {
    case .keepPresent: return try resolveConflicts(keeping: nil, options: options)
    case .keep(let version): return try resolveConflicts(keeping: version.id, options: options)
    case .undecided: return nil
    case .merged(let content):
      return try resolveConflicts(options: options) { tree in
        _ = try content.fileWrapper(
          configuration: FileDocumentWriteConfiguration(
            contentType: contentType, existingFile: tree, at: nil, writingBeside: nil))
      }
    }
  }
}
