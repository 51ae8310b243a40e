package import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

// (1) Only edits and the one file access whose turn it is change the content. Between two `await`s of an access the
//     user may have edited: it takes the revision before, notes it after, and reads nothing else across.
// (2) A content that is not on disk is in memory until it is: nothing but `revert` and
//     `close(discardingChanges:)` drops edits, and these do what they are called for.
// (3) What another program wrote is read, merged or kept before anything is written over it.
// (4) Every call ends, with a result or a `DocumentError`, in every state.
// (5) The state has `closed` exactly while there is no storage: both change in one step, without an `await` between.

/// One open document: its content in memory, and how that comes to the disk and back.
///
/// Counterpart of `UIDocument`, for content that is a value. Editing never waits for the disk: reading and writing
/// happen on other threads, one access after the other.
///
/// ```swift
/// let document = try await Document<ImageNotes>.open(at: url)
/// try await document.edit("Typing") { $0.text += "The hut at last.\n" }
/// await document.undo()
/// try await document.close()
/// ```
///
/// A document that has unsaved changes stays alive until they are saved, when autosave is on.
public actor Document<Content: DocumentContent> {
  /// The flags of the document's state.
  public typealias State = DocumentState
  /// Why the document is saved.
  public typealias SaveOperation = DocumentSaveOperation
  /// What a change does to the count of changes.
  public typealias ChangeKind = DocumentChangeKind

  /// How the document behaves.
  public nonisolated let options: DocumentOptions<Content>
  nonisolated let clock: DocumentClock
  nonisolated let medium: DocumentMedium
  nonisolated let shelf: RecoveryShelf?
  /// The name of this document's own recovery copy.
  nonisolated let recoveryName = UUID().uuidString

  // MARK: Place

  /// Where the document is, or is to be. It follows when the document is moved or saved elsewhere.
  public internal(set) var fileURL: URL
  /// What those who coordinate ask and tell; nil where the document does not take part.
  var presenter: DocumentPresenter?
  var turns = DocumentTurns()
  var storage: DocumentStorage?
  var facts: DocumentStorage.Facts?

  // MARK: Content

  /// The content; nil when there is none to be had.
  var present: Content?
  /// The content as it was last read or saved: what a merge begins with.
  var base: Content?
  var changes = ChangeTracker()
  var history: UndoHistory<Content>

  // MARK: State

  /// What the document is doing, or what is wrong with it.
  public internal(set) var documentState: DocumentState = .closed {
    didSet {
      if documentState == oldValue { return }
      broadcast.send(documentState)
      options.eventHandler?(.stateChanged(documentState))
    }
  }
  var broadcast = StateBroadcast()
  /// What the disk is being read or written for.
  var activity: DocumentProgress.Activity?
  /// How many times editing was disabled and not enabled again.
  var editingHolds = 0

  /// Hears of what other programs do.
  var watching: Task<Void, Never>?

  // MARK: Access

  var lastAccess: Task<Void, Never>?
  var runningAccess: FileAccess?
  /// A save that has not begun: whoever saves meanwhile gets its result, too.
  var waitingSave: Task<Result<SaveReport, DocumentError>, Never>?

  // MARK: Autosave and recovery

  var schedule: AutosaveSchedule?
  var autosaving: Task<Void, Never>?
  /// What other programs wrote that is still to be kept before anything is written over it. (3)
  var unkeptConflict: [String] = []
  /// The recovery copies that were found when the document was opened: edits that somebody could not save. While this
  /// document is open, no other one is offered them.
  public internal(set) var recoveryCopies: [RecoveryCopy] = []
  /// This document's own copy, and which revision it has.
  var ownCopy: (copy: RecoveryCopy, revision: Revision)?
  /// Keeps the copies from other documents.
  var copyLocks: [RecoveryCopy.ID: RecoveryLock] = [:]
  /// The copies whose edits are in the content, to be removed once that is saved.
  var adoptedCopies: [RecoveryCopy] = []

  /// Makes a document that is, or is to be, at `fileURL`. It is closed: `open()` reads it.
  ///
  /// - Parameter content: the content of a new document, which `save(to:for:)` makes; nil for one that is there.
  public init(fileURL: URL, content: Content? = nil, options: DocumentOptions<Content> = .init()) {
    self.init(fileURL: fileURL, content: content, options: options, on: DocumentMedium())
  }

  /// - Parameter recoveryDisk: where recovery copies are kept, if that is another disk.
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
    // A folder that is no file's is none.
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
  /// - Throws: `closed` when there is none: the document was not opened yet, or was closed.
  public var content: Content {
    get throws(DocumentError) {
      guard let present else { throw error(.closed, .edit) }
      return present
    }
  }

  /// Whether the document can be edited and saved.
  public var isOpen: Bool { storage != nil }

  /// The name to show to the user: the filename without its extension.
  public var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }

  /// The document's type: of an open document what its metadata or its name say, otherwise what the name says.
  public var fileType: UTType {
    facts?.contentType ?? UTType(filename: fileURL.lastPathComponent, isDirectory: fileURL.hasDirectoryPath)
  }

  /// When the document on disk was last changed, as far as this document knows; nil until it was read or saved.
  public var fileModificationDate: Date? { facts?.modified }

  func error(_ code: DocumentError.Code, _ operation: DocumentError.Operation) -> DocumentError {
    DocumentError(code, operation, fileURL)
  }
}
