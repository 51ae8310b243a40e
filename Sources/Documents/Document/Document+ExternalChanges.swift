import FilePackages
public import FoundationEssentials

// (1) The disk is compared with what was read and saved here, by identity: the document's own saves are no news.
// (2) Whether the document is clean is asked when the other content is at hand, not before: the user goes on typing.
// (3) Where merging fails, what the other program wrote is kept before anything is written over it, and the content
//     here goes on.
// (4) Whether a document that is not in its place was moved or removed is for the watcher to say, which takes it a
//     moment; without one, it was removed.

/// What became of another program's changes.
public enum ExternalChangeOutcome: String, Sendable, CaseIterable {
  /// There were none.
  case nothing
  /// Nothing was edited here: the document was read anew.
  case reloaded
  /// Both were brought together; the result is still to be saved.
  case merged
  /// Both changed the same: the content here goes on, what the other program wrote is kept as a conflict version.
  case conflict
  /// The document was removed, and is closed.
  case deleted
}

extension Document {
  /// Looks whether other programs changed the document on disk, and takes that in: a document without unsaved edits is
  /// read anew; otherwise `options.merge` brings the two together, and where it cannot, the document is in conflict.
  /// The edits before cannot be undone any more.
  ///
  /// Where the document was removed, it is closed, and unsaved edits go into a recovery copy; it is not made again.
  ///
  /// - Throws: `closed`; `file` and `content` when the document cannot be read as it is now, after which it is as it
  ///   was.
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

  /// Tells the document that another program may have changed it. Errors are told by the state and the error handler.
  public func presentedItemDidChange() async {
    // (1)
    guard isOpen else { return }
    _ = try? await checkForExternalChanges()
  }

  /// Tells the document that it was moved: it goes on at `newURL`.
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

  /// Tells the document that it is being removed: it closes, and does not make itself again. Unsaved edits go into a
  /// recovery copy.
  ///
  /// - Throws: what keeps the edits from being kept; the document is then open still.
  public func accommodatePresentedItemDeletion() async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      if document.isOpen { try await document.leaveDeleted(.close) }
    }
  }

  // MARK: In turn

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
      // Somebody who coordinates may be in the middle of it.
      theirs = try await inTurn(.read, at: fileURL) { _ in try await storage.reload(as: Content.self) }
    } catch {
      throw DocumentError(error, operation, fileURL)
    }
    let facts = await storage.facts()
    // A program that synchronises folders may have left copies; what cannot be looked at now is found at the next opening.
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
          // (2) Whoever edited meanwhile is merged anew.
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
    // What cannot be kept now is kept before the next save.
    _ = try? await keepConflict()
    return .conflict
  }

  /// How two contents are brought together: as the options say, or as the content's type does.
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
    // Going back would take away what the other program wrote.
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

  /// Whether the folder is there and the document is not: otherwise the whole disk may be gone for a while.
  private func isDeleted() async -> Bool {
    let (disk, url) = (medium.disk, fileURL)
    return await BlockingThread().run { DocumentStorage.hasFolder(of: url, on: disk) }
  }

  /// Closes the document, and tells where the unsaved edits are.
  @discardableResult
  private func leaveDeleted(
    _ operation: DocumentError.Operation
  ) async throws(DocumentError) -> DocumentError {
    let kept = await keepingCopy(error(.deleted, operation))
    if kept.hasUnsavedChanges && kept.recoveryCopy == nil && shelf != nil { throw kept }
    await storage?.relinquish()
    // The content stays, so that it can be saved elsewhere, and so do its edits' copy until it is.
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

  /// The folders in which what other programs wrote is kept.
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

  /// Removes what is kept of other programs' changes, which the user has looked at: the document is no longer in
  /// conflict, unless a program that synchronises folders has left copies, which `resolveConflicts(with:)` is for.
  ///
  /// - Throws: `closed`; `file` when they cannot be removed.
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

/// Brings two contents together as their type does; nil where there is a conflict.
private func merged<Content, Mergeable: MergeableContent>(
  as type: Mergeable.Type, _ input: DocumentMerge<Content>
) throws -> Content? {
  guard let base = input.base as? Mergeable, let ours = input.ours as? Mergeable,
    let theirs = input.theirs as? Mergeable
  else { return nil }
  let result = try Mergeable.merged(base: base, ours: ours, theirs: theirs)
  return result.conflicts.isEmpty ? result.content as? Content : nil
}
