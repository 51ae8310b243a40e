public import Foundation

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
/// - `close()` saves first if the class autosaves in place. Otherwise it gives up unsaved changes, as Apple's does.
/// - A document that autosaves does so two seconds after an edit.
/// - No method shows a window or a panel, and none sends a selector.
/// - `duplicate()` needs a class that is a `DuplicableDocument`.
///
/// A save needs a main queue that runs.
@preconcurrency
@MainActor
open class NSDocument: NSWindowedDocument {
  /// The file of the document, which reads and saves.
  lazy var file = NSDocumentFile(self)
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
    super.init()
  }

  /// Makes a new document of that type.
  public convenience init(type typeName: String) throws {
    self.init()
    fileType = typeName
  }

  /// Reads the document at `url`.
  ///
  /// It reads on the calling thread. The document takes part in coordination soon after.
  ///
  /// - Throws: the error of the file system or of the subclass.
  public convenience init(contentsOf url: URL, ofType typeName: String) throws {
    self.init()
    try take(from: url, typeName)
    fileURL = url
  }

  /// Reads a document from a copy of its contents: it has unsaved changes.
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

  /// The identifier of the document's type.
  open var fileType: String?
  /// The last known change of the document on disk; nil before the first read or save.
  open var fileModificationDate: Date? {
    get { file.fileModificationDate }
    set { file.fileModificationDate = newValue }
  }
  /// Whether the document was made and not named by the user yet.
  open var isDraft = false

  /// The name for the user: the filename without its extension, or that of a new document.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var displayName: String! {
    get { ownDisplayName ?? fileURL?.deletingPathExtension().lastPathComponent ?? defaultDraftName() }
    set { ownDisplayName = newValue }
  }

  /// The name of a new document.
  open func defaultDraftName() -> String { "Untitled" }

  /// Whether the document has changes that are not on disk.
  open var isDocumentEdited: Bool { file.hasUnsavedChanges }
  /// Whether the document has changes that are not on disk.
  open var hasUnautosavedChanges: Bool { isDocumentEdited }
  /// False: an old version is opened as a document of its own.
  open var isInViewingMode: Bool { false }
  /// Whether all of the file is in memory after a read; true by default.
  open var isEntireFileLoaded: Bool { true }
  /// The problems of the document, with the flags of `UIDocument`.
  public var documentState: DocumentState { file.documentState }

  // MARK: The class

  /// Whether the document saves by itself; false by default.
  open class var autosavesInPlace: Bool { false }
  /// Whether a document without a place saves by itself; nothing here does.
  open class var autosavesDrafts: Bool { false }
  /// Whether the class keeps versions, which is the same as `autosavesInPlace` by default. No code here asks for it.
  open class var preservesVersions: Bool { autosavesInPlace }
  /// The types that the class reads; none by default. The program's own code decides which class reads a type.
  open class var readableTypes: [String] { [] }
  /// The types that the class writes; by default those that it reads.
  open class var writableTypes: [String] { readableTypes }
  /// Whether the class reads and writes the type without loss.
  open class func isNativeType(_ type: String) -> Bool {
    readableTypes.contains(type) && writableTypes.contains(type)
  }
  /// Whether a program may read documents of the type on several threads; no code here asks for it.
  open class func canConcurrentlyReadDocuments(ofType typeName: String) -> Bool { false }
  /// Whether a save may write beside the user's work; no code here asks for it. The model gives its tree at once, and
  /// the engine writes beside.
  open func canAsynchronouslyWrite(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
  ) -> Bool { true }

  /// The types that a save may have; by default those of the class.
  open func writableTypes(for saveOperation: SaveOperationType) -> [String] { Self.writableTypes }

  /// The filename extension of a type.
  open func fileNameExtension(forType typeName: String, saveOperation: SaveOperationType) -> String? {
    if typeName == fileType, let fileURL { return fileURL.pathExtension }
    return UTType(typeName)?.preferredFilenameExtension
  }

  // MARK: Reading

  /// Reads the document from `url`; by default calls `read(from:ofType:)` with a wrapper.
  open func read(from url: URL, ofType typeName: String) throws {
    try read(from: try file.loadedTree(at: url), ofType: typeName)
  }

  /// Reads the document from a wrapper; by default calls `read(from:ofType:)` with the bytes of a file.
  open func read(from fileWrapper: FileWrapper, ofType typeName: String) throws {
    guard fileWrapper.isRegularFile else { throw CocoaError(.fileReadCorruptFile) }
    try read(from: try fileWrapper.contents(), ofType: typeName)
  }

  /// Reads the document from bytes. A subclass overrides it, or one of the other two.
  open func read(from data: Data, ofType typeName: String) throws {
    throw CocoaError(.featureUnsupported)
  }

  /// Reads the document again from `url`, and goes on there.
  ///
  /// It gives up unsaved changes and the undo manager's actions. It reads on the calling thread.
  ///
  /// - Throws: the error of the file system or of the subclass. The document then has its changes.
  open func revert(toContentsOf url: URL, ofType typeName: String) throws {
    try take(from: url, typeName)
    fileURL = url
    undoManager?.removeAllActions()
  }

  private func take(from url: URL, _ typeName: String) throws {
    let wrapper = try FileWrapper(url: url, options: [])
    file.loading = wrapper
    defer { file.loading = nil }
    // The names of the children are those of this moment.
    if wrapper.isDirectory { _ = try wrapper.children() }
    try read(from: url, ofType: typeName)
    fileType = typeName
    file.updateChangeCount(.cleared)
    file.follow(url, isAsIn: wrapper)
  }

  // MARK: Writing

  /// Returns the document's tree; by default a file with `data(ofType:)`.
  ///
  /// A save does not write a child again if its wrapper or its bytes are the same.
  open func fileWrapper(ofType typeName: String) throws -> FileWrapper {
    FileWrapper(regularFileWithContents: try data(ofType: typeName))
  }

  /// Returns the document's bytes. A subclass overrides it, or `fileWrapper(ofType:)`.
  open func data(ofType typeName: String) throws -> Data {
    throw CocoaError(.featureUnsupported)
  }

  /// Writes the document as a new file or folder at `url`; by default the tree of `fileWrapper(ofType:)`.
  ///
  /// In a save, `url` is a temporary place.
  open func write(to url: URL, ofType typeName: String) throws {
    let tree = try fileWrapper(ofType: typeName)
    if let collecting = file.collecting, collecting.url == url {
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
  /// An override calls `super`, which alone makes the save safe.
  open func writeSafely(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
  ) throws {
    let original = saveOperation.isInPlace ? fileURL : nil
    try write(
      to: file.collecting?.url ?? url, ofType: typeName, for: saveOperation, originalContentsURL: original)
  }

  /// The attributes of a written file. The engine writes none of them.
  open func fileAttributesToWrite(
    to url: URL, ofType typeName: String, for saveOperation: SaveOperationType,
    originalContentsURL absoluteOriginalContentsURL: URL?
  ) throws -> [String: Any] { [:] }

  // MARK: Saving

  /// Saves the contents of this moment to `url`. The handler gets nil if they are durable, or else the reason.
  ///
  /// It asks for the contents before it returns. A copy leaves the document where it is.
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
    if saveOperation.isCopy { return file.saveCopy(to: url, ofType: typeName, finish) }
    file.typeToSave = typeName
    let isThere = FileManager.default.fileExists(atPath: url.path)
    file.save(to: url, for: isThere ? .forOverwriting : .forCreating) { [self] success in
      if success { (fileURL, fileType, isDraft) = (file.fileURL, typeName, false) }
      finish(success)
    }
    refusal = lastError
  }

  /// Saves the document to its place, as the menu command on Apple's systems does. `presentError(_:)` gets a failure.
  ///
  /// A document without a place is not saved: there is no panel that could ask for one.
  open func save(_ sender: Any?) {
    guard let fileURL else { return file.report(CocoaError(.fileNoSuchFile), to: self) }
    save(to: fileURL, ofType: fileType ?? UTType.data.identifier, for: .saveOperation) { [self] error in
      if let error { file.report(error, to: self) }
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
      file.report(error, to: self)
    }
  }

  /// Moves the document's file to `url`, and continues there. The handler gets nil, or the reason of a failure.
  ///
  /// Other programs take part by coordination. The move is a rename, so that both places are in one file system. A
  /// document without a file only changes its `fileURL`. Unlike Apple's, it never replaces a file at `url`.
  open func move(to url: URL, completionHandler: (((any Error)?) -> Void)? = nil) {
    file.move(to: url) { completionHandler?($0) }
  }

  /// Returns a new document without a place that has the contents of this moment, and counts as edited.
  ///
  /// Swift makes no object of a class that it knows only at run time. So the subclass must be a `DuplicableDocument`,
  /// unless it overrides this method.
  ///
  /// - Throws: `CocoaError.featureUnsupported` for another class; the error of the subclass.
  open func duplicate() throws -> NSDocument {
    guard let maker = type(of: self) as? any DuplicableDocument.Type else {
      throw CocoaError(
        .featureUnsupported,
        userInfo: [NSDebugDescriptionErrorKey: "the class of the document must be a DuplicableDocument"])
    }
    let new: NSDocument = maker.init()
    try file.copyContents(to: new)
    return new
  }

  /// Saves the document if it has unsaved changes and a place. The handler gets nil, or the reason of a failure.
  open func autosave(
    withImplicitCancellability autosavingIsImplicitlyCancellable: Bool,
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    guard let fileURL, isDocumentEdited else {
      file.enqueue({ _ in completionHandler(nil) }) { _ in true }
      return
    }
    let type = autosavingFileType ?? fileType ?? UTType.data.identifier
    save(
      to: fileURL, ofType: type, for: .autosaveInPlaceOperation, completionHandler: completionHandler)
  }

  /// The type of an autosave; by default `fileType`.
  open var autosavingFileType: String? { fileType }

  /// The document saves by itself two seconds after an edit, if the class autosaves in place; does nothing more.
  open func scheduleAutosaving() {}

  /// Closes the document, and returns before. It saves first if the class autosaves in place.
  ///
  /// `finishClosing()` waits for the end.
  open func close() { file.beginClosing() }

  // MARK: Changes

  /// Whether the document has an undo manager; false gives it up.
  open var hasUndoManager = true {
    didSet { if !hasUndoManager { file.undoManager = nil } }
  }

  /// The manager with which the document registers its edits. Each closed group is a change. Reading it makes one.
  open var undoManager: UndoManager? {
    get { hasUndoManager ? file.undoManager : nil }
    set { file.undoManager = newValue }
  }

  /// Counts a change; a document without an undo manager calls it for each edit.
  open func updateChangeCount(_ change: ChangeType) {
    switch change {
    case .changeDone, .changeReadOtherContents: file.updateChangeCount(.done)
    case .changeUndone: file.updateChangeCount(.undone)
    case .changeRedone: file.updateChangeCount(.redone)
    case .changeCleared, .changeAutosaved: file.updateChangeCount(.cleared)
    case .changeDiscardable: break
    }
  }

  /// Returns a token for this moment in the history of changes.
  open func changeCountToken(for saveOperation: SaveOperationType) -> Any { file.link.revision }

  /// Notes that the contents of the token's moment are saved. It is called after each save.
  open func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperationType) {}

  // MARK: Errors

  /// An error occurred that no completion handler gets, such as that of an autosave; returns whether it was handled.
  ///
  /// By default it passes the error on to `willPresentError(_:)`, and returns false.
  @discardableResult
  open func presentError(_ error: any Error) -> Bool {
    _ = willPresentError(error)
    return false
  }

  /// Returns the error to present; by default the same.
  open func willPresentError(_ error: any Error) -> any Error { error }

  // MARK: Other programs

  /// Saves unsaved changes; the handler gets nil, or the reason of a failure.
  open nonisolated override func savePresentedItemChanges(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Task { @MainActor in
      autosave(withImplicitCancellability: false, completionHandler: completionHandler)
    }
  }
}
