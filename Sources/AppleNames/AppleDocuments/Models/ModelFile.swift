import Documents
import DurableIO
import FilePackages
import Foundation

// MF1 The revision that a save writes is taken with the model's state, in one step of the main actor. So an undo after a
//     save never looks saved while the disk has the undone change.
// MF2 The engine's "unsaved" follows that of the file, a moment later and in the same order.
// MF3 An error leaves the model, its changes and its undo as they are. Only a revert that succeeds gives them up.

/// A document on disk whose model lives on the main actor.
///
/// `UIDocument`, `NSDocument`, `ReferenceDocument` and `SnapshotDocument` each own one. Its methods run within a call:
/// `run` and `enqueue` make the calls, one after the other.
@MainActor
final class ModelFile {
  typealias Engine = Documents.Document<ModelContent>

  /// The types of the model.
  nonisolated let types: ContentTypeLists
  /// The messages of the engine, and what any thread may read.
  nonisolated let news: ModelNews
  weak var owner: (any ModelOwner)?
  /// The options of an engine for a place.
  var options: (URL) -> DocumentOptions<ModelContent> = { _ in DocumentOptions() }

  /// The document's place, or its future place.
  var fileURL: URL { didSet { news.url = fileURL } }
  /// The last known modification date of the document on disk.
  var fileModificationDate: Date?
  /// The flags of the document's state.
  private(set) var documentState: DocumentState = .closed
  /// The document that reads and saves; nil while this one is closed.
  private(set) var engine: Engine?
  /// The present content of the engine.
  private var content: ModelContent?

  // The parts of the state.
  private var engineState: DocumentState = []
  private var editingHolds = 0
  /// Whether the last save or the last reading failed.
  private var hasFailed = false
  /// The download of the content at this moment.
  var download: Progress? { didSet { updateState() } }

  /// The manager whose groups are the changes of the model.
  var undoManager: UndoManager? {
    didSet { observer = undoManager.map { UndoObserver($0) { [weak self] in self?.countOnMain($0) } } }
  }
  private var observer: UndoObserver?

  private var changes = ChangeTracker()
  /// The number of changes up to now.
  private(set) var edits: UInt64 = 0
  /// The moments that the engine writes or has written, until the file knows the outcome.
  private var moments: [UInt64: ModelMoment] = [:]
  private var lastMoment: UInt64 = 0
  /// The tree that the next save writes; nil for that of the model then.
  private var prepared: TakenModel?

  private let calls = SerialQueue()
  /// The messages to the engine (MF2).
  private let messages = SerialQueue()
  /// The events that the owner has not heard.
  private var unheard: [DocumentEvent] = []
  /// The number of errors that the owner has got since the present call began.
  private var reportedErrors = 0

  init(at url: URL, types: ContentTypeLists = ContentTypeLists(readable: [.item], writable: [.item])) {
    (fileURL, self.types, news) = (url, types, ModelNews(url))
    news.attach(self)
  }

  // MARK: Calls

  /// The call that was enqueued last.
  var lastCall: Task<Void, Never>? { calls.last }

  /// Runs `body` after every earlier call.
  func enqueue(_ body: @escaping @MainActor () async -> Void) {
    calls.enqueue { @MainActor in
      self.reportedErrors = 0
      await body()
    }
  }

