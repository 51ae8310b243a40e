package import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

// (1) Only an edit or the running file access changes the content. The user may edit between two `await`s of an access.
//     So an access takes the revision before, notes it after, and reads nothing else across.
// (2) An edit is in memory until it is on disk. Only `revert` and `close(discardingChanges:)` drop edits, as their
//     callers ask.
// (3) The document reads or merges another program's changes, or makes them a conflict version, before it writes over
//     them.
// (4) Every call ends, with a result or a `DocumentError`, in every state.
// (5) The state has `closed` exactly while there is no storage. Both change in one step, without an `await` between.

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
public actor Document<Content: DocumentContent> {
  /// The flags of the document's state.
  public typealias State = DocumentState
  /// The reason for a save.
  public typealias SaveOperation = DocumentSaveOperation
  /// The effect of a change on the change count.
  public typealias ChangeKind = DocumentChangeKind

  /// The options of the document.
  public nonisolated let options: DocumentOptions<Content>
  nonisolated let clock: DocumentClock
  nonisolated let medium: DocumentMedium
  nonisolated let shelf: RecoveryShelf?
  /// The name of this document's own recovery copy.
  nonisolated let recoveryName = UUID().uuidString

  // MARK: Place

  /// The document's place, or its future place. It follows a move, and a save elsewhere.
  public internal(set) var fileURL: URL
  /// The presenter for coordination; nil if the document takes no part in it.
  var presenter: DocumentPresenter?
  var turns = DocumentTurns()
  var storage: DocumentStorage?
  var facts: DocumentStorage.Facts?

  // MARK: Content

  /// The content; nil if the document has none.
  var present: Content?
  /// The content as it was last read or saved: the base of a merge.
  var base: Content?
  var changes = ChangeTracker()
  var history: UndoHistory<Content>

  // MARK: State

  /// The document's activity and its problems.
  public internal(set) var documentState: DocumentState = .closed {
    didSet {
      if documentState == oldValue { return }
      broadcast.send(documentState)
      options.eventHandler?(.stateChanged(documentState))
    }
  }
  var broadcast = StateBroadcast()
  /// The reason for the present reading or writing of the disk.
  var activity: DocumentProgress.Activity?
  /// The number of `disableEditing()` calls that no `enableEditing()` took back.
  var editingHolds = 0

  /// The task that takes in the changes of other programs.
  var watching: Task<Void, Never>?

  // MARK: Access

  var lastAccess: Task<Void, Never>?
  var runningAccess: FileAccess?
  /// A save that has not begun. Later callers of `save()` get its result, too.
  var waitingSave: Task<Result<SaveReport, DocumentError>, Never>?

  // MARK: Autosave and recovery

  var schedule: AutosaveSchedule?
  var autosaving: Task<Void, Never>?
  /// The children of another program that must become conflict versions before the document writes over them. (3)
  var unkeptConflict: [String] = []
  /// The recovery copies that the opening found: edits that an earlier document could not save. While this document is
  /// open, no other document is offered them.
  public internal(set) var recoveryCopies: [RecoveryCopy] = []
  /// This document's own copy and its revision.
  var ownCopy: (copy: RecoveryCopy, revision: Revision)?
  /// The locks that deny these copies to other documents.
  var copyLocks: [RecoveryCopy.ID: RecoveryLock] = [:]
  /// The copies whose edits are in the content; the next save removes them.
  var adoptedCopies: [RecoveryCopy] = []

  /// Makes a closed document for `fileURL`. `open()` reads it.
  ///
  /// - Parameter content: the content of a new document, which `save(to:for:)` makes; nil for a document that is on
  ///   disk.
  public init(fileURL: URL, content: Content? = nil, options: DocumentOptions<Content> = .init()) {
    self.init(fileURL: fileURL, content: content, options: options, on: DocumentMedium())
  }

  /// - Parameter recoveryDisk: the disk of the recovery copies, if it is another one.
  package init(
    fileURL: URL, content: Content? = nil, options: DocumentOptions<Content> = .init(),
    on medium: DocumentMedium, recoveryDisk: (any Disk)? = nil
  ) {
    self.fileURL = fileURL
    self.options = options
    var medium = medium
    medium.program = options.program
    self.medium = medium
    clock = DocumentClock(options.clock)
    history = UndoHistory(options.undo)
    schedule = options.autosave.map(AutosaveSchedule.init)
    present = content
    // A folder that is not a file URL gives no shelf.
    shelf = options.recoveryFolder.flatMap { try? FilePath(of: $0, for: .save) }.map {
      RecoveryShelf(folder: $0, disk: recoveryDisk ?? medium.disk)
    }
    if content != nil { changes.forgetSaved() }
  }

  deinit {
    watching?.cancel()
    broadcast.finish()
    if let presenter {
      let number = ObjectIdentifier(presenter)
      Task { await CoordinationRegistry.shared.remove(number) }
    }
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
      guard let present else { throw error(.closed, .edit) }
      return present
    }
  }

  /// Whether the document can be edited and saved.
  public var isOpen: Bool { storage != nil }

  /// The name for the user: the filename without its extension.
  public var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }

  /// The document's type: for an open document that of its metadata or its name, otherwise that of its name.
  public var fileType: UTType {
    facts?.contentType ?? UTType(filename: fileURL.lastPathComponent, isDirectory: fileURL.hasDirectoryPath)
  }

  /// The last known change of the document on disk; nil before the first read or save.
  public var fileModificationDate: Date? { facts?.modified }

  func error(_ code: DocumentError.Code, _ operation: DocumentError.Operation) -> DocumentError {
    DocumentError(code, operation, fileURL)
  }
}
