package import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

// D1 Only an edit or the running file access changes the content. The user may edit between two `await`s of an access.
//    So an access takes the revision before, notes it after, and reads nothing else across.
// D2 An edit is in memory until it is on disk. Only `revert` and `close(discardingChanges:)` drop edits, as their
//    callers ask.
// D3 The document reads or merges another program's changes, or makes them a conflict version, before it writes over
//    them.
// D4 Every call ends, with a result or a `DocumentError`, in every state.
// D5 The state is computed. A step without an `await` tells it once, after all that it changes.
// D6 The document compares the disk with its last reads and saves, by identity. So its own saves never count as changes
//    of another program.

/// One open document: its content in memory, and its storage on disk.
///
/// It is the counterpart of `UIDocument`, for content that is a value. Editing never waits for the disk: reading and
/// writing happen on other threads, one access after the other.
///
/// ```swift
/// let document = try await Document<ImageNotes>.open(at: url)
/// try await document.edit("Typing") { $0.text += "The hut at last.\n" }
/// await document.undo()
/// try await document.close()
/// ```
///
/// If autosave is on, a document with unsaved changes stays alive until it has saved them.
///
/// A content that is a class has one state. So its document has no undo, and merges no changes of other programs: they
/// become conflict versions. A save writes the object as it is while the save runs.
public actor Document<Content: DocumentContent> {
  /// The flags of the document's state.
  public typealias State = DocumentState
  /// The reason for a save.
  public typealias SaveOperation = DocumentSaveOperation

  /// The options of the document.
  public nonisolated let options: DocumentOptions<Content>
  package nonisolated let clock: DocumentClock
  nonisolated let storageEnvironment: StorageEnvironment

  /// The document's place, or its future place. It changes with a move, and with a save elsewhere.
  public internal(set) var fileURL: URL { didSet { tellObservers() } }
  /// The content, and its storage if the document is open.
  var lifecycle: Lifecycle<Content> { didSet { tellObservers() } }
  /// The revisions of the content.
  var changes = ChangeTracker()
  /// Its earlier and undone values.
  var history: UndoHistory<Content> { didSet { tellObservers() } }
  /// Finds the trees that undoing has to give back, too.
  var treeFinder = TreeFinder()
  /// The number of `disableEditing()` calls that no `enableEditing()` took back.
  var editingHolds = 0
  var broadcast = StateBroadcast()
  /// The download that an opening waits for.
  var provision: ContentProvider?
  /// Its observers on other actors.
  var observers = DocumentObservers<Content>()

  /// Who may read and write the files now.
  package let accesses = AccessQueue()
  /// When the document saves by itself.
  package var autosaver: Autosaver
  /// The copies of edits that could not be saved; nil if the document makes none.
  let recovery: RecoveryCopies?
  /// The document's part in coordination with other programs.
  let coordination = DocumentCoordination()

  /// Makes a closed document for `fileURL`. `open()` reads it.
  ///
  /// - Parameter content: the content of a new document, which `save(to:for:)` makes; nil for a document that is on
  ///   disk.
  public init(fileURL: URL, content: Content? = nil, options: DocumentOptions<Content> = .init()) {
    self.init(fileURL: fileURL, content: content, options: options, on: StorageEnvironment())
  }

  /// - Parameter recoveryDisk: the disk of the recovery copies, if it is another one.
  package init(
    fileURL: URL, content: Content? = nil, options: DocumentOptions<Content> = .init(),
    on environment: StorageEnvironment, recoveryDisk: (any Disk)? = nil
  ) {
    self.fileURL = fileURL
    self.options = options
    var environment = environment
    environment.program = options.program
    storageEnvironment = environment
    clock = DocumentClock(options.clock)
    history = UndoHistory(options.undo)
    autosaver = Autosaver(options.autosave)
    lifecycle = content.map { .inMemory($0, last: nil) } ?? .closed(last: nil)
    // A folder that is not a file URL gives no copies.
    let folder = options.recoveryFolder.flatMap { try? FilePath(of: $0, for: .save) }
    let recoveryDisk = recoveryDisk ?? environment.disk
    recovery = folder.map { RecoveryCopies(on: RecoveryStore(folder: $0, disk: recoveryDisk)) }
    if content != nil { changes.forgetSaved() }
  }

  deinit {
    lifecycle.opened?.watching?.cancel()
    broadcast.finish()
    observers.finish()
  }

  /// Opens the document at `url`.
  ///
  /// - Throws: as `open()`.
  public static func open(
    at url: URL, options: DocumentOptions<Content> = .init()
  ) async throws(DocumentError) -> Document {
    let document = Document(fileURL: url, options: options)
    try await document.open()
    return document
  }

  /// Makes a document of the content at `url`, and opens it.
  ///
  /// - Throws: as `save(to:for:)`.
  public static func create(
    _ content: Content, at url: URL, options: DocumentOptions<Content> = .init()
  ) async throws(DocumentError) -> Document {
    let document = Document(fileURL: url, content: content, options: options)
    try await document.save(to: url, for: .forCreating)
    return document
  }

  // MARK: Looking

  /// The content.
  ///
  /// - Throws: `closed` if there is none, since the document is not open.
  public var content: Content {
    get throws(DocumentError) {
      guard let content = lifecycle.content else { throw error(.closed, .edit) }
      return content
    }
  }

  /// Whether the document can be edited and saved.
  public var isOpen: Bool { lifecycle.opened != nil }

  /// The name for the user: the filename without its extension.
  public var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }

  /// The document's type: for an open document that of its metadata or its name, otherwise that of its name.
  public var fileType: UTType {
    lifecycle.facts?.contentType
      ?? UTType(filename: fileURL.lastPathComponent, isDirectory: fileURL.hasDirectoryPath)
  }

  /// The date of the last known change of the document on disk; nil before the first read or save.
  public var fileModificationDate: Date? { lifecycle.facts?.modified }

  // MARK: State

  /// The document's activity and its problems.
  public var documentState: DocumentState {
    var state = lifecycle.flags
    if editingHolds > 0 { state.insert(.editingDisabled) }
    if accesses.activity != nil { state.insert(.progressAvailable) }
    return state
  }

  /// The document's states: the present one, and then each later one, once. The stream ends when the document is
  /// released.
  public var stateChanges: AsyncStream<DocumentState> {
    broadcast.add { [weak self] number in
      Task { await self?.stopTelling(number) }
    }
  }

  private func stopTelling(_ number: UInt64) { broadcast.remove(number) }

  /// Tells the state, if the step before has changed it (D5).
  func tellState() {
    let state = documentState
    if broadcast.tell(state) {
      options.eventHandler?(.stateChanged(state))
      tellObservers()
    }
  }

  // MARK: Progress

  /// The present reading or writing and its progress; nil if there is none. Each call returns the newest figures.
  public var progress: DocumentProgress? {
    guard let activity = accesses.activity else { return nil }
    var progress = DocumentProgress(activity: activity, fileURL: fileURL)
    if activity == .saving, let now = lifecycle.opened?.storage.savingProgress.now, now.total > 0 {
      (progress.completedBytes, progress.totalBytes) = (now.completed, now.total)
    }
    if activity == .downloading, let now = provision?.figures {
      (progress.completedBytes, progress.totalBytes) = (now.completed, now.total)
    }
    return progress
  }

  func begin(_ activity: DocumentProgress.Activity) {
    accesses.activity = activity
    tellState()
  }

  /// Ends the activity, after all else that the step changes.
  func end() {
    accesses.activity = nil
    tellState()
  }

  // MARK: Accesses

  /// Calls `block` after every earlier access, and before every later one.
  ///
  /// The document makes no other access to the disk meanwhile. A save, a revert or a closing within `block` or its
  /// child tasks runs at once, as part of it. In a `Task {}` that `block` begins, a save runs after `block`, which must
  /// not wait for it. The method returns after `block`. Cancelling the task that waits does not cancel `block`.
  public func performAsynchronousFileAccess<Result: Sendable>(
    _ block: @escaping @Sendable () async -> Result
  ) async -> Result {
    await perform { _ in await block() }
  }

  /// Runs `body` as one access.
  func perform<Result: Sendable>(
    _ body: @escaping @Sendable (isolated Document) async -> Result
  ) async -> Result {
    await accesses.enqueue { await body(self) }.value
  }

  /// Runs `body` as one access; returns its result, or throws its error (D4).
  func attempt<Success: Sendable>(
    _ body: @escaping @Sendable (isolated Document) async throws(DocumentError) -> Success
  ) async throws(DocumentError) -> Success {
    try await perform { document in await document.outcome(of: body) }.get()
  }

  func outcome<Success: Sendable>(
    of body: (isolated Document) async throws(DocumentError) -> Success
  ) async -> Result<Success, DocumentError> {
    do throws(DocumentError) {
      return .success(try await body(self))
    } catch {
      return .failure(error)
    }
  }

  // MARK: Errors

  func error(_ code: DocumentError.Code, _ operation: DocumentError.Operation) -> DocumentError {
    DocumentError(code, operation, fileURL)
  }

  /// Passes an error to the error handler, and returns it for the caller to throw.
  @discardableResult
  func report(_ error: DocumentError) -> DocumentError {
    options.errorHandler?(error)
    return error
  }
}
