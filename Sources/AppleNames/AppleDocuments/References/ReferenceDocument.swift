public import Documents
import FilePackages
public import Foundation
public import Observation

/// An open document whose model is a class.
///
/// It has the role of SwiftUI's `DocumentGroup` for a `ReferenceFileDocument`. The model registers its edits with
/// `undoManager`, and each undo group is a change that autosave saves.
///
/// ```swift
/// let file = try await ReferenceDocument<Sketch>.open(at: url)
/// file.document.add(stroke, undoManager: file.undoManager)
/// file.undoManager.undo()
/// try await file.close()
/// ```
@MainActor
@Observable
public final class ReferenceDocument<Model: ReferenceFileDocument>: ModelOwner {
  /// The model. A revert replaces it by a new object, and so does reading another program's change.
  public private(set) var document: Model
  /// The manager with which the model registers its edits.
  @ObservationIgnored public let undoManager: UndoManager
  /// The document that reads and saves the model, with its state, place, conflicts and recovery copies.
  ///
  /// For edits and undo use the model and `undoManager`, not this document.
  @ObservationIgnored public let file: Documents.Document<ModelContent>
  @ObservationIgnored private let modelFile: ModelFile

  private init(
    _ model: Model, _ file: Documents.Document<ModelContent>, _ modelFile: ModelFile,
    _ undoManager: UndoManager
  ) {
    (document, self.file, self.modelFile, self.undoManager) = (model, file, modelFile, undoManager)
    modelFile.undoManager = undoManager
  }

  // MARK: Opening

  /// Opens the document at `url`.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.open(at:options:)`.
  public static func open(
    at url: URL, undoManager: UndoManager = UndoManager(), options: DocumentOptions<ModelContent> = .init()
  ) async throws(DocumentError) -> ReferenceDocument {
    let modelFile = await makeFile(at: url, options)
    do {
      return try await modelFile.open { engine, tree, type in
        let model = try await Self.read(tree, as: type, .open, in: engine)
        return ReferenceDocument(model, engine, modelFile, undoManager)
      }
    } catch {
      throw DocumentError(error, .open, url)
    }
  }

  /// Makes a document of a model at `url`, and opens it.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.create(_:at:options:)`.
  public static func create(
    _ model: Model, at url: URL, undoManager: UndoManager = UndoManager(),
    options: DocumentOptions<ModelContent> = .init()
  ) async throws(DocumentError) -> ReferenceDocument {
    let modelFile = await makeFile(at: url, options)
    // It counts the edits from now on, since the user may edit during the save.
    let document = ReferenceDocument(model, modelFile.makeNew(), modelFile, undoManager)
    modelFile.owner = document
    try await document.call(.save) { try await $0.save(nil, to: url, for: .forCreating) }
    return document
  }

  private static func makeFile(at url: URL, _ options: DocumentOptions<ModelContent>) async -> ModelFile {
    let file = ModelFile(at: url, types: await ContentTypeLists(of: Model.self))
    file.options = { _ in options }
    return file
  }

  private static func read(
    _ tree: FileWrapper, as type: UTType, _ operation: DocumentError.Operation,
    in engine: Documents.Document<ModelContent>
  ) async throws(DocumentError) -> Model {
    do {
      return try await apart { try await Model(configuration: .init(contentType: type, file: tree)) }
    } catch {
      let failure = DocumentError(error, operation, await engine.fileURL)
      engine.options.errorHandler?(failure)
      throw failure
    }
  }

  /// Calls a method of the model on a thread of its own, or on the model's actor.
  @concurrent
  private nonisolated static func apart<Result: Sendable>(
    _ body: @escaping @concurrent @Sendable () async throws -> Result
  ) async throws -> Result {
    try await BlockingThread().run { try waitBlocking(for: body) }
  }

  // MARK: Saving

  /// Whether the model has changes that are not on disk.
  public var hasUnsavedChanges: Bool { modelFile.hasUnsavedChanges }

  /// Saves the model as it is now.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.save()`.
  @discardableResult
  public func save() async throws(DocumentError) -> SaveReport {
    try await call(.save) { try await $0.save() }
  }

  /// Saves the model if it has unsaved changes.
  ///
  /// - Throws: `DocumentError` as `save()`.
  public func autosave() async throws(DocumentError) {
    if hasUnsavedChanges { try await save() }
  }

  /// Reads the document again. `document` is then a new model, and nothing can be undone.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.revert(toContentsOf:)`.
  public func revert() async throws(DocumentError) {
    try await call(.revert) { try await $0.revert(to: $0.fileURL) }
  }

  /// Saves unsaved changes, also those that come during a save, and closes the document. `document` stays, but later
  /// changes of it are not saved.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.close()`; the document then stays open.
  public func close() async throws(DocumentError) { try await call(.close) { try await $0.close() } }

  @discardableResult
  private func call<Result: Sendable>(
    _ operation: DocumentError.Operation, _ body: @escaping @MainActor (ModelFile) async throws -> Result
  ) async throws(DocumentError) -> Result {
    do {
      return try await modelFile.run { [modelFile] in try await body(modelFile) }
    } catch {
      throw error as? DocumentError ?? DocumentError(error, operation, modelFile.fileURL)
    }
  }

  // MARK: The file asks

  func takeTree(_ configuration: FileDocumentWriteConfiguration) async throws -> TakenModel {
    let (moment, model) = (modelFile.takeMoment(), document)
    let snapshot = Sent(value: try model.snapshot(contentType: configuration.contentType))
    let tree = try await Self.apart {
      // Nothing but this call has the snapshot.
      nonisolated(unsafe) let value = snapshot.value
      return try await model.fileWrapper(snapshot: value, configuration: configuration)
    }
    return TakenModel(tree, moment)
  }

  func read(_ tree: FileWrapper, as type: UTType, at url: URL) async throws -> ModelUpdate {
    let model = try await Self.read(tree, as: type, .revert, in: file)
    return { [self] in
      document = model
      return true
    }
  }

  /// The error handler of the options has got the error.
  func handle(_ error: any Error) {}
}
