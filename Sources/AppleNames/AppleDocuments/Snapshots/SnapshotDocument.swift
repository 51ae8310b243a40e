import Documents
public import FilePackages
public import Foundation
public import Observation

// SD1 `previous` of a write is the snapshot of the last save that succeeded. A save that fails leaves it. After a
//     revert or another program's change there is none, since the disk then has another state.
// SD2 The revision of a save is that before its snapshot. A change during the snapshot leaves the document unsaved.

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
public final class SnapshotDocument<Model: ReadableDocument & WritableDocument>: ModelOwner
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

  @ObservationIgnored private let file: ModelFile
  /// The snapshot that the model applied last.
  @ObservationIgnored private var lastRead: Model.Reader.Snapshot?
  /// The snapshot that was last saved (SD1).
  @ObservationIgnored private var lastSaved: Model.Writer.Snapshot?

  private init(
    _ configuration: URLDocumentConfiguration, at url: URL, _ creationSource: DocumentCreationSource?,
    _ undoManager: UndoManager, _ savesByItself: Bool, _ makeDocument: MakeDocument
  ) async throws {
    (self.configuration, self.undoManager) = (configuration, undoManager)
    file = ModelFile(
      at: url,
      types: ContentTypeLists(readable: Model.readableContentTypes, writable: Model.writableContentTypes))
    document = try await makeDocument(configuration, DocumentCreationContext(creationSource: creationSource))
    (file.owner, file.undoManager) = (self, undoManager)
    file.options = { _ in
      var options = DocumentOptions<ModelContent>()
      if !savesByItself { options.autosave = nil }
      // A model that reads by URL meets no `Metadata.plist`.
      options.writesMetadata = false
      return options
    }
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
    let document = try await SnapshotDocument(
      URLDocumentConfiguration(fileURL: url), at: url, nil, undoManager, savesByItself, makeDocument)
    try await document.call { try await $0.open() }
    return document
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
    let document = try await SnapshotDocument(
      URLDocumentConfiguration(fileURL: url, creationSource: source), at: url, source, undoManager,
      savesByItself, makeDocument)
    try await document.call { try await $0.save(nil, to: url, for: .forCreating) }
    return document
  }

  @discardableResult
  private func call<Result: Sendable>(
    _ body: @escaping @MainActor (ModelFile) async throws -> Result
  ) async throws -> Result {
    do {
      return try await file.run { [file] in try await body(file) }
    } catch let error as DocumentError {
      throw error.ofModel
    }
  }

  // MARK: Saving

  /// Whether the model has changes that are not on disk.
  public var hasUnsavedChanges: Bool { file.hasUnsavedChanges }

  /// Saves the model as it is now.
  ///
  /// - Throws: the error of the model or its writer; `DocumentError` of `Documents` for the file. The changes then stay
  ///   unsaved in the model.
  @discardableResult
  public func save() async throws -> SaveReport { try await call { try await $0.save() } }

  /// Saves the model if it has unsaved changes.
  ///
  /// - Throws: as `save()`.
  public func autosave() async throws {
    if hasUnsavedChanges { try await save() }
  }

  // MARK: Reverting and closing

  /// Reads the document again, and applies the snapshot. Afterwards nothing can be undone.
  ///
  /// - Throws: as `open(at:undoManager:savesByItself:makeDocument:)`.
  public func revert() async throws { try await call { try await $0.revert(to: $0.fileURL) } }

  /// Saves unsaved changes, also those that come during a save, and closes the document. `document` stays, but later
  /// changes of it are not saved.
  ///
  /// - Throws: as `save()`; the document then stays open.
  public func close() async throws { try await call { try await $0.close() } }

  // MARK: The file asks

  /// Takes a snapshot of the model, and returns the tree that its writer makes of it.
  func takeTree(_ configuration: FileDocumentWriteConfiguration) async throws -> TakenModel {
    // (SD2)
    var moment = file.takeMoment(isExact: false)
    let type = configuration.contentType
    let snapshot = Sent(value: try await document.snapshot(contentType: type))
    let writer = Sent(value: document.writer(configuration: DocumentWriteConfiguration(contentType: type)))
    moment.note = snapshot.value
    let tree = try await SnapshotFiles.write(
      writer, snapshot, over: configuration.existingFile, previous: Sent(value: lastSaved),
      named: file.fileURL.lastPathComponent)
    return TakenModel(tree, moment)
  }

  /// Reads a snapshot, which the model applies.
  func read(_ tree: FileWrapper, as type: UTType, at url: URL) async throws -> ModelUpdate {
    let reader = Sent(value: document.reader(configuration: DocumentReadConfiguration(contentType: type)))
    let snapshot = try await SnapshotFiles.read(reader, tree, at: url, presenter: file.news.presenter)
    return { [self] in
      let (edits, previous) = (file.edits, Sent(value: lastRead))
      lastSaved = nil
      try await document.apply(snapshot: snapshot.value, previous: previous.value)
      lastRead = snapshot.value
      return file.edits == edits && !undoManager.hasOpenActions
    }
  }

  // (SD1)
  func didSave(_ moment: ModelMoment) { lastSaved = moment.note as? Model.Writer.Snapshot }
  func diskDidChange() { lastSaved = nil }

  func handle(_ error: any Error) { lastError = error }
  func stateDidChange() { documentState = file.documentState }

  func placeDidChange() {
    configuration.fileURL = file.fileURL
    configuration.lastContentModificationDate = file.fileModificationDate
    configuration.presenter = file.news.presenter
  }
}
