import FilePackages
public import FoundationEssentials

/// The outcome of another program's changes.
public enum ExternalChangeOutcome: String, Sendable, CaseIterable {
  /// No other program changed the document.
  case nothing
  /// The document had no unsaved edits and was read again.
  case reloaded
  /// The document merged both sides; the result is unsaved.
  case merged
  /// Both sides changed the same parts. The document has its own content, and the other program's changes are a
  /// conflict version.
  case conflict
  /// Another program removed the document, and it is closed.
  case deleted
}

extension Document {
  /// Looks for other programs' changes on disk, and reads or merges them.
  ///
  /// A document without unsaved edits reads the new content. Otherwise `options.merge` merges both sides; if it cannot,
  /// the document is in conflict. Earlier edits cannot be undone any more.
  ///
  /// If another program removed the document, the document closes and makes no new file. It saves unsaved edits to a
  /// recovery copy.
  ///
  /// - Throws: `closed`; `file` and `content` if the document cannot be read. It is then as it was before the call.
  @discardableResult
  public func checkForExternalChanges() async throws(DocumentError) -> ExternalChangeOutcome {
    try await attempt { document throws(DocumentError) in
      guard document.isOpen else { throw document.error(.closed, .revert) }
      do throws(DocumentError) {
        return try await document.mergeExternalChanges(.revert)
      } catch {
        if error.code == .deleted && !document.isOpen { return .deleted }
        document.core.hasFailed = true
        document.tellState()
        throw document.report(error)
      }
    }
  }

  /// Tells the document that another program may have changed it. The state and the error handler report an error.
  public func presentedItemDidChange() async {
    // Its own saves are no changes (D6).
    guard isOpen else { return }
    // The check has reported its error.
    _ = try? await checkForExternalChanges()
    await checkForConflicts()
  }

  /// Tells the document that another program moved it. Later reads and saves use `newURL`.
  public func presentedItemDidMove(to newURL: URL) async {
    await perform { document in
      await document.follow(to: newURL)
      // Within the access: no close and no save elsewhere comes between.
      guard let storage = document.lifecycle.opened?.storage else { return }
      document.hear(await document.makeWatcher(of: storage, at: document.fileURL))
    }
  }

  func follow(to newURL: URL) async {
    await perform { document in
      guard let storage = document.lifecycle.opened?.storage else { return }
      do {
        try await storage.follow(to: newURL)
        document.core.fileURL = newURL
        // The owner may edit meanwhile, and an assignment that waits would write the old content back.
        let facts = await storage.facts()
        document.lifecycle.opened?.facts = facts
        if document.filePresenter != nil { await document.startPresenting(at: newURL) }
        document.options.eventHandler?(.moved(to: newURL))
      } catch {
        document.report(DocumentError(error, .revert, newURL))
      }
    }
  }

  /// Tells the document that another program removes it.
  ///
  /// The document closes and makes no new file. It saves unsaved edits to a recovery copy.
  ///
  /// - Throws: the reason why the edits have no recovery copy; the document then stays open.
  public func accommodatePresentedItemDeletion() async throws(DocumentError) {
    try await accommodateDeletion(at: nil)
  }

