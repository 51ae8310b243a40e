import FilePackages
public import FoundationEssentials

// (1) The document compares the disk with its last reads and saves, by identity. So its own saves never count as
//     changes of another program.
// (2) The document asks whether it has unsaved edits only after it has read the other content: the user goes on typing
//     meanwhile.
// (3) If merging fails, the document stores the other program's changes as a conflict version before it writes over
//     them. Its own content goes on.
// (4) A document that is not in its place was moved or removed. The watcher decides which one, and needs a moment for
//     that. Without a watcher the document counts as removed.

/// The outcome of another program's changes.
public enum ExternalChangeOutcome: String, Sendable, CaseIterable {
  /// No other program changed the document.
  case nothing
  /// The document had no unsaved edits and was read again.
  case reloaded
  /// The document merged both sides; the result is unsaved.
  case merged
  /// Both sides changed the same parts. The content here goes on, and the other program's changes are a conflict
  /// version.
  case conflict
  /// Another program removed the document, and it is closed.
  case deleted
}

extension Document {
  /// Looks for changes of other programs on disk, and takes them in.
  ///
  /// A document without unsaved edits reads the new content. Otherwise `options.merge` merges both sides; if it cannot,
  /// the document is in conflict. Earlier edits cannot be undone any more.
  ///
  /// If another program removed the document, the document closes and is not made again. Unsaved edits go into a
  /// recovery copy.
  ///
  /// - Throws: `closed`; `file` and `content` if the document cannot be read. It is then as it was before the call.
  @discardableResult
  public func checkForExternalChanges() async throws(DocumentError) -> ExternalChangeOutcome {
    try await attempt { document throws(DocumentError) in
      guard document.isOpen else { throw document.error(.closed, .revert) }
      do throws(DocumentError) {
        return try await document.takeIn(.revert)
      } catch {
        if error.code == .deleted && !document.isOpen { return .deleted }
        document.documentState.insert(.savingError)
        throw document.report(error)
      }
    }
  }

  /// Tells the document that another program may have changed it. Errors go to the state and the error handler.
  public func presentedItemDidChange() async {
    // (1)
    guard isOpen else { return }
    _ = try? await checkForExternalChanges()
  }

  /// Tells the document that another program moved it. It goes on at `newURL`.
  public func presentedItemDidMove(to newURL: URL) async {
    await follow(to: newURL)
    await startWatching()
  }

  func follow(to newURL: URL) async {
    await perform { document in
      do {
        try await document.storage?.follow(to: newURL)
        document.fileURL = newURL
        document.facts = await document.storage?.facts()
        if document.presenter != nil { await document.startPresenting(at: newURL) }
        document.options.eventHandler?(.moved(to: newURL))
      } catch {
        document.report(DocumentError(error, .revert, newURL))
      }
    }
  }

