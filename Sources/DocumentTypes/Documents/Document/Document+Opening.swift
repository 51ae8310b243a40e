import FilePackages
public import FoundationEssentials

extension Document {
  /// Opens and reads the document, a package or a flat file; does nothing if it is open.
  ///
  /// It first publishes a save that was committed and not published. Afterwards `recoveryCopies` has the edits that an
  /// earlier document could not save.
  ///
  /// If the options have a provider, it first downloads the content of a placeholder. Meanwhile the state has
  /// `progressAvailable`, and `progress` has the bytes. Cancelling the task ends the download.
  ///
  /// - Throws: `file` if the file system refuses, `content` if the document type does, `unavailable` if the download
  ///   fails. The document then stays closed.
  public func open() async throws(DocumentError) {
    try await provide(fileURL)
    try await attempt { document throws(DocumentError) in try await document.load() }
  }

  /// Brings the content to this machine, if the document is closed and a provider has it.
  ///
  /// It is no access: the task of the caller makes the download, so that its cancelling ends it.
  private func provide(_ url: URL) async throws(DocumentError) {
    guard let provider = options.provider, !isOpen else { return }
    begin(.downloading)
    download.set(0, of: 0)
    do {
      try await provider.provide(itemAt: url) { [download] in download.set($0, of: $1) }
    } catch {
      endDownload()
      throw report(DocumentError(.unavailable, .open, url, cause: error))
    }
    endDownload()
  }

  /// Ends the activity, unless another call has begun one meanwhile.
  private func endDownload() {
    if core.turns.activity == .downloading { end() }
  }

  private func load() async throws(DocumentError) {
    if isOpen { return }
    do {
      begin(.opening)
      await startPresenting(at: fileURL)
      await goOn(with: try await read(fileURL))
    } catch {
      await stopPresenting()
      end()
      throw report(DocumentError(error, .open, fileURL))
    }
  }

  private typealias Found = (storage: any DocumentStorage, content: Content, hasConflicts: Bool)

  /// Opens and reads what stands at `url`, in turn with other programs.
  private func read(_ url: URL) async throws -> Found {
    try await coordinated(.readingIntent(with: url)) {
      let storage = try await storageEnvironment.open(url)
      let content = try await storage.content(as: Content.self)
      return (storage, content, try await storage.hasConflicts())
    }
  }

  /// Goes on with what was read at the document's place.
  private func goOn(with found: Found) async {
    let facts = await found.storage.facts()
    // The opening finds this document's own earlier copies like any other copy.
    recovery?.release()
    let watcher = await makeWatcher(of: found.storage, at: fileURL)
    let copies = await findRecoveryCopies(facts)
    // No `await` may come between here and the end: the document is open with all of these, or not at all.
    adopt(found.content, facts, in: found.storage)
    core.hasFailed = false
    hear(watcher)
    recovery?.offer(copies)
    lifecycle.opened?.conflict = found.hasConflicts ? .stored : .none
    end()
  }

  /// Goes on with content as it is on disk.
  func adopt(_ content: Content, _ facts: StorageFacts, in storage: any DocumentStorage) {
    lifecycle.read(content, facts, in: storage)
    changes.change()
    changes.save(changes.current)
    history.removeAll()
    core.autosaver.begin()
  }

  // MARK: Reverting

  /// Reads the document from `url`, which becomes the document's place.
  ///
  /// `url` may be the document's own place. The document discards unsaved edits, forgets its undo history, and refuses
  /// edits meanwhile. A closed document is opened.
  ///
  /// - Throws: `file`, `content`. The document then is as it was before, edits included, and its state has
  ///   `savingError`.
  public func revert(toContentsOf url: URL) async throws(DocumentError) {
    disableEditing()
    defer { enableEditing() }
    try await provide(url)
    try await attempt { document throws(DocumentError) in try await document.readAnew(from: url) }
  }

  private func readAnew(from url: URL) async throws(DocumentError) {
    guard let storage = lifecycle.opened?.storage else {
      let old = fileURL
      core.fileURL = url
      tellObservers()
      do throws(DocumentError) {
        return try await load()
      } catch {
        core.fileURL = old
        tellObservers()
        throw error
      }
    }
    begin(.reverting)
    do {
      if isOwnPlace(url) {
        let content = try await coordinated(.readingIntent(with: url)) {
          try await storage.reload(as: Content.self)
        }
        adopt(content, await storage.facts(), in: storage)
        recovery?.offerAgain()
        core.hasFailed = false
        end()
      } else {
        let found = try await read(url)
        await tidyUp(storage)
        await startPresenting(at: url)
        core.fileURL = url
        await goOn(with: found)
      }
    } catch {
      core.hasFailed = true
      end()
      throw report(DocumentError(error, .revert, fileURL))
    }
  }

  func isOwnPlace(_ url: URL) -> Bool { url.standardized.path == fileURL.standardized.path }

  // MARK: Closing

  /// A value has no edits that take time.
  public func finishEdits(in turn: DocumentTurn) {}

  /// Closes the storage. The recovery copy of unsaved edits, if there is one, stays.
  public func shut(
    discardingChanges: Bool, after report: SaveReport?, in turn: DocumentTurn
  ) async -> SaveReport? {
    guard let storage = lifecycle.opened?.storage else { return report }
    let closed = await tidyUp(storage, after: report)
    await leave { leave(for: { $0.close() }) }
    return closed
  }

  /// Closes the storage. A failure is only reported: the saved content is safe.
  @discardableResult
  private func tidyUp(_ storage: any DocumentStorage, after report: SaveReport? = nil) async -> SaveReport? {
    let (closed, failure) = await storage.finish(after: report)
    if let failure { self.report(DocumentError(failure, .close, fileURL)) }
    return closed
  }

  /// Changes the lifecycle to one without a storage.
  func leave(for change: (inout Lifecycle<Content>) -> Void) {
    change(&lifecycle)
    // A content in memory may still be saved elsewhere. Until then no other document gets the copy of its edits.
    recovery?.release(exceptOwn: lifecycle.content != nil)
    history.removeAll()
  }
}
