import DurableIO
import Documents
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// The package of an open document: opening, saving, publishing and closing, one after the other, on a thread that may
/// block.
actor StoreFolder {
  private nonisolated let executor = BlockingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let location: Location
  private let hidden: HiddenFolder
  nonisolated let store: ManagedStore

  private init(_ hidden: sending HiddenFolder, _ store: ManagedStore) {
    (location, self.hidden, self.store) = (hidden.location, hidden, store)
  }

  // MARK: Opening

  /// An opened document, and the work that opening could not do.
  struct Opened: Sendable {
    var folder: StoreFolder
    var head: DocumentHead
    /// The reason why the last save is not published.
    var problem: FilePackageError?
    /// Whether the package saw a later save than the database has.
    var isOlderThanMetadata: Bool
  }

  /// Makes a new package at `path`, if there is nothing.
  static func createIfAbsent(
    _ path: FilePath, contentType: UTType?, _ options: ManagedDocumentOptions
  ) async throws -> Bool {
    let disk = PosixDisk()
    guard try isAbsent(path, on: disk) else { return false }
    let tree = FileWrapper(directoryWithFileWrappers: [
      ManagedStore.storeFolder.string: FileWrapper(directoryWithFileWrappers: [
        options.persistentStoreName: FileWrapper(regularFileWithContents: try ManagedStore.newDatabase())
      ]),
      ContentObjects.contentFolder.string: FileWrapper(directoryWithFileWrappers: [:]),
    ])
    do {
      let (store, _) = try await PackageStore.create(
        tree, path, contentType: contentType, on: disk, by: options.program,
        databasePath: options.databasePath)
      try await store.close()
      return true
    } catch  where error.code == .fileExists {
      // Another program was faster.
      return false
    }
  }

  private static func isAbsent(_ path: FilePath, on disk: PosixDisk) throws(SystemError) -> Bool {
    guard let name = path.lastComponent else { return false }
    let parent = path.removingLastComponent()
    return try !disk.exists(FileName(name.string), in: disk.openDirectory(at: parent.isEmpty ? "." : parent))
  }

  /// Opens the package, and publishes what a cut left.
  static func open(_ path: FilePath, _ options: ManagedDocumentOptions) async throws -> Opened {
    try await BlockingThread().run {
      let location = Location(path, on: PosixDisk())
      let metadata = try requirePackage(location, options)
      let hidden = try HiddenFolder.open(location, on: location.disk, LockWait())
      // After an error the lock ends with the folder's descriptor.
      let isAlone = try hidden.whileAlone { () throws(SystemError) in true } ?? false
      let store = try ManagedStore.open(location, metadata, isAlone: isAlone, options)
      let folder = StoreFolder(hidden, store)
      return try await folder.begin(metadata.metadata.generation)
    }
  }

  /// Checks that the package is one, and reads its metadata.
  private static func requirePackage(
    _ location: Location, _ options: ManagedDocumentOptions
  ) throws -> SavedMetadata {
    let node = StoredNode(location: location, path: .root)
    let name = FileName(options.persistentStoreName)
    do throws(SystemError) {
      _ = try location.disk.openDirectory(at: location.path)
    } catch {
      throw FilePackageError(
        error.code == .notDirectory ? .notAPackage : .init(error.code), .open, node)
    }
    let store = PackagePath([ManagedStore.storeFolder, name])
    do throws(SystemError) {
      let folder = try location.openDirectory(PackagePath([ManagedStore.storeFolder]))
      guard try location.disk.statusIfPresent(of: name, in: folder)?.kind == .file else {
        throw SystemError("openat", name, code: .noSuchFileOrDirectory)
      }
    } catch {
      throw FilePackageError(error, .open, StoredNode(location: location, path: store))
    }
    return try SavedMetadata(
      PackageMetadata.read(from: location.path, on: location.disk)
        ?? PackageMetadata(contentType: options.contentType))
  }

  /// - Parameter generation: that of `Metadata.plist`.
  private func begin(_ generation: Int) throws -> Opened {
    defer { hidden.unlock() }
    let save = try store.unpublished()
    // A manifest has the digests of earlier bytes.
    if try location.disk.exists(PackageLayout.manifest, in: hidden.folder) {
      try location.disk.removeFile(PackageLayout.manifest, in: hidden.folder)
    }
    let isOlder = generation > save.metadata.metadata.generation
    var problem: FilePackageError?
    let isBehind = generation < save.metadata.metadata.generation
    if !save.unpublished.isEmpty || isBehind {
      problem = publish(save, isBehind: isBehind).problem
    }
    return Opened(folder: self, head: save.head, problem: problem, isOlderThanMetadata: isOlder)
  }

  // MARK: Saving

  /// Saves all transactions so far, and publishes the files.
  ///
  /// - Throws: the reason why the save is not durable. After the commit nothing is an error: the report has warnings.
  func save() throws -> (SaveReport, DocumentHead) {
    try hidden.lock(LockWait())
    defer { hidden.unlock() }
    guard try hidden.isInPlace() else {
      throw FilePackageError(.noSuchFile, .save, StoredNode(location: location, path: .root))
    }
    let present = try store.unpublished()
    if !present.head.hasUnsavedChanges {
      if present.unpublished.isEmpty { return (SaveReport(strategy: .none), present.head) }
      return (publish(present, isBehind: true).report, present.head)
    }
    let save = try store.commit()
    var (report, _) = publish(save, isBehind: true)
    // The flush of the write-ahead log.
    report.synchronizations += 1
    return (report, save.head)
  }

  /// Publishes a durable save.
  ///
  /// - Parameter isBehind: whether `Metadata.plist` is older than the save.
  private func publish(_ save: CommittedSave, isBehind: Bool) -> (
    report: SaveReport, problem: FilePackageError?
  ) {
    // A digest that cannot be looked up counts as another program's: its file becomes a conflict version.
    var publisher = ContentPublisher(hidden, sources: save.sources) { [store] in
      (try? store.knows($0)) ?? false
    }
    var report = SaveReport(strategy: .database)
    report.generation = save.metadata.metadata.generation
    var problem: FilePackageError?
    do {
      defer { report.note(publisher, isBehind: isBehind) }
      do {
        try publisher.publish(save.unpublished, metadata: isBehind ? Array(save.metadata.plist) : nil)
      } catch {
        // The files so far are noted all the same.
        try store.note(published: publisher.published, removed: publisher.removed, of: save)
        throw FilePackageError(error, .publish, StoredNode(location: location, path: .root))
      }
      try store.note(published: publisher.published, removed: publisher.removed, of: save)
    } catch {
      let failure =
        error as? FilePackageError
        ?? FilePackageError(
          .inputOutput, .publish, document: FileName(location.path).string, reason: sentenceReason(error))
      report.isPublished = false
      report.warnings.append(SaveWarning(.unpublished, failure))
      problem = failure
    }
    return (report, problem)
  }

  /// Brings the write-ahead log into the database's own file, as far as readers let it.
  func checkpoint() throws {
    _ = try store.reverser.inDatabase { db in try db.checkpoint(.passive) }
  }

  // MARK: Closing

  /// Closes the database, and removes what only an open document has.
  func close() throws {
    try hidden.lock(LockWait())
    defer { hidden.unlock() }
    let ending = Result { try store.endSession() }
    try store.close()
    try ending.get()
    try ContentObjects(location).removeFolderIfEmpty()
    try hidden.removeTraces()
  }
}

/// Returns the reason of any error, for use within a sentence.
func sentenceReason(_ error: any Error) -> String {
  var text = (error as? DatabaseError)?.message ?? sentence(of: error)
  if text.last == "." { text.removeLast() }
  return text
}

extension SaveReport {
  /// Notes the work of a publisher.
  fileprivate mutating func note(_ publisher: ContentPublisher, isBehind: Bool) {
    let folder = ContentObjects.contentFolder.string
    written = publisher.published.map { "\(folder)/\($0.path.path.display)" }
    if isBehind { written.append(PackageLayout.metadata.string) }
    removed = publisher.removed.map { "\(folder)/\($0.path.display)" }
    conflicts = publisher.conflicts
    bytesWritten = publisher.bytesWritten
    synchronizations = publisher.synchronizations
  }
}