  /// Tells the document that another program removes it.
  ///
  /// It closes and does not make itself again. Unsaved edits go into a recovery copy.
  ///
  /// - Throws: the reason why the edits have no recovery copy; the document then stays open.
  public func accommodatePresentedItemDeletion() async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      if document.isOpen { try await document.leaveDeleted(.close) }
    }
  }

  // MARK: Within an access

  func takeIn(
    _ operation: DocumentError.Operation
  ) async throws(DocumentError) -> ExternalChangeOutcome {
    guard let storage else { throw error(.closed, operation) }
    let found: ExternalChanges
    do {
      found = try await storage.changesByOthers()
    } catch {
      guard error.code == .noSuchFile, await isDeleted() else {
        throw DocumentError(error, operation, fileURL)
      }
      if watching == nil { throw try await leaveDeleted(operation) }
      // (4)
      if operation == .revert { return .nothing }
      throw DocumentError(error, operation, fileURL)
    }
    if found.isEmpty { return .nothing }
    let theirs: Content
    do {
      // Another program may be in the middle of a coordinated write.
      theirs = try await inTurn(.read, at: fileURL) { _ in try await storage.reload(as: Content.self) }
    } catch {
      throw DocumentError(error, operation, fileURL)
    }
    let facts = await storage.facts()
    // A synchronising program may have left conflict copies. If this look fails, the next opening finds them.
    if (try? await storage.hasConflicts()) == true { documentState.insert(.inConflict) }
    // (2)
    let outcome: ExternalChangeOutcome
    if changes.hasUnsavedChanges {
      outcome = await bringTogether(with: theirs, found, operation)
    } else {
      adopt(storage, theirs, facts)
      outcome = .reloaded
    }
    options.eventHandler?(.changedByOthers(outcome, paths: found.paths))
    return outcome
  }

  private func bringTogether(
    with theirs: Content, _ found: ExternalChanges, _ operation: DocumentError.Operation
  ) async -> ExternalChangeOutcome {
    let paths = found.isReplaced ? [""] : found.paths
    if let merge = merging, let base {
      do {
        while let ours = present {
          let revision = changes.current
          let input = DocumentMerge(base: base, ours: ours, theirs: theirs, paths: paths)
          guard let merged = try await BlockingThread().run({ try merge(input) }) else { break }
          // (2) The user edited meanwhile: merge again.
          guard changes.current == revision else { continue }
          goOn(with: merged, over: theirs)
          return .merged
        }
      } catch {
        report(DocumentError(error, operation, fileURL))
      }
    }
    // (3)
    if let present { goOn(with: present, over: theirs) }
    unkeptConflict = Set(unkeptConflict).union(paths).sorted()
    documentState.insert(.inConflict)
    // If this fails, the next save tries it again before it writes.
    _ = try? await keepConflict()
    return .conflict
  }

  /// The merge function of the options, or that of the content's type.
  private var merging: (@Sendable (DocumentMerge<Content>) throws -> Content?)? {
    if let merge = options.merge { return merge }
    guard let type = Content.self as? any MergeableContent.Type else { return nil }
    return { try merged(as: type, $0) }
  }

  /// Goes on with edits over another state of the disk.
  private func goOn(with content: Content, over theirs: Content) {
    present = content
    base = theirs
    changes.change()
    changes.forgetSaved()
    // An undo would remove the other program's changes.
    history.removeAll()
    noteChange()
  }

  /// (3)
  func keepConflict() async throws(DocumentError) {
    guard let storage, !unkeptConflict.isEmpty else { return }
    do {
      switch storage {
      case .package(let store): try await store.keepConflict(unkeptConflict)
      case .file(let store): try await keepConflict(of: store)
      }
      unkeptConflict = []
    } catch {
      throw DocumentError(error, .save, fileURL)
    }
  }

  // MARK: Deletion

  /// Returns whether the folder is there without the document. A missing folder may mean that the disk is gone for a
  /// while.
  private func isDeleted() async -> Bool {
    let (disk, url) = (medium.disk, fileURL)
    return await BlockingThread().run { DocumentStorage.hasFolder(of: url, on: disk) }
  }

  /// Closes the document, and returns an error that names the place of the unsaved edits.
  @discardableResult
  private func leaveDeleted(
    _ operation: DocumentError.Operation
  ) async throws(DocumentError) -> DocumentError {
    let kept = await keepingCopy(error(.deleted, operation))
    if kept.hasUnsavedChanges && kept.recoveryCopy == nil && shelf != nil { throw kept }
    await storage?.relinquish()
    // The content stays, so that the caller can save it elsewhere. The recovery copy of its edits stays until then.
    let own = ownCopy
    let lock = own.flatMap { copyLocks[$0.copy.id] }
    leave()
    ownCopy = own
    if let own { copyLocks[own.copy.id] = lock }
    await stopPresenting()
    options.eventHandler?(.changedByOthers(.deleted, paths: []))
    return kept
  }

  // MARK: Conflicts

  /// Returns the folders that hold the conflict versions.
  ///
  /// - Throws: `closed`, `file`.
  public func conflictVersions() async throws(DocumentError) -> [URL] {
    try await attempt { document throws(DocumentError) in
      guard let storage = document.storage else { throw document.error(.closed, .edit) }
      do {
        switch storage {
        case .package(let store): return try await store.conflictVersions()
        case .file: return document.recoveryCopies.filter { $0.kind == .conflict }.map(\.url)
        }
      } catch {
        throw DocumentError(error, .edit, document.fileURL)
      }
    }
  }

  /// Removes the conflict versions, which the user has looked at.
  ///
  /// The document is then no longer in conflict, unless a synchronising program has left conflict copies.
  /// `resolveConflicts(with:)` removes those.
  ///
  /// - Throws: `closed`; `file` if a version cannot be removed.
  public func removeConflictVersions() async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      guard let storage = document.storage else { throw document.error(.closed, .save) }
      do {
        if case .package(let store) = storage { try await store.removeConflictVersions() }
        for copy in document.recoveryCopies where copy.kind == .conflict {
          try await document.remove(copy)
        }
      } catch {
        throw document.report(DocumentError(error, .save, document.fileURL))
      }
      document.unkeptConflict = []
      if (try? await document.storage?.hasConflicts()) != true { document.documentState.remove(.inConflict) }
    }
  }
}

/// Merges two contents as their type does; nil if there is a conflict.
private func merged<Content, Mergeable: MergeableContent>(
  as type: Mergeable.Type, _ input: DocumentMerge<Content>
) throws -> Content? {
  guard let base = input.base as? Mergeable, let ours = input.ours as? Mergeable,
    let theirs = input.theirs as? Mergeable
  else { return nil }
  let result = try Mergeable.merged(base: base, ours: ours, theirs: theirs)
  return result.conflicts.isEmpty ? result.content as? Content : nil
}
