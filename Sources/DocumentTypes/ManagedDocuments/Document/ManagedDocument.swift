// One import gives a program with a database all that it needs.
@_exported public import Documents
import DurableIO
import FilePackages
public import FoundationEssentials
public import GRDB
import SystemPackage

// MD1 An edit is one transaction of database and files. A program that is killed loses none.
// MD2 When a save returns, all edits before it survive a power cut.
// MD3 Edits of this document follow each other, and so do its saves; both may run at once.
// MD4 Every call ends, with a result or an error, in every state.

/// A document with an SQLite database inside, and files beside it: the counterpart of `UIManagedDocument`.
///
/// The package has the database in `StoreContent`, the files in `AdditionalContent` and a `Metadata.plist`. One edit
/// changes rows and files in one transaction, and readers see both of one moment.
///
/// ```swift
/// let book = try await ManagedDocument.open(at: url, options: .init(migrator: RecipeBook.migrator))
/// try await book.edit("Add Recipe") { db, content in
///   try Recipe(title: "Rösti").insert(db)
///   try content.write("Pictures/roesti.jpeg", bytes)
/// }
/// try await book.undo()
/// try await book.close()
/// ```
///
/// If autosave is on, a document with unsaved changes stays alive until it has saved them.
public actor ManagedDocument: LiveDocument {
  /// The condition of the document.
  ///
  /// | From | Call | To |
  /// | --- | --- | --- |
  /// | — | `open(at:options:)` | open |
  /// | open | edits, saves, undo, revert | open |
  /// | open | another program removes the document | removed |
  /// | open, removed | `close()` | closed |
  enum Phase {
    case open(Opened)
    /// Another program removed the package. Its database is still open, and can be read.
    case removed
    case closed

    struct Opened {
      var head: DocumentHead
      /// Whether the publisher met files of another program.
      var hasConflict = false
      /// The document on disk, for errors.
      var disk = FilePackageError.DiskState.asOpened
    }
  }

  /// The options of the document.
  public nonisolated let options: ManagedDocumentOptions
  nonisolated let folder: StoreFolder
  nonisolated var store: ManagedStore { folder.store }

  /// The turns, the autosave, the state, the presenter and the watcher.
  public let core: DocumentCore
  var phase: Phase
  /// The number of accepted edits whose transactions have not ended, and the callers that wait for their end.
  var edits = (running: 0, waiting: [CheckedContinuation<Void, Never>]())
  var publishing = PublishingSchedule()
  /// The path of the package that `fileURL` names.
  var knownPath: FilePath

  init(_ opened: StoreFolder.Opened, at url: URL, _ options: ManagedDocumentOptions) {
    (folder, self.options) = (opened.folder, options)
    core = DocumentCore(options.behaviour, at: url)
    phase = .open(.init(head: opened.head))
    knownPath = opened.folder.store.location.path
  }

  // MARK: Opening

  /// Opens the document at `url`, or makes it if there is nothing.
  ///
  /// Opening runs the migrations that are missing. It publishes a save that was committed and not published. Edits that
  /// an earlier program made and did not save are unsaved changes of this document.
  ///
  /// The document opens for reading if it cannot be written, or if a newer version of the application made its schema:
  /// `writingRefusal`.
  ///
  /// If the options have a provider, it first downloads the content of a placeholder, and `options.downloadHandler`
  /// gets the progress. Cancelling the task ends the download.
  ///
  /// - Throws: `unavailable` if the download fails; `file`, whose `fileError` has the reason: `notAPackage`;
  ///   `noSuchFile` if the package has no database; `invalidContent` if the file is not a database, if it is damaged,
  ///   or if a table cannot be undone; `newerFormat` if a newer version of this library saved it, or if its schema has
  ///   other migrations than this program's and lacks some of these; `busy`; `readOnly`; `noSpace`. The document on disk
  ///   is then as it was.
  public static func open(
    at url: URL, options: ManagedDocumentOptions = .init()
  ) async throws(DocumentError) -> ManagedDocument {
    do {
      try await provide(url, options)
      let path = try FilePath(of: url, for: .open)
      let named = UTType(filename: url.lastPathComponent, isDirectory: true)
      // A name of no known type is that of any folder.
      let type = options.contentType ?? (named == .folder ? .package : named)
      try await StoreFolder.createIfAbsent(path, contentType: type, options)
      let opened = try await StoreFolder.open(path, options)
      let document = ManagedDocument(opened, at: url, options)
      await document.begin(opened)
      return document
    } catch {
      let error = DocumentError(managed: error, .open, url, store: options.persistentStoreName)
      options.errorHandler?(error)
      throw error
    }
  }

  /// Brings the content here, if a provider has it.
  private static func provide(_ url: URL, _ options: ManagedDocumentOptions) async throws(DocumentError) {
    guard let provider = options.provider else { return }
    do {
      try await provider.provide(itemAt: url, progress: options.downloadHandler ?? { _, _ in })
    } catch {
      throw DocumentError(.unavailable, .open, url, cause: error)
    }
  }

  private func begin(_ opened: StoreFolder.Opened) async {
    tellState()
    // It goes on all the same: the next save publishes.
    do { try note(opened.published, .open) } catch {}
    if opened.isOlderThanMetadata {
      let older = FilePackageError(
        .changedOnDisk, .open, document: fileURL.path,
        reason: "its database is older than its last save: another program put an old copy in its place")
      report(DocumentError(older, .open, fileURL))
    }
    await startPresenting(at: fileURL)
    await startWatching()
    noteChange()
  }

  // MARK: Looking

  /// Whether the document can be edited and saved.
  public var isOpen: Bool { if case .open = phase { true } else { false } }

  /// Whether the document has edits that no save has. Undoing all of them makes it unchanged again.
  ///
  /// It is false for a document that cannot be written.
  public var hasUnsavedChanges: Bool {
    if case .open(let opened) = phase { opened.head.hasUnsavedChanges && store.isWritable } else { false }
  }

  /// The error that edits and saves throw; nil if the document can be written.
  ///
  /// Its code is `newerFormat` if a newer version of the application made the schema. It then names the program that
  /// saved the document last. Otherwise the code is `readOnly` or `permissionDenied`.
  public var writingRefusal: DocumentError? { store.refusal.map { failure(of: $0, .save) } }

  /// The flags of the state that follow from the database.
  public var contentState: DocumentState {
    var state: DocumentState = store.isWritable ? [] : .editingDisabled
    switch phase {
    case .closed, .removed: state.insert(.closed)
    case .open(let opened): if opened.hasConflict { state.insert(.inConflict) }
    }
    return state
  }

  // MARK: Reading

  /// Calls `body` with the database and the files of one moment.
  ///
  /// Readers wait for no edit and no save. `body` runs on another thread, and must not keep its arguments.
  ///
  /// A document that another program removed can still be read, until it is closed.
  ///
  /// - Throws: `closed`; any error of `body`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database, AdditionalContent) throws -> Result
  ) async throws -> Result {
    if case .closed = phase { throw error(.closed, .edit) }
    do {
      if case .removed = phase { return try await store.readRemoved(body) }
      return try await store.pool.read { [store] db in try body(db, try store.content(db)) }
    } catch {
      throw mapped(error, .edit)
    }
  }

  /// Returns the values of `fetch`: the present one, and a new one after each transaction that may have changed it.
  ///
  /// ```swift
  /// for try await recipes in book.observe({ try Recipe.fetchAll($0) }) { show(recipes) }
  /// ```
  ///
  /// It reports edits, undos and reverts of this document, and the transactions of other programs, within a second. The
  /// sequence ends with an error when the document is closed.
  public nonisolated func observe<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> AsyncValueObservation<Value> {
    ValueObservation.tracking(fetch).values(in: store.pool)
  }

  // MARK: Errors

  /// Returns an error of the disk or the database as a `DocumentError`, and an error of the caller's closure as it is.
  func mapped(_ error: any Error, _ operation: DocumentError.Operation) -> any Error {
    guard isOpen || !(error is DatabaseError) else { return self.error(.closed, operation) }
    guard var failure = DocumentError(ofDisk: error, operation, fileURL, store: options.persistentStoreName)
    else { return error }
    if case .open(let opened) = phase { failure.note(opened.disk) }
    return failure
  }

  /// Makes the error of a failure of the disk, the database or the library. It names the state of the document on disk.
  func failure(of error: any Error, _ operation: DocumentError.Operation) -> DocumentError {
    var failure = DocumentError(managed: error, operation, fileURL, store: options.persistentStoreName)
    if case .open(let opened) = phase { failure.note(opened.disk) }
    return failure
  }
}
