import Documents
import FilePackages
import Foundation

/// A model that presents its own file: a `UIDocument` or an `NSDocument`.
@MainActor
protocol PresentedModel: ModelOwner, NSFilePresenter {
  nonisolated var file: ModelFile { get }
  /// The tree that the model loads now; nil otherwise.
  var loading: FileWrapper? { get set }
  /// Takes the tree that a save writes; nil unless a save asks for it.
  var collecting: CollectedContents? { get set }

  /// Whether a new package gets a `Metadata.plist`.
  var writesMetadata: Bool { get }
  /// Changes the options of an engine.
  func adjust(_ options: inout DocumentOptions<ModelContent>)
  /// Returns the model's tree for a save.
  func takeContents(for operation: DocumentSaveOperation) throws -> TakenModel
  /// Calls the model's own method that reads.
  func readContents(at url: URL) throws
  /// Another program has moved the document.
  func didMove(to url: URL)
  /// Calls a presenter's method on its queue.
  func tell(_ body: @escaping @Sendable (any NSFilePresenter) -> Void)
}

extension PresentedModel {
  // MARK: Calls

  /// Calls `body` after every earlier call has ended, and then the completion handler (UI1).
  func enqueue(_ completionHandler: ((Bool) -> Void)?, _ body: @escaping @MainActor () async -> Bool) {
    file.enqueue {
      let result = await body()
      completionHandler?(result)
    }
  }

  /// Calls `body`, and returns the answer that its completion handler gets.
  func answer<Answer: Sendable>(_ body: (@escaping (Answer) -> Void) -> Void) async -> Answer {
    await withCheckedContinuation { continuation in body { continuation.resume(returning: $0) } }
  }

  /// Calls `body`, and gives its error to the model.
  func attempt(_ body: () async throws -> Void) async -> Bool {
    do {
      try await body()
      return true
    } catch {
      await file.fail(error)
      return false
    }
  }

  // MARK: Reading and saving

  /// Becomes the owner of the file.
  func presentFile() {
    file.owner = self
    file.options = { [weak self] in self?.options(at: $0) ?? DocumentOptions() }
    ConflictResolutions.add(self)
  }

  private func options(at url: URL) -> DocumentOptions<ModelContent> {
    var options = DocumentOptions<ModelContent>()
    let provider = DocumentProviders.provider(of: url)
    // In a container, the metadata tell that a folder is a document if no declared type does.
    let isDeclared = UTType(filename: url.lastPathComponent, isDirectory: true).isPackageOrBundle
    options.writesMetadata = writesMetadata || provider != nil && !isDeclared
    options.provider = provider.map { DownloadShowing($0, in: file.news) }
    adjust(&options)
    return options
  }

  /// Returns the tree that the model loads, for a model that takes its contents from wrappers.
  func loadedTree(at url: URL) throws -> FileWrapper {
    try loading ?? FileWrapper(url: url, options: [])
  }

  func read(_ tree: FileWrapper, as type: UTType, at url: URL) -> ModelUpdate {
    { [self] in
      loading = tree
      defer { loading = nil }
      try readContents(at: url)
      return true
    }
  }

  func takeTree(_ configuration: FileDocumentWriteConfiguration) throws -> TakenModel {
    try takeContents(for: .forOverwriting)
  }

  /// Returns the tree that `write` gives, and whether it consists of written files.
  func collect(_ write: () throws -> Void) throws -> (tree: FileWrapper, isWritten: Bool) {
    let collected = CollectedContents()
    collecting = collected
    defer { collecting = nil }
    try write()
    return try collected.result()
  }

  /// Saves the contents of this moment after all earlier calls.
  ///
  /// - Parameter target: the place, once the model has given its contents.
  func save(
    for operation: DocumentSaveOperation, _ completionHandler: ((Bool) -> Void)?,
    to target: (TakenModel) -> URL
  ) {
    let taken: TakenModel
    do {
      taken = try takeContents(for: operation)
    } catch {
      file.noteFailure()
      handle(error)
      return enqueue(completionHandler) { false }
    }
    let url = target(taken)
    enqueue(completionHandler) { [self] in
      await attempt { try await file.save(taken, to: url, for: operation) }
    }
  }

