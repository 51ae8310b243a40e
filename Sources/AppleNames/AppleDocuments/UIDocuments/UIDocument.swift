package import Documents
import FilePackages
public import Foundation

// UI1 Every completion handler is called once, on the main actor, in the order of the calls, after the state and its
//     notification.

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
open class UIDocument: NSObject, @preconcurrency NSFilePresenter {
  /// The flags of the document's state. `progressAvailable` is set only during a download.
  public typealias State = DocumentState
  /// The reason for a save.
  public typealias SaveOperation = DocumentSaveOperation
  /// The effect of a change on the change count.
  public typealias ChangeKind = DocumentChangeKind

  /// The file, which reads and saves.
  let file: ModelFile
  /// The tree that the document loads now; nil otherwise.
  var loading: FileWrapper?
  /// Takes the tree that a save writes; nil unless a save asks for it.
  var collecting: CollectedContents?

  /// The document's place. A move by another program changes it, and so does a save to another place.
  public var fileURL: URL { file.fileURL }
  /// The flags of the document's state; initially `closed`.
  public var documentState: State { file.documentState }
  /// The last known modification date of the document on disk; nil before the first read or save.
  open var fileModificationDate: Date? {
    get { file.fileModificationDate }
    set { file.fileModificationDate = newValue }
  }

  /// Whether a new package gets a `Metadata.plist`, and so an identifier and versions; false by default.
  ///
  /// `contents(forType:)` and `load(fromContents:ofType:)` do not see the file. A subclass that reads or writes by URL
  /// finds it in the folder. The value has no effect on a package that already has the file.
  public var writesMetadata = false

  /// When the document saves by itself after it was opened or made; nil for never.
  package var autosavePolicy: AutosavePolicy? = AutosavePolicy()

  /// The folder of recovery copies; nil for none.
  package var recoveryFolder: URL? = RecoveryCopy.defaultFolder

  /// The place for which the activity was updated last.
  var activityURL: URL?

  /// Makes a closed document for `url`. `open` reads it, and `save(to:for:)` makes it.
  public init(fileURL url: URL) {
    file = ModelFile(at: url)
    super.init()
    activityURL = url
    presentFile()
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
    let original = file.engine == nil || saveOperation == .forCreating ? nil : fileURL
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
    file.enqueue { [self] in
      await file.hold {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            block()
            continuation.resume()
          }
        }
      }
    }
  }

  /// The download of the content, in bytes, while the state has `progressAvailable`; otherwise nil.
  ///
  /// A document in a container downloads its content before it is read. Initially the bytes are unknown. `cancel()`
  /// ends the download, and the call then gives false. Unlike Apple's, the document shows no progress of reading and
  /// saving.
  open var progress: Progress? { file.download }

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

  // MARK: Opening and closing

  /// Opens the document, and loads its contents. The handler gets true if it is open, also if it was open before.
  ///
  /// If it cannot be opened, `handleError` gets the reason, and the document stays closed.
  open func open(completionHandler: ((Bool) -> Void)? = nil) {
    enqueue(completionHandler) { [self] in await attempt { try await file.open() } }
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
    closeAfterAutosave(completionHandler) {
      self.hasUnsavedChanges
    } _: {
      await self.autosave()
    }
  }

  /// Closes the document, as `close(completionHandler:)` does.
  @discardableResult
  open func close() async -> Bool {
    await answer { close(completionHandler: $0) }
  }

  /// Reads the document from `url`, which becomes its place. The handler gets true if it has the new contents.
  ///
  /// It discards unsaved changes and the undo manager's actions. If it fails, the document does not change. If `load`
  /// refuses the contents at the document's own place, they become a conflict version before the next save.
  open func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
    enqueue(completionHandler) { [self] in await attempt { try await file.revert(to: url) } }
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
    save(for: saveOperation, completionHandler) { target(of: url, $0) }
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
      enqueue(completionHandler) { true }
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
      if file.undoManager == nil { file.undoManager = UndoManager() }
      return file.undoManager
    }
    set { file.undoManager = newValue }
  }

  /// Whether the document has changes that are not on disk.
  open var hasUnsavedChanges: Bool { file.hasUnsavedChanges }

  /// Counts a change; a document without an undo manager calls it for each edit.
  open func updateChangeCount(_ change: ChangeKind) { file.count(change) }

  /// Returns a token for this moment in the history of changes.
  open func changeCountToken(for saveOperation: SaveOperation) -> Any { file.revision }

  /// Called after each save, whose contents are those of the token's moment; by default does nothing.
  ///
  /// The document has already counted that save. Changes after the token's moment stay unsaved.
  open func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {}

  // MARK: Presenting

  // The presenter of the engine does the work. It then calls these methods on the main actor, for subclasses that override
  // them. The handlers are not `Sendable`, unlike those of the protocol: a method of the main actor calls them there.

  /// The document's place.
  open nonisolated var presentedItemURL: URL? { file.news.url }
  /// The main queue.
  open nonisolated var presentedItemOperationQueue: OperationQueue { .main }
  /// Nil by default. The library does not read it.
  open nonisolated var primaryPresentedItemURL: URL? { nil }
  /// Empty by default. The library does not read it.
  open nonisolated var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }

  /// Another program is about to read. The library does not call it: the engine relinquishes the file.
  open func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
    reader(nil)
  }

  /// Another program is about to write. The library does not call it: the engine relinquishes the file.
  open func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
    writer(nil)
  }

  /// Saves unsaved changes; the handler gets an error if that fails.
  open func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void) {
    autosave { completionHandler($0 ? nil : CocoaError(.fileWriteUnknown)) }
  }

  /// Another program removed the document, which is closed by now. Its unsaved edits have a recovery copy.
  open func accommodatePresentedItemDeletion(
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// The document has moved, and `fileURL` is the new place.
  open func presentedItemDidMove(to newURL: URL) {}

  /// The document has another program's changes, or they became a conflict version.
  open func presentedItemDidChange() {}

  /// The document has a new conflict version, the newest one.
  open func presentedItemDidGain(_ version: NSFileVersion) {}

  /// The document has lost a version. The library does not call it.
  open func presentedItemDidLose(_ version: NSFileVersion) {}

  /// The program has resolved a conflict version.
  open func presentedItemDidResolveConflict(_ version: NSFileVersion) {}

  // MARK: Children of a package

  /// Another program is about to delete or replace a child, with coordination. An error stops that program.
  open func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Another program has added a child; by default calls `presentedSubitemDidChange(at:)`.
  ///
  /// `presentedItemDidChange()` follows.
  open func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }

  /// Another program has changed or removed a child; by default does nothing.
  ///
  /// `presentedItemDidChange()` follows.
  open func presentedSubitemDidChange(at url: URL) {}

  /// Another program has moved a child, with coordination; by default does nothing.
  ///
  /// The methods for a removed child and for a new child are called as well.
  open func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}

  // MARK: Methods that no code calls

  /// The attributes of the document in a cloud have changed.
  open func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}

  /// The system is about to remove the local copy.
  open func accommodatePresentedItemEviction(
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A child has a new version.
  open func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}

  /// A child has lost a version.
  open func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}

  /// A conflict version of a child was resolved.
  open func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}
