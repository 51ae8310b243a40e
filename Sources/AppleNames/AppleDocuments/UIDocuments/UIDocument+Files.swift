import Documents
import DurableIO
import FilePackages
import Foundation

// The calls of a `UIDocument` run one after the other, on the main actor.

extension UIDocument {
  /// Calls `body` after every earlier call has ended, and then the completion handler (UI1).
  func enqueue(
    _ completionHandler: ((Bool) -> Void)?, _ body: @escaping @MainActor (UIDocument) async -> Bool
  ) {
    calls.enqueue { @MainActor in
      self.reportedErrors = 0
      let result = await body(self)
      completionHandler?(result)
    }
  }

  /// Calls `body`, and returns the answer that its completion handler gets.
  func answer(_ body: (@escaping (Bool) -> Void) -> Void) async -> Bool {
    await withCheckedContinuation { continuation in body { continuation.resume(returning: $0) } }
  }

  /// Runs `block` on another thread. An open document neither reads nor writes meanwhile.
  func access(_ block: @escaping @Sendable () -> Void) async {
    await hold {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          block()
          continuation.resume()
        }
      }
    }
  }

  /// Runs `work`. An open document neither reads nor writes meanwhile.
  func hold(_ work: @escaping @Sendable () async -> Void) async {
    if let engine = opened?.engine {
      await engine.performAsynchronousFileAccess(work)
    } else {
      await work()
    }
  }

  // MARK: Opening

  func openNow() async -> Bool {
    if opened != nil { return true }
    let engine = makeEngine(at: fileURL, nil)
    do {
      try await engine.open()
      let content = try await engine.content
      try loadContents(content, from: fileURL)
      await resume(with: engine, content)
      return true
    } catch {
      await abandon(engine)
      await fail(error)
      return false
    }
  }

  /// Goes on with the document at `url`, whose contents the model has read already.
  ///
  /// - Parameter isCurrent: whether the disk still has those contents; otherwise the model reads them again.
  func adopt(_ url: URL, isCurrent: () -> Bool) async -> Bool {
    let engine = opened?.engine ?? makeEngine(at: url, nil)
    do {
      try await engine.revert(toContentsOf: url)
      let content = try await engine.content
      try content.read?.noteStatuses()
      let isStale = !isCurrent()
      if isStale && !hasUnsavedChanges {
        try loadContents(content, from: url)
        await resume(with: engine, content)
      } else {
        // The changes since the model was read go on.
        attach(engine, content, link)
        if isStale { link.forgetSaved() }
        hasFailed = false
        await refresh()
      }
      return true
    } catch {
      if opened == nil { await abandon(engine) }
      await fail(error)
      return false
    }
  }

  /// Passes what the engine has read to the subclass.
  private func loadContents(_ content: UIDocumentContent, from url: URL) throws {
    guard let read = content.read else { return }
    loading = read
    defer { loading = nil }
    // A model may read the files by itself, or no child at all. The tree knows each of them all the same, so that the
    // engine hears of a later change.
    try read.noteStatuses()
    try self.read(from: url)
    forgetUndo()
  }

  /// Returns the tree that the model loads, for a model that takes its contents from wrappers.
  func loadedTree(at url: URL) throws -> FileWrapper {
    try loading ?? FileWrapper(url: url, options: [])
  }

  private func makeEngine(at url: URL, _ content: UIDocumentContent?) -> Engine {
    var options = DocumentOptions<UIDocumentContent>()
    let provider = DocumentProviders.provider(of: url)
    // In a container, the metadata tell that a folder is a document if no declared type does.
    let isDeclared = UTType(filename: url.lastPathComponent, isDirectory: true).isPackageOrBundle
    options.writesMetadata = writesMetadata || provider != nil && !isDeclared
    (options.autosave, options.recoveryFolder) = (autosavePolicy, recoveryFolder)
    options.eventHandler = { [relay] in relay.note($0) }
    options.errorHandler = { [relay] in relay.note($0) }
    options.provider = provider.map { DownloadShowing($0, in: relay) }
    return Engine(fileURL: url, content: content, options: options)
  }

  /// Goes on with an engine and a content that it has.
  private func resume(with engine: Engine, _ content: UIDocumentContent) async {
    attach(engine, content)
    hasFailed = false
    await refresh()
  }

  /// - Parameter present: the changes of the model; nil for those of the content.
  private func attach(_ engine: Engine, _ content: UIDocumentContent, _ present: ChangeLink? = nil) {
    (opened, link) = ((engine, content), present ?? content.link)
    content.source.attach(self, link)
    relay.attach(self, link, content.source)
    link.attach(endEvent: { true }) { [weak engine] kind in await engine?.updateChangeCount(kind) }
  }

  private func abandon(_ engine: Engine) async {
    try? await engine.close(discardingChanges: true)  // No edit is lost; the first error counts.
  }

  /// Gets place, date and flags from the engine.
  func refresh() async {
    if let engine = opened?.engine {
      let (url, date) = (await engine.fileURL, await engine.fileModificationDate)
      let (flags, presenter) = (await engine.documentState, await engine.filePresenter)
      guard opened?.engine === engine else { return }
      relay.notePresenter(presenter)
      (fileURL, fileModificationDate) = (url, date)
      engineFlags = flags.intersection([.inConflict, .savingError])
    } else {
      relay.notePresenter(nil)
      engineFlags = []
    }
    updateState()
  }

  // MARK: Saving

  /// Returns the contents to save, and their revision.
  func takeContents(for operation: SaveOperation) throws -> UIDocumentSource.Prepared {
    endEvent()
    var moment = link.moment(isExact: isQuiet)
    let token = UIDocumentSource.Token(value: changeCountToken(for: operation), operation: operation)
    let saves = relay.saves
    let type = savingFileType ?? fileType ?? UTType.data.identifier
    let isNew = operation == .forCreating
    let fileExtension = isNew ? fileNameExtension(forType: type, saveOperation: operation) : nil
    let collected = CollectedContents()
    collecting = collected
    defer { collecting = nil }
    let contents = try contents(forType: type)
    let attributes = try fileAttributesToWrite(to: fileURL, for: operation)
    try writeContents(contents, andAttributes: attributes, safelyTo: fileURL, for: operation)
    let (tree, isWritten) = try collected.result()
    // The model may change its tree while it is written.
    if tree.isDirectory && !isWritten { moment.isExact = false }
    return .init(
      tree: tree, isWritten: isWritten, moment: moment, token: token, saves: saves,
      fileExtension: fileExtension)
  }

  func saveNow(
    _ prepared: UIDocumentSource.Prepared, to url: URL, for operation: SaveOperation
  ) async -> Bool {
    do {
      if let opened, operation == .forOverwriting, isSamePlace(url, fileURL) {
        // If an autosave has written later contents meanwhile, the save takes the present ones.
        if prepared.saves == relay.saves { opened.content.source.prepare(prepared) }
        try await opened.engine.save()
      } else if operation == .forOverwriting, FileManager.default.fileExists(atPath: url.path) {
        try await replace(url, by: prepared)
      } else {
        try await make(prepared, at: url)
      }
      hasFailed = false
      noteSave()
      await refresh()
      return true
    } catch {
      hasFailed = true
      await fail(error)
      return false
    }
  }

  func isSamePlace(_ one: URL, _ other: URL) -> Bool {
    one.standardized.path == other.standardized.path
  }

  /// Makes a new document of the contents, and goes on there.
  private func make(_ prepared: UIDocumentSource.Prepared, at url: URL) async throws {
    if let opened {
      opened.content.source.prepare(prepared)
      try await opened.engine.save(to: url, for: .forCreating)
      return
    }
    let content = UIDocumentContent(link, UIDocumentSource())
    content.source.prepare(prepared)
    let engine = makeEngine(at: url, content)
    content.source.attach(self, link)
    relay.attach(self, link, content.source)
    try await engine.save(to: url, for: .forCreating)
    attach(engine, content)
  }

  /// Saves the contents over a document that this one has not opened, and goes on there.
  private func replace(_ url: URL, by prepared: UIDocumentSource.Prepared) async throws {
    let engine = makeEngine(at: url, nil)
    do {
      try await engine.open()
      let content = try await engine.content
      var contents = prepared
      contents.moment = content.link.moment(isExact: true)
      content.source.prepare(contents)
      try await engine.save()
      content.link.noteSave()
      content.source.noteSave()
      // The user edited during the save.
      if !isQuiet || link.isChanged(since: prepared.moment) { content.link.forgetSaved() }
      let old = opened?.engine
      attach(engine, content)
      if let old { await abandon(old) }
    } catch {
      await abandon(engine)
      throw error
    }
  }

  /// Tells the subclass which contents are saved.
  func noteSave() {
    link.confirmSave(isQuiet: isQuiet)
    for token in opened?.content.source.takeSaved() ?? [] {
      updateChangeCount(withToken: token.value, for: token.operation)
    }
  }

  // MARK: Reverting and closing

  func revertNow(to url: URL) async -> Bool {
    holdEditing()
    defer { releaseEditing() }
    guard let opened else {
      let old = fileURL
      fileURL = url
      let isOpen = await openNow()
      if !isOpen { fileURL = old }
      return isOpen
    }
    do {
      try await opened.engine.revert(toContentsOf: url)
      return await loadAgain(opened.engine)
    } catch {
      await fail(error)
      return false
    }
  }

  func recoverNow(_ copy: RecoveryCopy) async -> Bool {
    holdEditing()
    defer { releaseEditing() }
    guard let engine = opened?.engine else { return false }
    do {
      try await engine.recover(copy)
    } catch {
      await fail(error)
      return false
    }
    guard await loadAgain(engine) else {
      await engine.offerAgain(copy)
      return false
    }
    updateChangeCount(.done)
    return true
  }

  func discardNow(_ copy: RecoveryCopy) async -> Bool {
    guard let engine = opened?.engine else { return false }
    do {
      try await engine.discard(copy)
      return true
    } catch {
      await fail(error)
      return false
    }
  }

  /// Loads the content that the engine has read; false if the subclass refuses.
  func loadAgain(_ engine: Engine) async -> Bool {
    let content: UIDocumentContent
    do {
      content = try await engine.content
    } catch {
      await fail(error)
      return false
    }
    do {
      try loadContents(content, from: await engine.fileURL)
      await resume(with: engine, content)
      return true
    } catch {
      hasFailed = true
      await goOnWithEdits(in: engine)
      await fail(error)
      return false
    }
  }

  /// Goes on with the model as it is, over the state that the engine has read (UI3).
  func goOnWithEdits(in engine: Engine) async {
    guard let content = opened?.content else { return }
    await engine.resume(withEarlierEdits: content)
    link.forgetSaved()
    reportErrors()
  }

  /// Closes the document in its turn, after an autosave if there are unsaved changes (UI1).
  func closeAfterAutosave(_ completionHandler: ((Bool) -> Void)?) {
    holdEditing()
    guard opened != nil, hasUnsavedChanges else {
      enqueueClose(completionHandler) { _ in true }
      return
    }
    // The autosave is a call of its own, which a subclass may override.
    let (earlier, answer) = (calls.last, AutosaveAnswer())
    let saving = Task.immediate { answer.isSaved = await autosave() }
    if answer.isSaved == nil && calls.last == earlier {
      // The override begins to save later, and the close follows that save.
      Task {
        await saving.value
        enqueueClose(completionHandler) { _ in answer.isSaved == true }
      }
    } else {
      enqueueClose(completionHandler) { answer.isSaved ?? !$0.hasUnsavedChanges }
    }
  }

  private func enqueueClose(
    _ completionHandler: ((Bool) -> Void)?, if isSaved: @escaping @MainActor (UIDocument) -> Bool
  ) {
    enqueue(completionHandler) { document in
      let isClosed = isSaved(document) ? await document.closeNow() : false
      document.releaseEditing()
      return isClosed
    }
  }

  private func closeNow() async -> Bool {
    guard let engine = opened?.engine else { return true }
    await link.drain()
    do {
      try await engine.close()
      noteSave()
      opened = nil
      forgetUndo()
      reportErrors()
      await refresh()
      return true
    } catch {
      await fail(error)
      return false
    }
  }
}

/// The answer of the autosave before a close; nil until it comes.
@MainActor
private final class AutosaveAnswer {
  var isSaved: Bool?
}
