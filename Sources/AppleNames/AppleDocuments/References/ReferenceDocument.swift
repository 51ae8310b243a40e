public import Documents
import FilePackages
public import Foundation
public import Observation
import Synchronization

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
public final class ReferenceDocument<Model: ReferenceFileDocument> {
  /// The model. A revert replaces it by a new object, and so does reading another program's change.
  public private(set) var document: Model
  /// The manager with which the model registers its edits.
  @ObservationIgnored public let undoManager: UndoManager
  /// The document that reads and saves the model, with its state, place, conflicts and recovery copies.
  ///
  /// For edits and undo use the model and `undoManager`, not this document.
  @ObservationIgnored public let file: Documents.Document<ReferenceContent<Model>>
  @ObservationIgnored private var content: ReferenceContent<Model>
  @ObservationIgnored private let relay: Relay
  @ObservationIgnored private let observer: UndoObserver
  /// Whether the caller gives up the model.
  @ObservationIgnored private var isReverting = false

  /// The present link and its owner, for code that runs on any thread.
  private final class Relay: Sendable {
    struct Target {
      weak var owner: ReferenceDocument?
      var link: ChangeLink?
    }

    let target = Mutex(Target())
    var link: ChangeLink? { target.withLock { $0.link } }

    func note(_ event: DocumentEvent) {
      link?.note(event)
      // The document may have read a new model.
      guard let owner = target.withLock({ $0.owner }) else { return }
      Task { @MainActor in await owner.mergeExternalChanges() }
    }
  }

  private init(
    _ file: Documents.Document<ReferenceContent<Model>>, _ content: ReferenceContent<Model>,
    _ undoManager: UndoManager, _ relay: Relay
  ) {
    (self.file, self.content, document) = (file, content, content.model)
    (self.undoManager, self.relay) = (undoManager, relay)
    observer = UndoObserver(undoManager) { relay.link?.count($0) }
    attach()
  }

  private func attach() {
    content.link.attach(undoManager) { [file] kind in await file.updateChangeCount(kind) }
    relay.target.withLock { $0 = .init(owner: self, link: content.link) }
  }

  private static func options(
    _ options: DocumentOptions<ReferenceContent<Model>>, _ relay: Relay
  ) -> DocumentOptions<ReferenceContent<Model>> {
    var options = options
    let handler = options.eventHandler
    options.eventHandler = { event in
      relay.note(event)
      handler?(event)
    }
    return options
  }

  // MARK: Opening

  /// Opens the document at `url`.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.open(at:options:)`.
  public static func open(
    at url: URL, undoManager: UndoManager = UndoManager(),
    options: DocumentOptions<ReferenceContent<Model>> = .init()
  ) async throws(DocumentError) -> ReferenceDocument {
    let relay = Relay()
    let file = Documents.Document(fileURL: url, content: nil, options: Self.options(options, relay))
    try await file.open()
    let document = ReferenceDocument(file, try await file.content, undoManager, relay)
    // Another program may have changed the file meanwhile.
    await document.mergeExternalChanges()
    return document
  }

  /// Makes a document of a model at `url`, and opens it.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.create(_:at:options:)`.
  public static func create(
    _ model: Model, at url: URL, undoManager: UndoManager = UndoManager(),
    options: DocumentOptions<ReferenceContent<Model>> = .init()
  ) async throws(DocumentError) -> ReferenceDocument {
    let relay = Relay()
    let content = ReferenceContent(model)
    let file = Documents.Document(fileURL: url, content: content, options: Self.options(options, relay))
    // It counts the edits from now on, since the user may edit during the save.
    let document = ReferenceDocument(file, content, undoManager, relay)
    try await file.save(to: url, for: .forCreating)
    return document
  }

  // MARK: Saving

  /// Whether the model has changes that are not on disk.
  public var hasUnsavedChanges: Bool { content.link.hasUnsavedChanges || undoManager.hasOpenActions }

  /// Saves the model as it is now.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.save()`.
  @discardableResult
  public func save() async throws(DocumentError) -> SaveReport {
    await drain()
    let report = try await file.save()
    confirmSave()
    return report
  }

  /// Saves the model if it has unsaved changes.
  ///
  /// - Throws: `DocumentError` as `save()`.
  public func autosave() async throws(DocumentError) {
    await drain()
    try await file.autosave()
    confirmSave()
  }

  /// Reads the document again. `document` is then a new model, and nothing can be undone.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.revert(toContentsOf:)`.
  public func revert() async throws(DocumentError) {
    await drain()
    isReverting = true
    defer { isReverting = false }
    try await file.revert(toContentsOf: file.fileURL)
    adopt(try await file.content)
  }

  /// Saves unsaved changes, and closes the document. `document` stays, but later changes of it are not saved.
  ///
  /// - Throws: `DocumentError` as `Documents.Document.close()`; the document then stays open.
  public func close() async throws(DocumentError) {
    await drain()
    try await file.close()
    undoManager.removeAllActions()
  }

  private func confirmSave() { content.link.confirmSave(isQuiet: undoManager.groupingLevel == 0) }

  /// Waits until the document knows all changes.
  private func drain() async {
    undoManager.endEventGrouping()
    await content.link.drain()
  }

  // MARK: Changes by other programs

  /// Goes on with the model that the document has read, if that is another one.
  private func mergeExternalChanges() async {
    confirmSave()
    var known: Model
    var present: ReferenceContent<Model>
    repeat {
      known = document
      guard let read = try? await file.content else { return }  // A closed document has no content.
      present = read
      // Another call may have gone on with a newer model meanwhile.
    } while document !== known
    if isReverting || present.model === document { return }
    guard hasUnsavedChanges else {
      adopt(present)
      // A recovery copy's edits are in the model, and not on disk.
      if await file.hasUnsavedChanges { present.link.forgetSaved() }
      return
    }
    // The user edited while the document read: the edits stay, and the next save writes them.
    await file.resume(withEarlierEdits: content)
  }

  private func adopt(_ present: ReferenceContent<Model>) {
    if present.model === document { return }
    (content, document) = (present, present.model)
    undoManager.removeAllActions()
    attach()
  }
}