  /// Closes the document in its turn, after an autosave if there are unsaved changes.
  ///
  /// - Parameter autosave: saves as a call of its own, which a subclass may override.
  func closeAfterAutosave(
    _ completionHandler: ((Bool) -> Void)?, ifUnsaved isUnsaved: @escaping @MainActor () -> Bool,
    _ autosave: @escaping @MainActor () async -> Bool
  ) {
    file.holdEditing()
    guard file.engine != nil, isUnsaved() else {
      return enqueueClose(completionHandler) { true }
    }
    let (earlier, answer) = (file.lastCall, AutosaveAnswer())
    let saving = Task.immediate { answer.isSaved = await autosave() }
    if answer.isSaved == nil && file.lastCall == earlier {
      // The override begins to save later, and the close follows that save.
      Task {
        await saving.value
        enqueueClose(completionHandler) { answer.isSaved == true }
      }
    } else {
      enqueueClose(completionHandler) { answer.isSaved ?? !isUnsaved() }
    }
  }

  private func enqueueClose(
    _ completionHandler: ((Bool) -> Void)?, if isSaved: @escaping @MainActor () -> Bool
  ) {
    enqueue(completionHandler) { [self] in
      let isClosed = isSaved() ? await attempt { try await file.close() } : false
      file.releaseEditing()
      return isClosed
    }
  }

  // MARK: Other programs

  func note(_ event: DocumentEvent, knowing known: FileWrapper?) {
    switch event {
    case .moved(let url): didMove(to: url)
    // The file is gone already, so that no program waits for the model's answer.
    case .changedByOthers(.deleted, _):
      file.enqueue { [self] in tell { $0.accommodatePresentedItemDeletion { _ in } } }
    case .changedByOthers(let outcome, let paths):
      file.enqueue { [self] in
        tellChildren(paths, known)
        tell { $0.presentedItemDidChange() }
        if outcome == .conflict { await tellNewConflict() }
      }
    default: break
    }
  }

  /// Tells the model of changed children of a package.
  ///
  /// - Parameter known: the tree that it knew; nil for a document that was made and never read.
  private func tellChildren(_ paths: [String], _ known: FileWrapper?) {
    guard known?.isDirectory ?? FileManager.default.isFolder(at: file.fileURL) else { return }
    for path in paths where !path.isEmpty {
      let url = file.fileURL.appending(path: path, directoryHint: .notDirectory)
      var isNew = false
      // A child that cannot be looked at was known.
      do { isNew = try known.map { try $0.descendant(at: path) == nil } ?? false } catch {}
      tell { [isNew] in
        if isNew { $0.presentedSubitemDidAppear(at: url) } else { $0.presentedSubitemDidChange(at: url) }
      }
    }
  }

  private func tellNewConflict() async {
    let url = file.fileURL
    // Reading the versions waits for the disk.
    let newest = await BlockingThread().run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.first }
    if let newest { tell { $0.presentedItemDidGain(newest) } }
  }

  /// The program has resolved a conflict version of a document.
  func note(_ resolved: NSFileVersion) async {
    guard let engine = file.engine,
      resolved.documentURL.standardized.path == file.fileURL.standardized.path
    else { return }
    await engine.checkForConflicts()
    await file.refresh()
    tell { $0.presentedItemDidResolveConflict(resolved) }
  }

  func refusal(ofDeletingChildAt url: URL) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let once = Once(continuation)
      tell { $0.accommodatePresentedSubitemDeletion(at: url) { once.resume($0) } }
    }
  }

  func childDidMove(from oldURL: URL, to newURL: URL) {
    tell { $0.presentedSubitem(at: oldURL, didMoveTo: newURL) }
  }
}

/// The answer of the autosave before a close; nil until it comes.
@MainActor
private final class AutosaveAnswer {
  var isSaved: Bool?
}

extension FileManager {
  /// Returns whether a folder is at a URL.
  func isFolder(at url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
  }
}