  /// - Parameter place: the place from which it was removed; nil for any. A coordinated move may have given the document
  ///   another place by now.
  private func accommodateDeletion(at place: URL?) async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in
      guard document.isOpen, place.map({ $0 == document.fileURL }) ?? true else { return }
      try await document.leaveDeleted(.close)
    }
  }

  /// Takes in an event of the watcher.
  public func hear(_ event: PackageWatcher.Event, at place: URL, in turn: DocumentTurn) async {
    switch event {
    case .changed, .replaced, .overflow: await presentedItemDidChange()
    case .moved(let url): await follow(to: url)
    case .deleted:
      do {
        try await accommodateDeletion(at: place)
      } catch {
        report(error)
      }
    }
  }

  /// Makes a watcher; nil if the document does not watch, or if no watcher can run.
  func makeWatcher(of storage: any DocumentStorage, at url: URL) async -> PackageWatcher? {
    guard core.behaviour.watchesDisk else { return nil }
    do {
      return try await PackageWatcher.watch(url, knowing: storage)
    } catch {
      // A save still finds the changes of other programs before it writes over them.
      report(DocumentError(error, .open, url))
      return nil
    }
  }

  // MARK: Within an access

  func mergeExternalChanges(
    _ operation: DocumentError.Operation
  ) async throws(DocumentError) -> ExternalChangeOutcome {
    guard let storage = lifecycle.opened?.storage else { throw error(.closed, operation) }
    let found: ExternalChanges
    do {
      found = try await storage.changesByOthers()
    } catch {
      guard error.code == .noSuchFile, await isDeleted() else {
        throw DocumentError(error, operation, fileURL)
      }
      if core.watching == nil { throw try await leaveDeleted(operation) }
      // It is not in its place: the watcher decides whether it was moved or removed, and needs a moment for that.
      // Without a watcher it counts as removed.
      if operation == .revert { return .nothing }
      throw DocumentError(error, operation, fileURL)
    }
    if found.isEmpty { return .nothing }
    let theirs: Content
    do {
      // Another program may be in the middle of a coordinated write.
      theirs = try await coordinated(.readingIntent(with: fileURL)) {
        try await storage.reload(as: Content.self)
      }
    } catch {
      throw DocumentError(error, operation, fileURL)
    }
    let facts = await storage.facts()
    // A synchronising program may have left conflict copies. If this look fails, the next opening finds them.
    if await seesConflicts(in: storage) == true {
      lifecycle.opened?.noteConflict()
      tellState()
    }
    lifecycle.opened?.disk = .asOthersLeft
    lifecycle.opened?.facts = facts
    // Only now, after it has read the other content: the user goes on typing meanwhile (D1).
    let outcome: ExternalChangeOutcome
    if changes.hasUnsavedChanges {
      outcome = await bringTogether(with: theirs, found, operation)
    } else {
      adopt(theirs, facts, in: storage)
      core.hasFailed = false
      tellState()
      outcome = .reloaded
    }
    options.eventHandler?(.changedByOthers(outcome, paths: found.paths))
    return outcome
  }

  private func bringTogether(
    with theirs: Content, _ found: ExternalChanges, _ operation: DocumentError.Operation
  ) async -> ExternalChangeOutcome {
    let paths = found.isReplaced ? [""] : found.paths
    if let merge = merging, let base = lifecycle.opened?.base {
      do {
        while let ours = lifecycle.opened?.content {
          let revision = changes.current
          let input = DocumentMerge(base: base, ours: ours, theirs: theirs, paths: paths)
          guard let merged = try await BlockingThread().run({ try merge(input) }) else { break }
          // The user edited meanwhile: merge again (D1).
          guard changes.current == revision else { continue }
          resume(with: merged, over: theirs)
          return .merged
        }
      } catch {
        report(DocumentError(error, operation, fileURL))
      }
    }
    // The document's own content goes on, and the other one becomes a conflict version before the next save (D3).
    if let ours = lifecycle.opened?.content { resume(with: ours, over: theirs) }
    lifecycle.opened?.clash(at: paths)
    tellState()
    // If this fails, the next save tries it again before it writes.
    _ = try? await makeConflictVersion()
    return .conflict
  }

  /// Puts the owner's content back after the document has read the disk. Allowed while editing is disabled: these edits
  /// came first.
  ///
  /// They are unsaved, over the content on disk. A closed document takes none, and reports `closed`.
  ///
  /// - Parameter paths: the children of another program that become conflict versions before the next save (D3).
  package func resume(withEarlierEdits content: Content, clashingAt paths: [String] = []) {
    guard isOpen else {
      report(error(.closed, .edit))
      return
    }
    lifecycle.opened?.content = content
    if !paths.isEmpty { lifecycle.opened?.clash(at: paths) }
    changes.change()
    noteChange()
    tellState()
  }

  /// The merge function of the options, or that of the content's type.
  private var merging: (@Sendable (DocumentMerge<Content>) throws -> Content?)? {
    // A class has no base: the object of the last save has the edits since.
    if Content.isReference { return nil }
    if let merge = options.merge { return merge }
    guard let type = Content.self as? any MergeableContent.Type else { return nil }
    return { try merged(as: type, $0) }
  }

  /// Goes on with edits over another state of the disk.
  private func resume(with content: Content, over theirs: Content) {
    lifecycle.opened?.rebase(content, over: theirs)
    changes.change()
    changes.forgetSaved()
    // An undo would remove the other program's changes.
    history.removeAll()
    noteChange()
  }

  /// Makes the other program's state of the children in conflict a conflict version (D3).
  func makeConflictVersion() async throws(DocumentError) {
    // The owner may give its edits back meanwhile, over other children.
    while let opened = lifecycle.opened, case .pending(let paths) = opened.conflict {
      do {
        try await opened.storage.makeConflictVersion(of: paths)
      } catch {
        throw DocumentError(error, .save, fileURL)
      }
      lifecycle.opened?.noteConflictVersion(of: paths)
    }
  }

  // MARK: Deletion

  /// Returns whether the folder is there without the document. A missing folder may mean that the disk is gone for a
  /// while.
  private func isDeleted() async -> Bool { await storageEnvironment.hasFolder(of: fileURL) }

  /// Leaves the content in memory only, and returns an error that names the place of the unsaved edits.
  @discardableResult
  private func leaveDeleted(
    _ operation: DocumentError.Operation
  ) async throws(DocumentError) -> DocumentError {
    // The copy has all edits.
    disableEditing()
    defer { enableEditing() }
    let left = await withRecoveryCopy(error(.deleted, operation))
    if left.hasUnsavedChanges && left.recoveryCopy == nil && recovery != nil { throw left }
    await leave {
      await lifecycle.opened?.storage.relinquish()
      leave(for: { $0.remove() })
    }
    options.eventHandler?(.changedByOthers(.deleted, paths: []))
    return left
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
