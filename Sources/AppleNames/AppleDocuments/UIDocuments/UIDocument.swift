package import Documents
import DurableIO
import FilePackages
public import Foundation
import Synchronization

// UI1 Every completion handler is called once, on the main actor, in the order of the calls, after the state and its
//     notification.
// UI2 The state changes only in `updateState()`, which posts one notification for each change.
// UI3 An error leaves the model, its changes and its undo as they are. Only a revert that succeeds gives them up.

/// An open document whose model is a subclass.
///
/// Counterpart of UIKit's `UIDocument`, over `Documents.Document`. A subclass overrides `contents(forType:)` and
/// `load(fromContents:ofType:)`, and registers its edits with `undoManager`.
///
/// ```swift
/// final class Note: UIDocument {
///   var text = "" { didSet { undoManager.registerUndo(withTarget: self) { $0.text = oldValue } } }
///
///   override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }
///
///   override func load(fromContents contents: Any, ofType typeName: String?) throws {
///     guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
///     text = String(decoding: data, as: UTF8.self)
///   }
/// }
/// ```
///
/// Differences from Apple's:
///
/// - Completion handlers are called in every case, also if `contents(forType:)` throws.
/// - A document that cannot save does not close: `close` gives false, and the edits stay.
/// - A save for creating never replaces an existing file.
/// - An autosave two seconds after an edit calls `contents(forType:)`, but not `autosave(completionHandler:)`.
///
/// A save needs a running main queue.
@preconcurrency
@MainActor
open class UIDocument: PresentedDocument {
  /// The flags of the document's state. `progressAvailable` is set only during a download.
  public typealias State = DocumentState
  /// The reason for a save.
  public typealias SaveOperation = DocumentSaveOperation
  /// The effect of a change on the change count.
  public typealias ChangeKind = DocumentChangeKind
  typealias Engine = Documents.Document<UIDocumentContent>

  /// The document's place. A move by another program changes it, and so does a save to another place.
  public internal(set) var fileURL: URL {
    didSet {
      relay.noteURL(fileURL)
      if fileURL != oldValue { userActivity?.needsSave = true }
    }
  }
  /// The flags of the document's state; initially `closed`.
  public internal(set) var documentState: State = .closed
  /// The last known modification date of the document on disk; nil before the first read or save.
  open var fileModificationDate: Date?

  /// The document that reads and saves, and its present content; nil while this one is closed.
  var opened: (engine: Engine, content: UIDocumentContent)?
  /// The changes of the model.
  var link = ChangeLink()
  /// The calls that read or write.
  let calls = SerialQueue()
  /// The tree that the document loads now; nil otherwise.
  var loading: FileWrapper?
  /// Takes the tree that a save writes; nil unless a save asks for it.
  var collecting: CollectedContents?
  /// The download of the content at this moment; nil if there is none.
  var download: Progress?
  /// The number of errors that the engine has reported since the present call began.
  var reportedErrors = 0

  /// Whether a new package gets a `Metadata.plist`, and so an identifier and versions; false by default.
  ///
  /// `contents(forType:)` and `load(fromContents:ofType:)` do not see the file. A subclass that reads or writes by URL
  /// finds it in the folder. The value has no effect on a package that already has the file.
  public var writesMetadata = false

  /// When the document saves by itself after it was opened or made; nil for never.
  package var autosavePolicy: AutosavePolicy? = AutosavePolicy()

  /// The folder of recovery copies; nil for none.
  package var recoveryFolder: URL? = RecoveryCopy.defaultFolder

  // The parts of the state (UI2).
  var engineFlags: State = []
  var hasFailed = false
  var editingHolds = 0

  // The undo manager, if there is one, and its observer.
  var createdUndoManager: UndoManager?
  var observer: UndoObserver?

  /// Makes a closed document for `url`. `open` reads it, and `save(to:for:)` makes it.
  public init(fileURL url: URL) {
    fileURL = url
    super.init()
    relay.attach(self, link, nil)
    relay.noteURL(url)
    ConflictResolutions.add(relay)
  }

  // MARK: Looking

