import Documents
public import Foundation
import Synchronization

// Every completion handler is called once, on the main actor, after the document has its new state.

/// An open document whose model is a subclass, without windows.
///
/// Counterpart of AppKit's `NSDocument`, over the same engine as `UIDocument`. A subclass overrides `data(ofType:)` and
/// `read(from:ofType:)` with `Data` for a flat file, or `fileWrapper(ofType:)` and `read(from:ofType:)` with a
/// `FileWrapper` for a package.
///
/// ```swift
/// final class Note: NSDocument {
///   var text = ""
///
///   override class var autosavesInPlace: Bool { true }
///   override func data(ofType typeName: String) throws -> Data { Data(text.utf8) }
///   override func read(from data: Data, ofType typeName: String) throws {
///     text = String(decoding: data, as: UTF8.self)
///   }
/// }
///
/// let note = try Note(contentsOf: url, ofType: "public.plain-text")
/// ```
///
/// Differences from Apple's:
///
/// - `close()` saves first if the class autosaves in place. Otherwise it discards unsaved changes, as Apple's does.
/// - An autosave happens two seconds after an edit.
/// - No method shows a window or a panel, or sends a selector.
/// - `duplicate()` needs a class that is a `DuplicableDocument`.
///
/// A save needs a running main queue.
@preconcurrency
@MainActor
open class NSDocument: NSObject, NSFilePresenter {
  /// The file, which reads and saves.
  let file = ModelFile(at: URL(fileURLWithPath: "/dev/null"))
  /// The document's place, for any thread.
  private nonisolated let place = Mutex<URL?>(nil)
  private nonisolated let queue = OperationQueue()
  /// The tree that the document reads now; nil otherwise.
  var loading: FileWrapper?
  /// Takes the tree that a save writes; nil unless a save asks for it.
  var collecting: CollectedContents?
  /// The type that the present save writes; nil for that of the document.
  var typeToSave: String?
  /// The running close; nil if there is none.
  var closing: Task<Bool, Never>?
  /// The last error of the file, for the completion handler of the present call.
  var lastError: (any Error)?
  /// The reason for the present save; an autosave if no caller asks for one.
  var operation = SaveOperationType.autosaveInPlaceOperation
  /// The number of saves whose handlers were not called yet.
  var runningSaves = 0
  /// The activities that have not ended, the running one first.
  var activities: [(@escaping () -> Void) -> Void] = []
  private var ownDisplayName: String?

  /// Makes a document without a place. A subclass overrides it to make an empty model.
  public override init() {
    queue.maxConcurrentOperationCount = 1
    super.init()
    presentFile()
  }

  /// Makes a new document of that type.
  public convenience init(type typeName: String) throws {
    self.init()
    fileType = typeName
  }

  /// Reads the document at `url`.
  ///
  /// It reads on the calling thread. The document begins to take part in coordination soon after the return.
  ///
  /// - Throws: the error of the file system or of the subclass.
  public convenience init(contentsOf url: URL, ofType typeName: String) throws {
    self.init()
    try take(from: url, typeName)
    fileURL = url
  }

  /// Reads a document whose contents are at another place, `contentsURL`. It then has unsaved changes.
  ///
  /// - Throws: the error of the file system or of the subclass.
  public convenience init(
    for urlOrNil: URL?, withContentsOf contentsURL: URL, ofType typeName: String
  ) throws {
    self.init()
    fileType = typeName
    try read(from: contentsURL, ofType: typeName)
    if let urlOrNil { fileURL = urlOrNil }
    updateChangeCount(.changeReadOtherContents)
  }

  // MARK: Looking

  /// The document's place; nil for one that was never saved. It follows a move by another program.
  open var fileURL: URL? {
    get { place.withLock { $0 } }
    set { place.withLock { $0 = newValue } }
  }
  /// The identifier of the document's type.
  open var fileType: String?
  /// The last known modification date of the document on disk; nil before the first read or save.
  open var fileModificationDate: Date? {
    get { file.fileModificationDate }
    set { file.fileModificationDate = newValue }
  }
  /// Whether the user has not yet named the new document. A save, except of a copy, sets it to false.
  open var isDraft = false

