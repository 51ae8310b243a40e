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
public actor Document<Content: DocumentContent>: LiveDocument {
  /// The flags of the document's state.
  public typealias State = DocumentState
  /// The reason for a save.
  public typealias SaveOperation = DocumentSaveOperation

  /// The options of the document.
  public nonisolated let options: DocumentOptions<Content>
  nonisolated let storageEnvironment: StorageEnvironment

  /// The turns, the autosave, the state, the presenter and the watcher.
  public let core: DocumentCore
  /// The content, and its storage if the document is open.
  var lifecycle: Lifecycle<Content> { didSet { tellObservers() } }
  /// The revisions of the content.
  var changes = ChangeTracker()
  /// Its earlier and undone values.
  var history: UndoHistory<Content> { didSet { tellObservers() } }
  /// The progress of the download for an opening.
  let download = ByteProgress()
  /// Its observers on other actors.
  var observers = Broadcast<DocumentSnapshot<Content>>()
  var snapshotCount: UInt64 = 0
  /// The copies of edits that could not be saved; nil if the document makes none.
  let recovery: RecoveryCopies?

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
    self.options = options
    var environment = environment
    environment.program = options.program
    storageEnvironment = environment
    var behaviour = options.behaviour
    // A disk without a real path has no other programs.
    if !environment.disk.isReal { (behaviour.isCoordinated, behaviour.watchesDisk) = (false, false) }
    core = DocumentCore(behaviour, at: fileURL)
    history = UndoHistory(options.undo)
    lifecycle = content.map { .inMemory($0, last: nil) } ?? .closed(last: nil)
    // A folder that is not a file URL gives no copies.
    let folder = options.recoveryFolder.flatMap { try? FilePath(of: $0, for: .save) }
    let recoveryDisk = recoveryDisk ?? environment.disk
    recovery = folder.map { RecoveryCopies(on: RecoveryStore(folder: $0, disk: recoveryDisk)) }
    if content != nil { changes.forgetSaved() }
  }

  deinit { observers.finish() }

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

  /// The document's type: for an open document that of its metadata or its name, otherwise that of its name.
  public var fileType: UTType {
    lifecycle.facts?.contentType
      ?? UTType(filename: fileURL.lastPathComponent, isDirectory: fileURL.hasDirectoryPath)
  }

  /// The date of the last known change of the document on disk; nil before the first read or save.
  public var fileModificationDate: Date? { lifecycle.facts?.modified }

  /// The flags of the state that follow from the content and its storage.
  public var contentState: DocumentState {
    guard let opened = lifecycle.opened else { return .closed }
    return opened.conflict == .none ? .normal : .inConflict
  }

  // MARK: Progress

  /// The present reading or writing and its progress; nil if there is none. Each call returns the newest figures.
  public var progress: DocumentProgress? {
    guard let activity = core.turns.activity else { return nil }
    var progress = DocumentProgress(activity: activity, fileURL: fileURL)
    let bytes: ByteProgress? =
      switch activity {
      case .saving: lifecycle.opened?.storage.savingProgress
      case .downloading: download
      case .opening, .reverting: nil
      }
    if let now = bytes?.now, now.total > 0 {
      (progress.completedBytes, progress.totalBytes) = (now.completed, now.total)
    }
    return progress
  }
}