  /// The name for the user: by default the filename without its extension.
  open var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }

  /// The identifier of the type that the filename extension implies; nil without an extension.
  open var fileType: String? {
    UTType.ofItem(withExtension: fileURL.pathExtension)?.identifier
  }

  /// The identifier of the type that a save writes; by default `fileType`.
  open var savingFileType: String? { fileType }

  // MARK: For subclasses

  /// Returns the document's contents: `Data`, or a `FileWrapper`.
  ///
  /// It runs on the main actor, within `save(to:for:)`. A save does not write a child again if its wrapper is the same.
  /// Every subclass overrides it.
  open func contents(forType typeName: String) throws -> Any {
    throw CocoaError(.featureUnsupported)
  }

  /// Loads the document's contents into the model: `Data` of a flat file, the `FileWrapper` of a package.
  ///
  /// It runs on the main actor. The wrapper reads a child when the model first uses it. Every subclass overrides it.
  open func load(fromContents contents: Any, ofType typeName: String?) throws {
    throw CocoaError(.featureUnsupported)
  }

  /// Reads the document from `url`; by default calls `load(fromContents:ofType:)` with the bytes or the tree.
  ///
  /// A subclass overrides it to read the files itself. Unlike Apple's, it runs on the main actor.
  open func read(from url: URL) throws {
    let file = try loadedTree(at: url)
    try load(fromContents: file.isRegularFile ? try file.contents() : file, ofType: fileType)
  }

  /// Writes the result of `contents(forType:)`; by default calls `writeContents(_:to:for:originalContentsURL:)` with a
  /// temporary place.
  ///
  /// An override calls `super`: only that makes the save safe. Unlike Apple's, it runs on the main actor.
  open func writeContents(
    _ contents: Any, andAttributes additionalFileAttributes: [AnyHashable: Any]?, safelyTo url: URL,
    for saveOperation: SaveOperation
  ) throws {
    let original = opened == nil || saveOperation == .forCreating ? nil : fileURL
    try writeContents(contents, to: collecting?.url ?? url, for: saveOperation, originalContentsURL: original)
  }

  /// Writes the result of `contents(forType:)` as a new file or folder at `url`, a temporary place.
  ///
  /// By default it writes `Data` and a `FileWrapper`. An override may write a value of any type. The save then compares
  /// the files with the document, and writes those that differ.
  open func writeContents(
    _ contents: Any, to url: URL, for saveOperation: SaveOperation, originalContentsURL: URL?
  ) throws {
    let tree: FileWrapper
    switch contents {
    case let data as Data: tree = FileWrapper(regularFileWithContents: data)
    case let wrapper as FileWrapper: tree = wrapper
    default: throw CocoaError(.fileWriteUnknown)
    }
    if let collecting, collecting.url == url {
      collecting.tree = tree
    } else {
      try tree.write(to: url, options: .atomic, originalContentsURL: originalContentsURL)
    }
  }

  /// Returns the attributes that `writeContents(_:andAttributes:safelyTo:for:)` gets; none by default.
  ///
  /// The engine writes none of them: files on Linux have no attribute for a thumbnail.
  open func fileAttributesToWrite(
    to url: URL, for saveOperation: SaveOperation
  ) throws -> [AnyHashable: Any] {
    [:]
  }

  /// Returns the filename extension of a type: by default that of `fileURL` for the document's own type or an unknown
  /// one, else the type's preferred one.
  ///
  /// If an override returns another extension, a new document is saved with that extension.
  open func fileNameExtension(forType typeName: String?, saveOperation: SaveOperation) -> String {
    if typeName == nil || typeName == fileType { return fileURL.pathExtension }
    return typeName.flatMap { UTType($0)?.preferredFilenameExtension } ?? fileURL.pathExtension
  }

  /// Calls `block` on another thread, after all earlier reads and writes of the document, and before all later ones.
  @preconcurrency
  open func performAsynchronousFileAccess(_ block: @escaping @Sendable () -> Void) {
    enqueue(nil) { document in
      await document.access(block)
      return true
    }
  }

  /// The download of the content, in bytes, while the state has `progressAvailable`; otherwise nil.
  ///
  /// A document in a container downloads its content before it is read. Initially the bytes are unknown. `cancel()`
  /// ends the download, and the call then gives false. Unlike Apple's, the document shows no progress of reading and
  /// saving.
  open var progress: Progress? { download }

  /// Called before the document closes or reads again. By default does nothing.
  ///
  /// The user must not edit the document until `enableEditing()`.
  open func disableEditing() {}

  /// Called when the user may edit the document again; by default does nothing.
  open func enableEditing() {}

  /// Called for each error, also if no caller waits for it; by default calls `finishedHandlingError(_:recovered:)`.
  ///
  /// It gets an error of the subclass's own code unchanged. Every other error is a `DocumentError` of `Documents`.
  open func handleError(_ error: any Error, userInteractionPermitted: Bool) {
    finishedHandlingError(error, recovered: false)
  }

  /// An override of `handleError` that does not call `super` calls it at its end. The library does not wait for it.
  open func finishedHandlingError(_ error: any Error, recovered: Bool) {}

  /// On Apple's systems, called when `handleError` must no longer ask the user. The library does not call it.
  open func userInteractionNoLongerPermitted(forError error: any Error) {}

  // MARK: Restoration

  /// The activity that state restoration uses to reopen the document; initially nil.
  ///
  /// `UserActivityArchive` saves it. Setting an activity calls `updateUserActivityState(_:)`.
  open var userActivity: NSUserActivity? {
    didSet {
      guard let userActivity, userActivity !== oldValue else { return }
      updateUserActivityState(userActivity)
      userActivity.delegate = self
    }
  }

  /// Updates the values of the activity; by default sets the document's URL.
  ///
  /// An override calls `super` and adds its own values. It is called before each save of an activity with `needsSave`.
  open func updateUserActivityState(_ userActivity: NSUserActivity) {
    userActivity.addUserInfoEntries(from: [Self.userActivityURLKey: fileURL])
  }

  /// Updates the model from the values of a restored activity; by default does nothing.
  open func restoreUserActivityState(_ userActivity: NSUserActivity) {}

  // MARK: Presenting

  /// Saves unsaved changes; the handler gets an error if that fails.
  open override func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void) {
    autosave { completionHandler($0 ? nil : CocoaError(.fileWriteUnknown)) }
  }

  // MARK: Opening and closing

  /// Opens the document, and loads its contents. The handler gets true if it is open, also if it was open before.
  ///
  /// If it cannot be opened, `handleError` gets the reason, and the document stays closed.
  open func open(completionHandler: ((Bool) -> Void)? = nil) {
    enqueue(completionHandler) { await $0.openNow() }
  }

  /// Opens the document, as `open(completionHandler:)` does.
  @discardableResult
  open func open() async -> Bool {
    await answer { open(completionHandler: $0) }
  }

  /// Saves unsaved changes by `autosave`, and closes the document. The handler gets true if it is closed.
  ///
  /// If it cannot save, the document stays open with its changes, unlike Apple's.
  open func close(completionHandler: ((Bool) -> Void)? = nil) {
    closeAfterAutosave(completionHandler)
  }

  /// Closes the document, as `close(completionHandler:)` does.
  @discardableResult
  open func close() async -> Bool {
    await answer { close(completionHandler: $0) }
  }

  /// Reads the document from `url`, which becomes its place. The handler gets true if it has the new contents.
  ///
  /// It discards unsaved changes and the undo manager's actions. If it fails, the document does not change.
  open func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
    enqueue(completionHandler) { await $0.revertNow(to: url) }
  }

  /// Reads the document again, as `revert(toContentsOf:completionHandler:)` does.
  @discardableResult
  open func revert(toContentsOf url: URL) async -> Bool {
    await answer { revert(toContentsOf: url, completionHandler: $0) }
  }

  // MARK: Saving

  /// Saves the contents of this moment to `url`. The handler gets true if they are durable.
  ///
  /// It calls `contents(forType:)` before it returns. A save for creating, or to another place, makes a new document,
  /// whose place becomes `fileURL`. Unlike Apple's, a save for creating does not replace an existing file. If the save
  /// fails, `handleError` gets the reason, the state has `savingError`, and the changes stay unsaved.
  open func save(
    to url: URL, for saveOperation: SaveOperation, completionHandler: ((Bool) -> Void)? = nil
  ) {
    let prepared: UIDocumentSource.Prepared
    do {
      prepared = try takeContents(for: saveOperation)
    } catch {
      hasFailed = true
      updateState()
      handleError(error, userInteractionPermitted: true)
      enqueue(completionHandler) { _ in false }
      return
    }
    let target = prepared.target(of: url, from: fileURL)
    enqueue(completionHandler) { await $0.saveNow(prepared, to: target, for: saveOperation) }
  }

  /// Saves the contents of this moment, as `save(to:for:completionHandler:)` does.
  @discardableResult
  open func save(to url: URL, for saveOperation: SaveOperation) async -> Bool {
    await answer { save(to: url, for: saveOperation, completionHandler: $0) }
  }

  /// Saves the document if it has unsaved changes. The handler gets true if they are durable or there were none.
  open func autosave(completionHandler: ((Bool) -> Void)? = nil) {
    if hasUnsavedChanges {
      save(to: fileURL, for: .forOverwriting, completionHandler: completionHandler)
    } else {
      enqueue(completionHandler) { _ in true }
    }
  }

  /// Saves the document if it has unsaved changes, as `autosave(completionHandler:)` does.
  @discardableResult
  open func autosave() async -> Bool {
    await answer { autosave(completionHandler: $0) }
  }

  // MARK: Changes

  /// The manager with which the document registers its edits. Each closed group is a change.
  ///
  /// The first read makes it. Setting nil discards it, and the next read makes another one.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var undoManager: UndoManager! {
    get {
      if let createdUndoManager { return createdUndoManager }
      let new = UndoManager()
      use(new)
      return new
    }
    set { use(newValue) }
  }

  /// Whether the document has changes that are not on disk.
  open var hasUnsavedChanges: Bool {
    link.hasUnsavedChanges || createdUndoManager?.hasOpenActions == true
  }

  /// Counts a change; a document without an undo manager calls it for each edit.
  open func updateChangeCount(_ change: ChangeKind) { link.count(change) }

  /// Returns a token for this moment in the history of changes.
  open func changeCountToken(for saveOperation: SaveOperation) -> Any { link.revision }

  /// Called after each save, whose contents are those of the token's moment; by default does nothing.
  ///
  /// The document has already counted that save. Changes after the token's moment stay unsaved.
  open func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {}
}