  /// The name for the user: by default the filename without its extension, or `defaultDraftName()`.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var displayName: String! {
    get { ownDisplayName ?? fileURL?.deletingPathExtension().lastPathComponent ?? defaultDraftName() }
    set { ownDisplayName = newValue }
  }

  /// Returns the name of a new document: `Untitled` by default.
  open func defaultDraftName() -> String { "Untitled" }

  /// Whether the document has changes that are not on disk.
  open var isDocumentEdited: Bool { file.hasUnsavedChanges }
  /// The same as `isDocumentEdited`.
  open var hasUnautosavedChanges: Bool { isDocumentEdited }
  /// False: a program opens an old version as a separate document.
  open var isInViewingMode: Bool { false }
  /// Whether the whole file is in memory after a read; true by default. The library does not read it.
  open var isEntireFileLoaded: Bool { true }
  /// The state of the document, in the flags of `UIDocument`.
  public var documentState: DocumentState { file.documentState }

  // MARK: The class

  /// Whether the document autosaves to its place; false by default.
  open class var autosavesInPlace: Bool { false }
  /// Whether a document without a place autosaves. The library does not read it: no such document autosaves.
  open class var autosavesDrafts: Bool { false }
  /// Whether the class keeps versions; by default as `autosavesInPlace`. The library does not read it.
  open class var preservesVersions: Bool { autosavesInPlace }
  /// The types that the class reads; none by default. The program's own code decides which class reads a type.
  open class var readableTypes: [String] { [] }
  /// The types that the class writes; by default those that it reads.
  open class var writableTypes: [String] { readableTypes }
  /// Whether the class reads and writes the type without loss.
  open class func isNativeType(_ type: String) -> Bool {
    readableTypes.contains(type) && writableTypes.contains(type)
  }
  /// Whether a program may read documents of the type on several threads. The library does not call it.
  open class func canConcurrentlyReadDocuments(ofType typeName: String) -> Bool { false }
  /// Whether a save may write in the background. The library does not call it: the engine always does so, with the
  /// contents at the start of the save.
  open func canAsynchronouslyWrite(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
  ) -> Bool { true }

  /// Returns the types that a save may write; by default those of the class.
  open func writableTypes(for saveOperation: SaveOperationType) -> [String] { Self.writableTypes }

  /// Returns the filename extension of a type: that of the file for its own type, else that of the type's declaration.
  open func fileNameExtension(forType typeName: String, saveOperation: SaveOperationType) -> String? {
    if typeName == fileType, let fileURL { return fileURL.pathExtension }
    return UTType(typeName)?.preferredFilenameExtension
  }

  // MARK: Reading

  /// Reads the document from `url`; by default calls `read(from:ofType:)` with a wrapper.
  open func read(from url: URL, ofType typeName: String) throws {
    try read(from: try loadedTree(at: url), ofType: typeName)
  }

  /// Reads the document from a wrapper; by default calls `read(from:ofType:)` with the bytes of a file.
  open func read(from fileWrapper: FileWrapper, ofType typeName: String) throws {
    guard fileWrapper.isRegularFile else { throw CocoaError(.fileReadCorruptFile) }
    try read(from: try fileWrapper.contents(), ofType: typeName)
  }

  /// Reads the document from bytes. A subclass overrides this method or one of the other two.
  open func read(from data: Data, ofType typeName: String) throws {
    throw CocoaError(.featureUnsupported)
  }

  /// Reads the document again from `url`, which becomes its place.
  ///
  /// It discards unsaved changes and the undo manager's actions. It reads on the calling thread.
  ///
  /// - Throws: the error of the file system or of the subclass. The document then still has its unsaved changes.
  open func revert(toContentsOf url: URL, ofType typeName: String) throws {
    try take(from: url, typeName)
    fileURL = url
  }

  private func take(from url: URL, _ typeName: String) throws {
    let wrapper = try FileWrapper(url: url, options: [])
    loading = wrapper
    defer { loading = nil }
    if wrapper.isDirectory { _ = try wrapper.children() }  // It fixes the names of this moment.
    try read(from: url, ofType: typeName)
    fileType = typeName
    // Otherwise the group of the present event counts as a change when it closes.
    file.endEvent()
    undoManager?.removeAllActions()
    file.count(.cleared)
    enqueue(nil) { [self] in
      await attempt { try await file.follow(url) { wrapper.matchesContents(of: url) } }
    }
  }

  // MARK: Writing

  /// Returns the document's tree; by default a file with `data(ofType:)`.
  ///
  /// A save does not write a child again if its wrapper or its bytes are the same.
  open func fileWrapper(ofType typeName: String) throws -> FileWrapper {
    FileWrapper(regularFileWithContents: try data(ofType: typeName))
  }

  /// Returns the document's bytes. A subclass overrides this method or `fileWrapper(ofType:)`.
  open func data(ofType typeName: String) throws -> Data {
    throw CocoaError(.featureUnsupported)
  }

  /// Writes the document as a new file or folder at `url`; by default the tree of `fileWrapper(ofType:)`.
  ///
  /// In a save, `url` is a temporary place.
  open func write(to url: URL, ofType typeName: String) throws {
    let tree = try fileWrapper(ofType: typeName)
    if let collecting = collecting, collecting.url == url {
      collecting.tree = tree
    } else {
      try tree.write(to: url, options: .atomic, originalContentsURL: nil)
    }
  }

  /// Writes the document as a new file or folder at `url`; by default calls `write(to:ofType:)`.
  ///
  /// - Parameter absoluteOriginalContentsURL: the document on disk; nil for a new one.
  open func write(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType,
    originalContentsURL absoluteOriginalContentsURL: URL?
  ) throws {
    try write(to: url, ofType: typeName)
  }

  /// Writes the document so that a failure leaves the old one.
  ///
  /// An override calls `super`: only that makes the save safe.
  open func writeSafely(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
  ) throws {
    let original = saveOperation.isInPlace ? fileURL : nil
    try write(
      to: collecting?.url ?? url, ofType: typeName, for: saveOperation, originalContentsURL: original)
  }

  /// Returns the attributes of a written file. The library does not call it, and writes none of them.
  open func fileAttributesToWrite(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType,
    originalContentsURL absoluteOriginalContentsURL: URL?
  ) throws -> [String: Any] { [:] }

  // MARK: Saving

  /// Saves the contents of this moment to `url`. The handler gets nil if they are durable, or else the reason.
  ///
  /// It asks the subclass for the contents before it returns. A copy does not change the document's place.
  open func save(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType,
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    lastError = nil
    operation = saveOperation
    runningSaves += 1
    defer { operation = .autosaveInPlaceOperation }
    // The error of contents that the subclass refuses at once. An earlier save may fail after it.
    var refusal: (any Error)?
    let finish: (Bool) -> Void = { [self] success in
      runningSaves -= 1
      completionHandler(success ? nil : refusal ?? lastError ?? CocoaError(.fileWriteUnknown))
    }
    if saveOperation.isCopy { return saveCopy(to: url, ofType: typeName, finish) }
    typeToSave = typeName
    defer { typeToSave = nil }
    let isThere = FileManager.default.fileExists(atPath: url.path)
    save(for: isThere ? .forOverwriting : .forCreating) { [self] success in
      if success { (fileURL, fileType, isDraft) = (file.fileURL, typeName, false) }
      finish(success)
    } to: { _ in
      url
    }
    refusal = lastError
  }

  /// Saves the document to its place, as the menu command on Apple's systems does. `presentError(_:)` gets a failure.
  ///
  /// A document without a place is not saved, because no panel can ask for one.
  open func save(_ sender: Any?) {
    guard let fileURL else { return report(CocoaError(.fileNoSuchFile)) }
    save(to: fileURL, ofType: fileType ?? UTType.data.identifier, for: .saveOperation) { [self] error in
      if let error { report(error) }
    }
  }

  /// Saves the document to its place. Unlike Apple's, it does not send the selector.
  open func save(
    withDelegate delegate: Any?, didSave didSaveSelector: Selector?, contextInfo: UnsafeMutableRawPointer?
  ) {
    save(nil)
  }

  /// Reads the document again from its place. `presentError(_:)` gets a failure.
  open func revertToSaved(_ sender: Any?) {
    guard let fileURL else { return }
    do {
      try revert(toContentsOf: fileURL, ofType: fileType ?? UTType.data.identifier)
    } catch {
      report(error)
    }
  }

  /// Moves the document's file to `url`. The handler gets nil, or the reason of a failure.
  ///
  /// Other programs take part by coordination. The move is a rename, so both places must be in one file system. A
  /// document without a file only changes its `fileURL`. Unlike Apple's, it never replaces a file at `url`.
  open func move(to url: URL, completionHandler: (((any Error)?) -> Void)? = nil) {
    moveFile(to: url) { completionHandler?($0) }
  }

  /// Returns a new document without a place that has the contents of this moment, and counts as edited.
  ///
  /// Swift cannot make an object of a class that it knows only at run time. So the subclass must be a
  /// `DuplicableDocument`, unless it overrides this method.
  ///
  /// - Throws: `CocoaError.featureUnsupported` for another class; the error of the subclass.
  open func duplicate() throws -> NSDocument {
    guard let maker = type(of: self) as? any DuplicableDocument.Type else {
      throw CocoaError(
        .featureUnsupported,
        userInfo: [NSDebugDescriptionErrorKey: "the class of the document must be a DuplicableDocument"])
    }
    let new: NSDocument = maker.init()
    try copyContents(to: new)
    return new
  }

  /// Saves the document if it has unsaved changes and a place. The handler gets nil, or the reason of a failure.
  open func autosave(
    withImplicitCancellability autosavingIsImplicitlyCancellable: Bool,
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    guard let fileURL, isDocumentEdited else {
      enqueue({ _ in completionHandler(nil) }) { true }
      return
    }
    let type = autosavingFileType ?? fileType ?? UTType.data.identifier
    save(
      to: fileURL, ofType: type, for: .autosaveInPlaceOperation, completionHandler: completionHandler)
  }

  /// The type of an autosave; by default `fileType`.
  open var autosavingFileType: String? { fileType }

  /// Does nothing. If the class autosaves in place, each edit schedules an autosave.
  open func scheduleAutosaving() {}

  /// Begins to close the document, and returns at once. It saves first if the class autosaves in place.
  ///
  /// `finishClosing()` waits for the end.
  open func close() { beginClosing() }

  // MARK: Changes

  /// Whether the document has an undo manager; initially true. Setting false discards the manager.
  open var hasUndoManager = true {
    didSet { if !hasUndoManager { file.undoManager = nil } }
  }

  /// The manager with which the document registers its edits; the first read makes it. Each closed group is a change.
  open var undoManager: UndoManager? {
    get {
      guard hasUndoManager else { return nil }
      if file.undoManager == nil { file.undoManager = UndoManager() }
      return file.undoManager
    }
    set { file.undoManager = newValue }
  }

  /// Counts a change; a document without an undo manager calls it for each edit.
  open func updateChangeCount(_ change: ChangeType) {
    switch change {
    case .changeDone, .changeReadOtherContents: file.count(.done)
    case .changeUndone: file.count(.undone)
    case .changeRedone: file.count(.redone)
    case .changeCleared, .changeAutosaved: file.count(.cleared)
    case .changeDiscardable: break
    }
  }

  /// Returns a token for this moment in the history of changes.
  open func changeCountToken(for saveOperation: SaveOperationType) -> Any { file.revision }

  /// Called after each save, whose contents are those of the token's moment; by default does nothing.
  open func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperationType) {}

  // MARK: Errors

  /// Handles an error that no completion handler gets, such as that of an autosave; returns whether it was handled.
  ///
  /// By default it passes the error to `willPresentError(_:)`, and returns false.
  @discardableResult
  open func presentError(_ error: any Error) -> Bool {
    _ = willPresentError(error)  // A subclass may override it; no panel shows the result.
    return false
  }

  /// Returns the error to present; by default the same.
  open func willPresentError(_ error: any Error) -> any Error { error }

  // MARK: Windows

  // They are for models that make windows on Apple's systems. The document has the list of window controllers, and calls no
  // method of them.

  /// The window controllers, in the order in which they were added.
  open private(set) var windowControllers: [NSWindowController] = []

  /// Adds a window controller, and sets its `document`. Does nothing if the controller is in the list already.
  open func addWindowController(_ windowController: NSWindowController) {
    if windowControllers.contains(where: { $0 === windowController }) { return }
    windowControllers.append(windowController)
    windowController.document = self
  }

  /// Removes a window controller from the list, and sets its `document` to nil.
  open func removeWindowController(_ windowController: NSWindowController) {
    guard let index = windowControllers.firstIndex(where: { $0 === windowController }) else { return }
    windowControllers.remove(at: index).document = nil
  }

  /// Makes windows on Apple's systems. No code here calls it.
  open func makeWindowControllers() {}
  /// The name of a window's file on Apple's systems. No code here asks for it.
  open var windowNibName: NSNib.Name? { nil }
  /// A window's file is about to be loaded. No code here calls it.
  open func windowControllerWillLoadNib(_ windowController: NSWindowController) {}
  /// A window's file was loaded. No code here calls it.
  open func windowControllerDidLoadNib(_ windowController: NSWindowController) {}
  /// Shows windows on Apple's systems. No code here calls it.
  open func showWindows() {}
  /// Tells a waiting user interface on Apple's systems that it may continue; does nothing here.
  open nonisolated func unblockUserInteraction() {}

  /// Asks whether the document may be closed, on Apple's systems. No code here calls it, and it does nothing.
  open func canClose(
    withDelegate delegate: Any, shouldClose shouldCloseSelector: Selector?,
    contextInfo: UnsafeMutableRawPointer?
  ) {}

  // MARK: Restorable state

  /// The key paths of the state that the system saves on Apple's systems. No code here asks for them.
  open class var restorableStateKeyPaths: [String] { [] }
  /// The classes that the value of a key path may have. No code here asks for them.
  open class func allowedClasses(forRestorableStateKeyPath keyPath: String) -> [AnyClass] { [] }
  /// Writes the state of the user interface; by default nothing.
  open func encodeRestorableState(with coder: NSCoder) {}
  /// Writes the state of the user interface, with a queue for more work; by default nothing.
  open func encodeRestorableState(with coder: NSCoder, backgroundQueue queue: OperationQueue) {}
  /// Reads the state of the user interface; by default nothing.
  open func restoreState(with coder: NSCoder) {}
  /// Notes that the state of the user interface has changed; does nothing.
  open func invalidateRestorableState() {}

  // MARK: Presenting

  // The presenter of the engine does the work. It then calls these methods on `presentedItemOperationQueue`, for subclasses
  // that override them. As on Apple's systems, that is not the main queue, so an override may wait for the main queue. A
  // subclass in Swift 6 mode declares them `nonisolated`.

  /// The document's place.
  open nonisolated var presentedItemURL: URL? { place.withLock { $0 } }
  /// A queue of this document, which runs one method at a time.
  open nonisolated var presentedItemOperationQueue: OperationQueue { queue }
  /// Nil by default. The library does not read it.
  open nonisolated var primaryPresentedItemURL: URL? { nil }
  /// Empty by default. The library does not read it.
  open nonisolated var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }

  /// Another program is about to read. The library does not call it: the engine relinquishes the file.
  open nonisolated func relinquishPresentedItem(
    toReader reader: @escaping @Sendable ((() -> Void)?) -> Void
  ) {
    reader(nil)
  }

  /// Another program is about to write. The library does not call it: the engine relinquishes the file.
  open nonisolated func relinquishPresentedItem(
    toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
  ) {
    writer(nil)
  }

  /// Saves unsaved changes; the handler gets nil, or the reason of a failure.
  open nonisolated func savePresentedItemChanges(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Task { @MainActor in
      autosave(withImplicitCancellability: false, completionHandler: completionHandler)
    }
  }

  /// Another program removed the document, which is closed by now. Its unsaved edits have a recovery copy.
  open nonisolated func accommodatePresentedItemDeletion(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// The document has moved, and `fileURL` is the new place; by default does nothing.
  open nonisolated func presentedItemDidMove(to newURL: URL) {}

  /// The document has another program's changes, or they became a conflict version; by default does nothing.
  open nonisolated func presentedItemDidChange() {}

  /// The document has a new conflict version, the newest one.
  open nonisolated func presentedItemDidGain(_ version: NSFileVersion) {}

  /// The document has lost a version. The library does not call it.
  open nonisolated func presentedItemDidLose(_ version: NSFileVersion) {}

  /// The program has resolved a conflict version.
  open nonisolated func presentedItemDidResolveConflict(_ version: NSFileVersion) {}

  // MARK: Children of a package

  /// Another program is about to delete or replace a child, with coordination. An error stops that program.
  open nonisolated func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Another program has added a child; by default calls `presentedSubitemDidChange(at:)`.
  ///
  /// `presentedItemDidChange()` follows.
  open nonisolated func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }

  /// Another program has changed or removed a child; by default does nothing.
  ///
  /// `presentedItemDidChange()` follows.
  open nonisolated func presentedSubitemDidChange(at url: URL) {}

  /// Another program has moved a child, with coordination; by default does nothing.
  ///
  /// The methods for a removed child and for a new child are called as well.
  open nonisolated func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}

  // MARK: Methods that no code calls

  /// The attributes of the document in a cloud have changed.
  open nonisolated func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}

  /// The system is about to remove the local copy.
  open nonisolated func accommodatePresentedItemEviction(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A child has a new version.
  open nonisolated func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}

  /// A child has lost a version.
  open nonisolated func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}

  /// A conflict version of a child was resolved.
  open nonisolated func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}
