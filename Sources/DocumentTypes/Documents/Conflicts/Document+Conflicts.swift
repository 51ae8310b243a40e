public import FilePackages
package import FoundationEssentials

extension Document {
  /// Returns the conflict versions, the newest first.
  ///
  /// They are other programs' changes that a save set aside, and conflict copies of a synchronising program. Those of a
  /// flat file are files beside it.
  ///
  /// - Throws: `closed`, `file`.
  public func conflictVersions() async throws(DocumentError) -> [ConflictVersion] {
    try await attempt { document throws(DocumentError) in
      guard let opened = document.lifecycle.opened else { throw document.error(.closed, .edit) }
      do {
        return try await opened.storage.conflictVersions()
      } catch {
        throw DocumentError(error, .edit, document.fileURL)
      }
    }
  }

  /// Asks a resolver to decide about the conflict versions, and saves the outcome.
  ///
  /// The document first saves unsaved edits, and refuses edits during the call. So the resolver decides about the state
  /// on disk. After a decision the document is no longer in conflict, unless a version arrived while the resolver
  /// decided: that version stays.
  ///
  /// - Returns: whether the resolver decided; true also if there is no conflict.
  /// - Throws: `closed`; `content` for an error of the resolver; otherwise as `save()`. All versions then stay.
  @discardableResult
  public func resolveConflicts(
    with resolver: ConflictResolver<Content>
  ) async throws(DocumentError) -> Bool {
    disableEditing()
    defer { enableEditing() }
    return try await attempt { document throws(DocumentError) in
      // A save that failed may have left edits in the tree that the content has no longer.
      var isEdited = document.hasUnsavedChanges
      if !isEdited { isEdited = try await document.hasEditedTree() }
      if isEdited { try await document.write() }
      guard let storage = document.lifecycle.opened?.storage else { throw document.error(.closed, .save) }
      if let file = storage as? FlatFileStore {
        return try await document.resolveCopies(with: resolver, in: file)
      }
      do {
        guard let store = storage as? PackageStore else { return true }
        try await store.publish()
        let versions = try await store.conflictVersions()
        if versions.isEmpty { return true }
        let conflict = try await store.conflict(
          of: versions, with: Content.self, modified: document.lifecycle.facts?.modified)
        let resolution = try await resolver.resolve(conflict)
        if case .undecided = resolution { return false }
        // In turn with other programs: none of them reads a part of the decision.
        let report = try await document.coordinated(.writingIntent(with: document.fileURL)) {
          try await store.resolve(versions, resolution, document.options.savingOptions)
        }
        guard let report else { return false }
        let content: Content
        do {
          content = try await storage.reload(as: Content.self)
        } catch {
          // The decision is on disk only: the next save makes it a conflict version before it writes (D3).
          document.lifecycle.opened?.clash(at: [""])
          throw error
        }
        document.adopt(content, await storage.facts(), in: storage)
        let isLeft = report.warnings.contains { $0.kind == .conflictsLeft }
        document.lifecycle.opened?.conflict = isLeft ? .stored : .none
        document.core.hasFailed = false
        document.tellState()
        document.noteChange()
        document.options.eventHandler?(.saved(report))
        return true
      } catch {
        throw document.report(DocumentError(error, .save, document.fileURL))
      }
    }
  }

  /// Returns the folders that hold the conflict versions of a package.
  package func conflictVersionURLs() async throws -> [URL] {
    try await (lifecycle.opened?.storage as? PackageStore)?.conflictVersionURLs() ?? []
  }

  /// Removes conflict versions, for example after the user has looked at them.
  ///
  /// The document is then no longer in conflict, unless other versions arrived since, or a synchronising program has
  /// left conflict copies. A version that changed since is another one. `resolveConflicts(with:)` removes those copies.
  ///
  /// - Parameter versions: the versions, as `conflictVersions()` returned them.
  /// - Throws: `closed`; `file` if a version cannot be removed.
  public func removeConflictVersions(_ versions: [ConflictVersion]) async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      guard let storage = document.lifecycle.opened?.storage else { throw document.error(.closed, .save) }
      do {
        try await storage.removeConflictVersions(versions)
      } catch {
        throw document.report(DocumentError(error, .save, document.fileURL))
      }
      // If this look fails, the next opening finds the copies.
      let isLeft = await document.seesConflicts(in: storage) == true
      document.lifecycle.opened?.removeConflict(isLeft: isLeft)
      document.tellState()
    }
  }

  /// Looks whether another program has added or resolved conflict versions, since it may do so without changing the
  /// content.
  package func checkForConflicts() async {
    await perform { document in
      // A failed look changes nothing.
      guard let storage = document.lifecycle.opened?.storage,
        let isThere = await document.seesConflicts(in: storage)
      else { return }
      switch document.lifecycle.opened?.conflict {
      case .some(.none): if isThere { document.lifecycle.opened?.noteConflict() }
      case .stored: document.lifecycle.opened?.removeConflict(isLeft: isThere)
      case .pending, nil: break
      }
      document.tellState()
    }
  }

  // MARK: Within an access

  /// Looks for conflicts; nil after a look that failed, whose error it reports.
  func seesConflicts(in storage: any DocumentStorage) async -> Bool? {
    do {
      return try await storage.hasConflicts()
    } catch {
      report(DocumentError(error, .open, fileURL))
      return nil
    }
  }

  private func hasEditedTree() async throws(DocumentError) -> Bool {
    guard let store = lifecycle.opened?.storage as? PackageStore else { return false }
    do {
      return try await store.hasUnsavedEdits()
    } catch {
      throw DocumentError(error, .save, fileURL)
    }
  }
}

extension PackageStore {
  /// Reads the present content and all versions.
  fileprivate func conflict<Content: DocumentContent>(
    of versions: [ConflictVersion], with type: Content.Type, modified: Date?
  ) throws -> DocumentConflict<Content> {
    // The open content has the conflict copies as ordinary children.
    let present = try read(contents(ofConflict: nil), as: type)
    let all = try versions.map { version in
      DocumentConflict<Content>.Version(
        version: version, content: try read(contents(ofConflict: version.id), as: type),
        base: try commonAncestor(ofConflict: version.id).map { try read($0, as: type) })
    }
    return DocumentConflict(present: present, presentModificationDate: modified, versions: all)
  }

  /// Saves the decision; nil if there is none.
  fileprivate func resolve<Content: DocumentContent>(
    _ versions: [ConflictVersion], _ resolution: ConflictOutcome<Content>, _ options: SavingOptions
  ) throws -> SaveReport? {
    let options = options.subtracting(.returnsAtCommit)
    switch resolution {
    case .keepPresent: return try resolveConflicts(versions, keeping: nil, options: options)
    case .keep(let version): return try resolveConflicts(versions, keeping: version.id, options: options)
    case .undecided: return nil
    case .merged(let content):
      return try resolveConflicts(versions, options: options) { tree in
        try content.write(
          into: view(of: tree, for: Content.self), as: contentType, pathExtension: url.pathExtension)
      }
    }
  }
}
