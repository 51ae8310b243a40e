import Documents
public import FilePackages
public import Foundation
public import Observation

// SD1 `previous` of a write is the snapshot of the last save that succeeded. A save that fails leaves it. After a
//     revert or another program's change there is none, since the disk then has another state.
// SD2 The revision of a save is that before its snapshot. A change during the snapshot leaves the document unsaved.
// SD3 A model that refuses a read keeps its unsaved changes and its undo.

/// An open document whose model is read and written as snapshots.
///
/// It has the role of SwiftUI's `DocumentGroup` for a model that is a `ReadableDocument` and a `WritableDocument`. The
/// model registers its edits with `undoManager`, and each undo group is a change that autosave saves.
///
/// ```swift
/// let file = try await SnapshotDocument.open(at: url) { configuration, context in Sketch() }
/// file.document.add(stroke, undoManager: file.undoManager)
/// try await file.save()
/// try await file.close()
/// ```
@MainActor
@Observable
public final class SnapshotDocument<Model: ReadableDocument & WritableDocument>: SnapshotOwner
where Model.Reader.Source == URL, Model.Writer.Destination == URL {
  /// Makes the model of a document.
  public typealias MakeDocument =
    @MainActor (URLDocumentConfiguration, DocumentCreationContext) async throws -> Model

  /// The model. A revert updates it and does not replace it.
  @ObservationIgnored public let document: Model
  /// The configuration that the model got, with the document's place.
  @ObservationIgnored public let configuration: URLDocumentConfiguration
  /// The manager with which the model registers its edits.
  @ObservationIgnored public let undoManager: UndoManager
  /// The flags of the document's state.
  public private(set) var documentState: DocumentState = .closed
  /// The last error of a save or a read that no caller waits for.
  public private(set) var lastError: (any Error)?

  @ObservationIgnored private let file: Documents.Document<SnapshotContent>
  @ObservationIgnored private var content: SnapshotContent
  @ObservationIgnored private let relay: SnapshotRelay
  @ObservationIgnored private let observer: UndoObserver
  /// The snapshot that was last read.
  @ObservationIgnored private var lastRead: Model.Reader.Snapshot?
  /// The snapshot that the running save writes, and the one that was last saved (SD1).
  @ObservationIgnored private var running: Model.Writer.Snapshot?
  @ObservationIgnored private var lastSaved: Model.Writer.Snapshot?
  @ObservationIgnored private var isReverting = false

  private init(
    _ model: Model, _ file: Documents.Document<SnapshotContent>, _ content: SnapshotContent,
    _ configuration: URLDocumentConfiguration, _ undoManager: UndoManager, _ relay: SnapshotRelay
  ) {
    (document, self.file, self.content, self.relay) = (model, file, content, relay)
    (self.configuration, self.undoManager) = (configuration, undoManager)
    observer = UndoObserver(undoManager) { kind in
      relay.content?.link.count(kind)
    }
    attach()
  }

  private func attach() {
    content.link.attach(undoManager) { [file] kind in await file.updateChangeCount(kind) }
    content.source.attach(self)
    relay.attach(self, content)
  }

  // MARK: Opening

  /// Opens the document at `url`: makes a model, and applies the snapshot that its reader reads.
  ///
  /// - Parameter savesByItself: whether an edit is saved two seconds later.
  /// - Throws: `DocumentError` of `Documents` for the file; the error of the model, its reader or `makeDocument`.
  public static func open(
    at url: URL, undoManager: UndoManager = UndoManager(), savesByItself: Bool = true,
    makeDocument: MakeDocument
  ) async throws -> SnapshotDocument {
    let (relay, configuration) = (SnapshotRelay(), URLDocumentConfiguration(fileURL: url))
    let file = Documents.Document<SnapshotContent>(
      fileURL: url, options: options(relay, savesByItself))
    let model = try await makeDocument(configuration, DocumentCreationContext())
    try await file.open()
    do {
      let content = try await file.content
      let document = SnapshotDocument(model, file, content, configuration, undoManager, relay)
      await document.refresh()
      try await document.apply(content)
      undoManager.removeAllActions()
      // Another program may have changed the file meanwhile.
      await document.mergeExternalChanges()
      return document
    } catch {
      try? await file.close(discardingChanges: true)  // No edit is lost, and the caller gets the first error.
      throw error
    }
  }

  /// Makes a model, saves it as a new document at `url`, and opens that document.
  ///
  /// - Parameter savesByItself: whether an edit is saved two seconds later.
  /// - Throws: `DocumentError` of `Documents` for the file, with `fileExists` if an item is at `url`; the error of the
  ///   model, its writer or `makeDocument`.
  public static func create(
    at url: URL, from source: DocumentCreationSource? = nil, undoManager: UndoManager = UndoManager(),
    savesByItself: Bool = true, makeDocument: MakeDocument
  ) async throws -> SnapshotDocument {
    let (relay, configuration) = (
      SnapshotRelay(), URLDocumentConfiguration(fileURL: url, creationSource: source)
    )
    let content = SnapshotContent()
    let file = Documents.Document(fileURL: url, content: content, options: options(relay, savesByItself))
    let model = try await makeDocument(configuration, DocumentCreationContext(creationSource: source))
    let document = SnapshotDocument(model, file, content, configuration, undoManager, relay)
    do {
      try await file.save(to: url, for: .forCreating)
    } catch {
      throw error.code == .content ? error.cause ?? error : error
    }
    await document.refresh()
    return document
  }

  private static func options(
    _ relay: SnapshotRelay, _ savesByItself: Bool
  ) -> DocumentOptions<SnapshotContent> {
    var options = DocumentOptions<SnapshotContent>()
    if !savesByItself { options.autosave = nil }
    // A model that reads by URL meets no `Metadata.plist`.
    options.writesMetadata = false
    options.eventHandler = { [weak relay] in relay?.note($0) }
    options.errorHandler = { [weak relay] in relay?.note($0) }
    return options
  }

  /// Reads the content, and lets the model apply it.
  private func apply(_ content: SnapshotContent) async throws {
    guard let wrapper = content.read else { return }
    let url = await file.fileURL
    let type = contentType(of: url, isDirectory: wrapper.isDirectory, isReading: true)
    let reader = document.reader(configuration: DocumentReadConfiguration(contentType: type))
    let sent = Sent(value: reader)
    let presenter = await file.filePresenter
    let snapshot = try await SnapshotFiles.read(sent, wrapper, at: url, presenter: presenter)
    let previous = Sent(value: lastRead)
    lastRead = snapshot.value
    try await document.apply(snapshot: snapshot.value, previous: previous.value)
  }

  /// Returns the type that the model meets: one of its own.
  ///
  /// - Parameter isDirectory: whether the document is a folder; nil for a new one.
  private func contentType(of url: URL, isDirectory: Bool?, isReading: Bool) -> UTType {
    let lists = ContentTypeLists(readable: Model.readableContentTypes, writable: Model.writableContentTypes)
    let isDirectory = isDirectory ?? (lists.writable.first?.conforms(to: .directory) == true)
    let named = UTType(filename: url.lastPathComponent, isDirectory: isDirectory)
    return isReading
      ? lists.typeToRead(named, pathExtension: url.pathExtension, isDirectory: isDirectory)
      : lists.typeToWrite(named, pathExtension: url.pathExtension, isDirectory: isDirectory)
  }

  // MARK: Saving

  /// Whether the model has changes that are not on disk.
  public var hasUnsavedChanges: Bool { content.link.hasUnsavedChanges || undoManager.hasOpenActions }

  /// Saves the model as it is now.
  ///
  /// - Throws: the error of the model or its writer; `DocumentError` of `Documents` for the file. The changes then stay
  ///   unsaved in the model.
  @discardableResult
  public func save() async throws -> SaveReport {
    await drain()
    do {
      let report = try await file.save()
      noteSave()
      return report
    } catch {
      throw error.code == .content ? error.cause ?? error : error
    }
  }

  /// Saves the model if it has unsaved changes.
  ///
  /// - Throws: as `save()`.
  public func autosave() async throws {
    if hasUnsavedChanges { try await save() }
  }

  /// Takes a snapshot of the model, and returns the tree that its writer makes of it.
  func write(over existing: FileWrapper?) async throws -> FileWrapper {
    noteSave()
    undoManager.endEventGrouping()
    // (SD2)
    let link = content.link
    link.take(link.moment(isExact: false))
    let url = configuration.fileURL ?? URL(fileURLWithPath: "/Untitled")
    let type = contentType(of: url, isDirectory: existing?.isDirectory, isReading: false)
    let snapshot = Sent(value: try await document.snapshot(contentType: type))
    let writer = document.writer(configuration: DocumentWriteConfiguration(contentType: type))
    let sent = Sent(value: writer)
    running = snapshot.value
    return try await SnapshotFiles.write(
      sent, snapshot, over: existing, previous: Sent(value: lastSaved), named: url.lastPathComponent)
  }

  /// Notes whether the last save has succeeded, and whether another program changed the document (SD1).
  func noteSave() {
    let news = relay.takeNews()
    if news.isSaved {
      if let running { lastSaved = running }
      running = nil
      content.link.confirmSave(isQuiet: undoManager.groupingLevel == 0)
    }
    if news.isChangedByOthers { lastSaved = nil }
  }

  // MARK: Reverting and closing

  /// Reads the document again, and applies the snapshot. Afterwards nothing can be undone.
  ///
  /// - Throws: as `open(at:undoManager:savesByItself:makeDocument:)`.
  public func revert() async throws {
    await drain()
    isReverting = true
    defer { isReverting = false }
    try await file.revert(toContentsOf: file.fileURL)
    try await resume(with: try await file.content)
  }

  /// Saves unsaved changes, and closes the document. `document` stays, but later changes of it are not saved.
  ///
  /// - Throws: as `save()`; the document then stays open.
  public func close() async throws {
    try await autosave()
    await drain()
    do {
      try await file.close()
    } catch {
      throw error.code == .content ? error.cause ?? error : error
    }
    undoManager.removeAllActions()
    await refresh()
  }

  /// Waits until the document knows all changes.
  private func drain() async {
    undoManager.endEventGrouping()
    await content.link.drain()
  }

  // MARK: Changes by other programs

  func note(_ error: any Error) { lastError = error }

  func note(_ event: DocumentEvent) async {
    await refresh()
    if case .changedByOthers = event { await mergeExternalChanges() }
  }

  private func refresh() async {
    documentState = await file.documentState
    configuration.fileURL = await file.fileURL
    configuration.lastContentModificationDate = await file.fileModificationDate
    configuration.presenter = await file.filePresenter
  }

  /// Goes on with what the document has read, if that is something new.
  private func mergeExternalChanges() async {
    // A closed document has no content.
    guard !isReverting, let present = try? await file.content, present.link !== content.link else { return }
    guard hasUnsavedChanges else {
      do {
        try await resume(with: present)
        // A recovery copy's edits are in the model, and not on disk.
        if await file.hasUnsavedChanges { present.link.forgetSaved() }
      } catch {
        lastError = error
      }
      return
    }
    // The user edited while the document read: the edits stay, and the next save writes them.
    await file.resume(withEarlierEdits: content)
  }

  private func resume(with present: SnapshotContent) async throws {
    let (earlier, isEdited) = (content, hasUnsavedChanges)
    content = present
    attach()
    // (SD1)
    lastSaved = nil
    do {
      try await apply(present)
    } catch {
      if isEdited { await goBack(to: earlier) }
      throw error
    }
    undoManager.removeAllActions()
  }

  /// Goes on with unsaved changes, over the state that the document has read (SD3).
  private func goBack(to earlier: SnapshotContent) async {
    content = earlier
    attach()
    await file.resume(withEarlierEdits: earlier)
    earlier.link.forgetSaved()
  }
}