  /// Runs `body` after every earlier call, and returns its result.
  func run<Result: Sendable>(_ body: @escaping @MainActor () async throws -> Result) async throws -> Result {
    let result: Swift.Result<Result, any Error> = await withCheckedContinuation { continuation in
      enqueue {
        do {
          continuation.resume(returning: .success(try await body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  // MARK: Changes

  /// Whether the model has changes that are not on disk.
  var hasUnsavedChanges: Bool { changes.hasUnsavedChanges || undoManager?.hasOpenActions == true }
  /// The present revision.
  var revision: Revision { changes.current }

  /// Counts a change of the model.
  func count(_ kind: DocumentChangeKind) {
    edits += 1
    changes.count(kind)
    tellEngine()
  }

  /// An undo manager may be used on any thread.
  private nonisolated func countOnMain(_ kind: DocumentChangeKind) {
    if DispatchQueue.isMain {
      MainActor.assumeIsolated { count(kind) }
    } else {
      Task { @MainActor in count(kind) }
    }
  }

  private func tellEngine() {
    guard let engine else { return }
    let kind: DocumentChangeKind = changes.hasUnsavedChanges ? .done : .cleared
    messages.enqueue { await engine.updateChangeCount(kind) }
  }

  /// Waits until the engine knows all changes.
  private func drain() async {
    endEvent()
    await messages.drain()
  }

  /// Closes the undo group of the present event, so that it counts.
  func endEvent() { undoManager?.endEventGrouping() }

  private var isQuiet: Bool { undoManager.map { $0.groupingLevel == 0 } ?? true }

  /// Forgets the undo manager's actions, which are of no use for a new model.
  func forgetUndo() { undoManager?.removeAllActions() }

  /// Closes the group of the present event, and returns this moment (MF1).
  func takeMoment(isExact: Bool = true) -> ModelMoment {
    endEvent()
    return ModelMoment(
      revision: changes.current, edits: edits, saves: news.saves, isExact: isExact && isQuiet)
  }

  // MARK: The state

  func holdEditing() {
    editingHolds += 1
    updateState()
    if editingHolds == 1 { owner?.disableEditing() }
  }

  func releaseEditing() {
    editingHolds -= 1
    if editingHolds == 0 { owner?.enableEditing() }
    updateState()
  }

  /// Notes that a save or a reading failed.
  func noteFailure() {
    hasFailed = true
    updateState()
  }

  private func updateState() {
    var state = engineState.intersection([.inConflict, .savingError])
    if engine == nil { state.insert(.closed) }
    if hasFailed { state.insert(.savingError) }
    if editingHolds > 0 { state.insert(.editingDisabled) }
    if download != nil { state.insert(.progressAvailable) }
    if state == documentState { return }
    documentState = state
    owner?.stateDidChange()
  }

  /// Gets place, date and flags from the engine.
  func refresh() async {
    if let engine {
      let (url, date) = (await engine.fileURL, await engine.fileModificationDate)
      let (state, presenter) = (await engine.documentState, await engine.filePresenter)
      guard self.engine === engine else { return }
      news.present(presenter)
      (fileURL, fileModificationDate, engineState) = (url, date, state)
    } else {
      news.present(nil)
      engineState = []
    }
    owner?.placeDidChange()
    updateState()
  }

  // MARK: Reading

  /// Opens the document at `fileURL`, and makes the owner of what it reads.
  func open<Owner: ModelOwner>(
    _ makeOwner: (Engine, FileWrapper, UTType) async throws -> Owner
  ) async throws -> Owner {
    let engine = makeEngine(at: fileURL, nil)
    do {
      try await engine.open()
      let content = try await engine.content
      let tree = content.read ?? FileWrapper(directoryWithFileWrappers: [:])
      let owner = try await makeOwner(engine, tree, await type(of: tree, in: engine))
      self.owner = owner
      attach(engine, content)
      await refresh()
      await loadLater(nil)
      return owner
    } catch {
      await abandon(engine)
      throw error
    }
  }

  /// Makes the engine of a new document, which the next save makes.
  func makeNew() -> Engine {
    let content = ModelContent(of: self)
    let engine = makeEngine(at: fileURL, content)
    (self.engine, self.content) = (engine, content)
    return engine
  }

  private func type(of tree: FileWrapper, in engine: Engine) async -> UTType {
    types.typeToRead(
      await engine.fileType, pathExtension: fileURL.pathExtension, isDirectory: tree.isDirectory)
  }

  /// Opens the document at `fileURL`; does nothing if it is open.
  func open() async throws {
    if engine != nil { return }
    let engine = makeEngine(at: fileURL, nil)
    do {
      try await engine.open()
      try await adopt(engine)
    } catch {
      await abandon(engine)
      throw error
    }
  }

  /// Reads the document from `url`, and gives up the changes. A closed document is opened.
  func revert(to url: URL) async throws {
    holdEditing()
    defer { releaseEditing() }
    guard let engine else {
      let old = fileURL
      fileURL = url
      do {
        return try await open()
      } catch {
        fileURL = old
        throw error
      }
    }
    await drain()
    try await engine.revert(toContentsOf: url)
    try await adopt(engine)
  }

  /// Goes on with the document at `url`, whose contents the model has read already.
  ///
  /// - Parameter isCurrent: whether the disk still has those contents; otherwise the model reads them again.
  func follow(_ url: URL, isCurrent: () -> Bool) async throws {
    let engine = self.engine ?? makeEngine(at: url, nil)
    do {
      await messages.drain()
      try await engine.revert(toContentsOf: url)
      let content = try await engine.content
      let isStale = !isCurrent()
      if isStale && !hasUnsavedChanges { return try await adopt(engine) }
      // The changes since the model was read go on.
      attach(engine, content)
      if isStale { forgetSaved() }
      hasFailed = false
      await refresh()
    } catch {
      if self.engine !== engine { await abandon(engine) }
      throw error
    }
  }

  /// Loads the edits of a recovery copy, as an unsaved change.
  func recover(_ copy: RecoveryCopy, in engine: Engine) async throws {
    holdEditing()
    defer { releaseEditing() }
    await drain()
    try await engine.recover(copy)
    do {
      try await adopt(engine)
    } catch {
      await engine.offerAgain(copy)
      throw error
    }
    count(.done)
  }

  /// Gives the model what the engine has read.
  ///
  /// - Parameter paths: the children that another program changed; nil if the caller gives up the model's changes.
  private func adopt(_ engine: Engine, changedAt paths: [String]? = nil) async throws {
    let content = try await engine.content
    let url = await engine.fileURL
    news.present(await engine.filePresenter)
    var isAsOnDisk = true
    if let tree = content.read, let owner {
      do {
        let update = try await owner.read(tree, as: await type(of: tree, in: engine), at: url)
        // The user edited while the document was read: the edits stay, and the next save writes them.
        if let paths, hasUnsavedChanges { return await keepEdits(in: engine, paths) }
        settle()
        isAsOnDisk = try await update()
      } catch {
        if self.engine === engine {
          hasFailed = true
          await keepEdits(in: engine, paths ?? [])
        }
        throw error
      }
    }
    changes.change()
    changes.save(changes.current)
    if !isAsOnDisk { changes.forgetSaved() }
    attach(engine, content)
    forgetUndo()
    hasFailed = false
    // A recovery copy's edits are in the model, and not on disk.
    if paths != nil, await engine.hasUnsavedChanges { forgetSaved() }
    await refresh()
    await loadLater(nil)
  }

  private func attach(_ engine: Engine, _ content: ModelContent) {
    (self.engine, self.content) = (engine, content)
    content.link.tie(to: self)
    if changes.hasUnsavedChanges { tellEngine() }
  }

  private func forgetSaved() {
    changes.forgetSaved()
    tellEngine()
  }

  /// Goes on with the model as it is, over the state that the engine has read (MF3).
  ///
  /// - Parameter paths: another program's children, which become conflict versions.
  private func keepEdits(in engine: Engine, _ paths: [String]) async {
    guard let content else { return }
    await engine.resume(withEarlierEdits: content, clashingAt: paths)
    forgetSaved()
    await refresh()
  }

  func makeEngine(at url: URL, _ content: ModelContent?) -> Engine {
    var options = options(url)
    let (eventHandler, errorHandler) = (options.eventHandler, options.errorHandler)
    options.eventHandler = { [news] event in
      news.note(event)
      eventHandler?(event)
    }
    options.errorHandler = { [news] error in
      news.note(error)
      errorHandler?(error)
    }
    return Engine(fileURL: url, content: content, options: options)
  }

  func abandon(_ engine: Engine) async {
    try? await engine.close(discardingChanges: true)  // No edit is lost; the first error counts.
  }

  // MARK: Saving

  /// Saves the model as it is now.
  @discardableResult
  func save() async throws -> SaveReport {
    guard let engine else { throw DocumentError(.closed, .save, fileURL) }
    await drain()
    return try await saving { try await engine.save() }
  }

  /// Saves a tree of the model to `url`.
  ///
  /// - Parameter taken: the tree of an earlier moment; nil for that of the model when the save asks for it.
  @discardableResult
  func save(
    _ taken: TakenModel?, to url: URL, for operation: DocumentSaveOperation
  ) async throws -> SaveReport {
    try await saving {
      if let engine, operation == .forOverwriting, url.standardized.path == fileURL.standardized.path {
        // If an autosave has written a later tree meanwhile, the save takes the present one.
        if taken?.moment.saves == news.saves { prepared = taken }
        return try await engine.save()
      }
      prepared = taken
      if operation == .forOverwriting, FileManager.default.fileExists(atPath: url.path) {
        return try await replace(url)
      }
      let content = content ?? ModelContent(of: self)
      let engine = engine ?? makeEngine(at: url, content)
      let report = try await engine.save(to: url, for: .forCreating)
      attach(engine, content)
      return report
    }
  }

  private func saving(_ body: () async throws -> SaveReport) async throws -> SaveReport {
    defer { prepared = nil }
    do {
      let report = try await body()
      hasFailed = false
      settle()
      await refresh()
      return report
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Saves over a document that this one has not opened, and goes on there.
  private func replace(_ url: URL) async throws -> SaveReport {
    let engine = makeEngine(at: url, nil)
    do {
      try await engine.open()
      let content = try await engine.content
      content.link.tie(to: self)
      let report = try await engine.save()
      let old = self.engine
      attach(engine, content)
      if let old { await abandon(old) }
      return report
    } catch {
      await abandon(engine)
      throw error
    }
  }

  /// Saves unsaved changes, and closes the document.
  func close() async throws {
    guard let engine else { return }
    // An edit of the present event counts, but not a group whose actions the owner has given up.
    if hasUnsavedChanges { endEvent() }
    await messages.drain()
    try await engine.close()
    settle()
    (self.engine, content) = (nil, nil)
    forgetUndo()
    reportErrors()
    await refresh()
  }

  /// Runs `work`. An open document neither reads nor writes meanwhile.
  func hold(_ work: @escaping @Sendable () async -> Void) async {
    if let engine {
      await engine.performAsynchronousFileAccess(work)
    } else {
      await work()
    }
  }

  // MARK: The engine asks

  /// Returns the tree to save; nil if the model is gone (MF1).
  func takeTree(
    _ configuration: FileDocumentWriteConfiguration
  ) async throws -> (FileWrapper, TreeGiver?)? {
    settle()
    news.running = nil
    guard let owner else { return nil }
    var taken = prepared
    prepared = nil
    if taken == nil { taken = try await owner.takeTree(configuration) }
    guard let taken else { return nil }
    lastMoment += 1
    moments[lastMoment] = taken.moment
    news.running = lastMoment
    return (taken.tree, taken.giver)
  }

  // MARK: The engine tells

  /// Takes in the outcomes of saves, before anything that depends on them.
  private func settle() {
    for (event, number) in news.takeEvents() {
      unheard.append(event)
      switch event {
      case .saved:
        hasFailed = false
        guard let number, let moment = moments[number] else { continue }
        moments = moments.filter { $0.key > number }
        // A moment that is not exact counts if nothing has changed since.
        if moment.isExact || isQuiet && edits == moment.edits {
          changes.save(moment.revision)
        } else {
          changes.forgetSaved()
        }
        tellEngine()
        owner?.didSave(moment)
      case .changedByOthers(let outcome, _):
        owner?.diskDidChange()
        if outcome == .conflict || outcome == .merged { forgetSaved() }
      default: break
      }
    }
  }

  /// Takes in the events of the engine.
  func hear() async {
    settle()
    while !unheard.isEmpty { await takeIn(unheard.removeFirst()) }
  }

  private func takeIn(_ event: DocumentEvent) async {
    // The tree that the other program's change met.
    let known = content?.read
    if case .changedByOthers(.deleted, _) = event {
      if let engine, await !engine.isOpen, self.engine === engine { (self.engine, content) = (nil, nil) }
    } else if case .changedByOthers(.reloaded, let paths) = event {
      await loadLater(paths.isEmpty ? [""] : paths)
    } else {
      await loadLater(nil)
    }
    await refresh()
    owner?.note(event, knowing: known)
  }

  /// Loads what the engine has read, after the present call, if that is something new.
  private func loadLater(_ paths: [String]?) async {
    // A closed document has no content.
    guard let engine, let present = try? await engine.content, present.link !== content?.link,
      self.engine === engine
    else { return }
    enqueue {
      guard self.engine === engine, let present = try? await engine.content,
        present.link !== self.content?.link
      else { return }
      self.holdEditing()
      defer { self.releaseEditing() }
      do {
        try await self.adopt(engine, changedAt: paths ?? [])
      } catch {
        await self.fail(error)
      }
    }
  }

  // MARK: Errors

  /// Gives the error of the present call to the owner, after the state has it.
  func fail(_ error: any Error) async {
    await refresh()
    reportErrors()
    // The engine reports nearly all of its errors itself.
    if reportedErrors == 0 { owner?.handle(error) }
  }

  /// Gives the errors of the engine to the owner.
  func reportErrors() {
    for error in news.takeErrors() {
      reportedErrors += 1
      owner?.handle(error.ofModel)
    }
  }
}

extension DispatchQueue {
  private static let mainKey = {
    let key = DispatchSpecificKey<Bool>()
    main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue. After `dispatchMain()`, that queue runs on other threads than the main one.
  fileprivate static var isMain: Bool { Thread.isMainThread || getSpecific(key: mainKey) == true }
}

extension DocumentError {
  /// The error of the model's own code; otherwise this error.
  var ofModel: any Error { code == .content ? cause ?? self : self }
}
