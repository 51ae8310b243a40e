import FilePackages
import FoundationEssentials

/// The storage of an open document: a package or a flat file. It reads and writes on a thread of its own.
///
/// An operation that only one kind needs has a true answer for the other kind: a flat file has nothing to publish. It has
/// no place for conflict versions, so they are conflict copies beside it.
protocol DocumentStorage: Actor, WatchBaseline {
  // Content.

  /// Reads the content from the tree that the storage has read or saved last.
  func content<Content: DocumentContent>(as type: Content.Type) async throws -> Content
  /// Saves the content. The options are ways to save a package.
  func save<Content: DocumentContent>(
    _ content: Content, options: PackageStore.SavingOptions
  ) async throws -> SaveReport
  /// Returns the tree with the content in it, and saves nothing.
  func fileWrapper<Content: DocumentContent>(of content: Content) async throws -> FileWrapper
  /// Reads the document again; if that fails, the storage is as before.
  ///
  /// - Parameter changes: changes that are not on disk and belong to the content; nil for none.
  func reload<Content: DocumentContent>(
    as type: Content.Type, with changes: TreeChanges?
  ) async throws -> Content
  /// Waits until other programs see the last save.
  func publish() async throws(FilePackageError)
  /// Returns the tree with the content in it, for a new document elsewhere, and the type that its metadata get.
  func detachedTree(of content: some DocumentContent) async throws -> (tree: FileWrapper, type: UTType?)

  // Recovery.

  /// Returns the changes of the content that are not on disk.
  func unsavedChanges<Content: DocumentContent>(of content: Content) async throws -> TreeChanges

  // Other programs.

  /// Returns the changes of other programs since the last reading or saving, by identity.
  func changesByOthers() async throws(FilePackageError) -> ExternalChanges
  /// Goes on with the document at `url`, after another program moved it there.
  func follow(to url: URL) async throws(FilePackageError)
  /// Makes the other program's state of these children a conflict version, before a save writes over it.
  func makeConflictVersion(of paths: [String]) async throws
  /// Returns the conflict versions, the newest first.
  func conflictVersions() async throws -> [ConflictVersion]
  /// Returns whether there are conflict versions.
  func hasConflicts() async throws -> Bool
  /// Removes conflict versions; those that are gone do not count.
  func removeConflictVersions(_ versions: [ConflictVersion]) async throws

  // Looking.

  /// Returns the facts without reading the disk.
  func facts() async -> StorageFacts
  /// The progress of the running save.
  nonisolated var savingProgress: ByteProgress { get }

  // Ending.

  /// Closes the storage.
  ///
  /// - Returns: the given report with the outcome of the close, and the failure of the close, each if there is one.
  func finish(after report: SaveReport?) async -> (report: SaveReport?, failure: FilePackageError?)
  /// Releases a document that is no longer there.
  func relinquish() async
}

extension DocumentStorage {
  /// Returns the tree with the content in it, frozen.
  func snapshot(of content: some DocumentContent) async throws -> PackageSnapshot {
    try await fileWrapper(of: content).snapshot()
  }

  /// Reads the document again, as it is on disk.
  func reload<Content: DocumentContent>(as type: Content.Type) async throws -> Content {
    try await reload(as: type, with: nil)
  }
}

/// The facts about a document on disk, beside its content.
struct StorageFacts: Sendable {
  var contentType: UTType
  var modified: Date?
  /// The state on disk; nil for a package of another program.
  var revision: String?
  /// The identity of the document, also after a move; nil for a flat file and a package of another program.
  var identifier: String?
  /// Whether another program edited saved children before they were published.
  var hasNewConflicts = false
}
