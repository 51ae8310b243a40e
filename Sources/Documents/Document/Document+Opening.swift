import FilePackages
public import FoundationEssentials

extension Document {
  /// Opens and reads the document, a package or a flat file; does nothing if it is open.
  ///
  /// It first publishes a save that was committed and not published. Afterwards `recoveryCopies` has the edits that an
  /// earlier document could not save.
  ///
  /// - Throws: `file` if the file system refuses, `content` if the document type does. The document then stays closed.
  public func open() async throws(DocumentError) {
    try await attempt { document throws(DocumentError) in try await document.load() }
  }

  func load() async throws(DocumentError) {
    if isOpen { return }
    begin(.opening)
    do {
      await startPresenting(at: fileURL)
      let (opened, content, hasConflicts) = try await inTurn(.read, at: fileURL) { document in
        let opened = try await DocumentStorage.open(document.fileURL, on: document.medium)
        return (opened, try await opened.content(as: Content.self), try await opened.hasConflicts())
      }
      let facts = await opened.facts()
      // The opening finds this document's own earlier copies like any other copy.
      (ownCopy, copyLocks) = (nil, [:])
      let watcher = await makeWatcher(of: opened, at: fileURL)
      let copies = await recoveryCopies(of: facts)
      // (5)
      adopt(opened, content, facts)
      hear(watcher)
      keep(copies)
      end { state in
        state.subtract([.closed, .savingError, .inConflict])
        if hasConflicts || recoveryCopies.contains(where: { $0.kind == .conflict }) {
          state.insert(.inConflict)
        }
      }
    } catch {
      await stopPresenting()
      end { _ in }
      throw report(DocumentError(error, .open, fileURL))
    }
  }

  /// Goes on with the content that was read from a storage.
  func adopt(_ opened: DocumentStorage, _ content: Content, _ facts: DocumentStorage.Facts) {
    storage = opened
    self.facts = facts
    start(with: content)
  }

  /// Goes on with content as it is on disk.
  func start(with content: Content) {
    (present, base) = (content, content)
    changes.change()
    changes.save(changes.current)
    history.removeAll()
    unkeptConflict = []
    schedule?.saveBegins()
    schedule?.saveEnds()
  }

  // MARK: Reverting

  /// Reads the document from `url`, and goes on there.
  ///
  /// The URL is the document's own place or another one. The document discards unsaved edits, forgets its undo history,
  /// and refuses edits meanwhile. A closed document is opened.
  ///
  /// - Throws: `file`, `content`. The document then is as it was before, edits included, and its state has
  ///   `savingError`.
  public func revert(toContentsOf url: URL) async throws(DocumentError) {
    disableEditing()
    defer { enableEditing() }
    try await attempt { document throws(DocumentError) in try await document.readAnew(from: url) }
  }

  private func readAnew(from url: URL) async throws(DocumentError) {
    guard let storage else {
      fileURL = url
      return try await load()
    }
    begin(.reverting)
    do {
      if isOwnPlace(url) {
        let content = try await inTurn(.read, at: url) { _ in try await storage.reload(as: Content.self) }
        adopt(storage, content, await storage.facts())
      } else {
        let opened = try await DocumentStorage.open(url, on: medium)
        let content = try await opened.content(as: Content.self)
        let facts = await opened.facts()
        let watcher = await makeWatcher(of: opened, at: url)
        await tidyUp(storage)
        await startPresenting(at: url)
        fileURL = url
        adopt(opened, content, facts)
        hear(watcher)
      }
      end { $0.remove(.savingError) }
    } catch {
      end { $0.insert(.savingError) }
      throw report(DocumentError(error, .revert, fileURL))
    }
  }

  func isOwnPlace(_ url: URL) -> Bool { url.standardized.path == fileURL.standardized.path }

  // MARK: Closing

  /// Saves unsaved edits, waits until other programs see them, and closes the document.
  ///
  /// The document refuses edits meanwhile. A closed document does nothing.
  ///
  /// - Parameter discardingChanges: whether to give up unsaved edits. Their recovery copy, if there is one, stays.
  /// - Throws: as `save()`. The document then stays open, with all edits.
  public func close(discardingChanges: Bool = false) async throws(DocumentError) {
    disableEditing()
    defer { enableEditing() }
    _ = try await attempt { document throws(DocumentError) in
      try await document.end(discardingChanges: discardingChanges)
    }
  }

  /// Closes the document after the save of this report, as `close()` does.
  ///
  /// - Returns: the report, or that of another save if the user edited since, with a warning for each step that failed.
  /// - Throws: as `close()`; nothing if the user edited nothing since that save.
  public func close(after report: SaveReport) async throws(DocumentError) -> SaveReport {
    disableEditing()
    defer { enableEditing() }
    return try await attempt { document throws(DocumentError) in
      try await document.end(discardingChanges: false, after: report) ?? report
    }
  }

  @discardableResult
  private func end(
    discardingChanges: Bool, after report: SaveReport? = nil
  ) async throws(DocumentError) -> SaveReport? {
    var report = report
    if !discardingChanges && hasUnsavedChanges { report = try await write() }
    guard let storage else { return report }
    report = await tidyUp(storage, after: report)
    leave()
    present = nil
    await stopPresenting()
    return report
  }

  /// Closes the storage. A failure is only reported: the saved content is safe.
  @discardableResult
  private func tidyUp(_ storage: DocumentStorage, after report: SaveReport? = nil) async -> SaveReport? {
    let (closed, failure) = await storage.close(after: report)
    if let failure { self.report(DocumentError(failure, .close, fileURL)) }
    return closed
  }

  /// Ends every tie of the document to the disk.
  func leave() {
    autosaving?.cancel()
    watching?.cancel()
    (autosaving, watching, storage, base) = (nil, nil, nil, nil)
    (unkeptConflict, recoveryCopies, adoptedCopies, ownCopy, copyLocks) = ([], [], [], nil, [:])
    history.removeAll()
    activity = nil
    documentState = documentState.intersection(.editingDisabled).union(.closed)
  }
}
