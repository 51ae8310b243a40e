import DurableIO
import Documents
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// The package of an open document: opening, publishing, checkpoints and closing, one after the other, on a thread that
/// may block. Edits and saves need the store only.
actor StoreFolder {
  private nonisolated let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let location: Location
  /// Nil if the document cannot be written.
  private var hidden: HiddenFolder?
  nonisolated let store: ManagedStore
  private var log: WriteAheadLog { WriteAheadLog(store: store) }
  /// The generation of the last save that is published, as far as this program knows.
  private var publishedGeneration = 0
  private var isClosed = false

  private init(_ hidden: sending HiddenFolder?, _ store: ManagedStore) {
    (location, self.hidden, self.store) = (store.location, hidden, store)
  }

  // MARK: Opening

  /// An opened document, and the work that opening could not do.
  struct Opened: Sendable {
    var folder: StoreFolder
    var head: DocumentHead
    /// The result of publishing, if a save was not published.
    var published: Published?
    /// Whether the package saw a later save than the database has.
    var isOlderThanMetadata: Bool
  }

  /// Makes a new package at `path`, if there is nothing.
  static func createIfAbsent(
    _ path: FilePath, contentType: UTType?, _ options: ManagedDocumentOptions
  ) async throws {
    let disk = PosixDisk()
    guard try isAbsent(path, on: disk) else { return }
    let tree = FileWrapper(directoryWithFileWrappers: [
      PackageLayout.storeFolder.string: FileWrapper(directoryWithFileWrappers: [
        options.persistentStoreName: FileWrapper(regularFileWithContents: try ManagedStore.newDatabase())
      ]),
      ContentObjects.contentFolder.string: FileWrapper(directoryWithFileWrappers: [:]),
    ])
    do {
      let (store, _) = try await PackageStore.create(
        tree, path, contentType: contentType, on: disk, by: options.program,
        databasePath: options.databasePath)
      try await store.close()
    } catch  where error.code == .fileExists {
      // Another program was faster.
    }
  }

  private static func isAbsent(_ path: FilePath, on disk: PosixDisk) throws(SystemError) -> Bool {
    guard let name = path.lastComponent else { return false }
    let parent = path.removingLastComponent()
    return try !disk.exists(FileName(name.string), in: disk.openDirectory(at: parent.isEmpty ? "." : parent))
  }

  /// Opens the package, and publishes what a cut left.
  static func open(_ path: FilePath, _ options: ManagedDocumentOptions) async throws -> Opened {
    // A closure that awaits would begin on one of Swift's few threads, and wait for the lock there.
    let (folder, generation) = try await BlockingThread().run {
      let location = Location(path, on: options.disk)
      let metadata = try requirePackage(location, options)
      let place = try StoreLocation(location, options.persistentStoreName)
      let generation = metadata.metadata.generation
      do {
        return (try open(place, try place.access(), metadata, options), generation)
      } catch TablesProblem.newerSchema {
        let program = SavingProgram(
          name: metadata.metadata.generator, version: metadata.metadata.generatorVersion)
        let access = StoreAccess(way: .writing, refusal: .newerSchema(program))
        return (try open(place, access, metadata, options), generation)
      }
    }
    return try await folder.begin(generation)
  }

  private static func open(
    _ place: StoreLocation, _ access: StoreAccess, _ metadata: SavedMetadata,
    _ options: ManagedDocumentOptions
  ) throws -> StoreFolder {
    let location = place.location
    let hidden = access.refusal == nil ? try HiddenFolder.open(location, on: location.disk, LockWait()) : nil
    if let hidden {
      // Bytes of a save may be in the hidden folder only. A killed program may have left it, and `objects` in it, without
      // durable names.
      try location.disk.synchronize(hidden.folder)
      try location.disk.synchronize(hidden.root.descriptor)
    }
    // After an error the lock ends with the folder's descriptor.
    let isAlone = try hidden?.whileAlone { () throws(SystemError) in true } ?? false
    let store: ManagedStore
    do {
      store = try ManagedStore.open(place, access, metadata, isAlone: isAlone, options)
    } catch {
      try? hidden?.removeTracesUnlessStaged()  // The next program that opens the document removes them.
      throw error
    }
    return StoreFolder(hidden, store)
  }

  /// Checks that the package is one, and reads its metadata.
  private static func requirePackage(
    _ location: Location, _ options: ManagedDocumentOptions
  ) throws -> SavedMetadata {
    let node = StoredNode(location: location, path: .root)
    do throws(SystemError) {
      _ = try location.disk.openDirectory(at: location.path)
    } catch {
      throw FilePackageError(
        error.code == .notDirectory ? .notAPackage : .init(error.code), .open, node)
    }
    try StoreFiles(location: location, name: options.persistentStoreName).check()
    return try SavedMetadata(
      PackageMetadata.read(from: location.path, on: location.disk)
        ?? PackageMetadata(contentType: options.contentType))
  }

  /// - Parameter generation: that of `Metadata.plist`.
  private func begin(_ generation: Int) throws -> Opened {
    let save = try store.lastSave()
    guard let hidden else {
      let isOlder = generation > save.metadata.metadata.generation
      return Opened(folder: self, head: save.head, published: nil, isOlderThanMetadata: isOlder)
    }
    defer { hidden.unlock() }
    // A log of the making has the digests of earlier bytes.
    if try location.disk.exists(PackageLayout.log, in: hidden.folder) {
      try location.disk.removeFile(PackageLayout.log, in: hidden.folder)
    }
    let saved = save.metadata.metadata.generation
    publishedGeneration = min(generation, saved)
    var published: Published?
    if !save.files.isEmpty || generation < saved {
      // A killed program may have written the save's frames without the flush (MP1).
      try log.flush()
      published = publish(save, in: hidden, withMetadata: generation < saved)
    }
    return Opened(
      folder: self, head: save.head, published: published, isOlderThanMetadata: generation > saved)
  }

  // MARK: Publishing

  /// The result of publishing.
  struct Published: Sendable {
    var report: SaveReport
    /// The reason why the save is not published.
    var problem: (any Error)?
  }

  /// Publishes the last save, under the package's lock.
  ///
  /// - Returns: nil if that is done already.
  func publish() -> Published? {
    guard !isClosed, let hidden else { return nil }
    do {
      try store.place.follow()
      try hidden.lock(LockWait())
      defer { hidden.unlock() }
      let save = try store.lastSave()
      let generation = save.metadata.metadata.generation
      if save.files.isEmpty && generation == publishedGeneration { return nil }
      guard try hidden.statusInPlace() != nil else {
        throw FilePackageError(.noSuchFile, .publish, StoredNode(location: location, path: .root))
      }
      // Another program may have published the save. A plist that cannot be read is written again.
      let present = try? PackageMetadata.read(from: location.path, on: location.disk)
      let isBehind = present?.generation != generation
      if !isBehind { publishedGeneration = generation }
      return save.files.isEmpty && !isBehind ? nil : publish(save, in: hidden, withMetadata: isBehind)
    } catch {
      return Published(SaveReport(strategy: .database), error)
    }
  }

  private func publish(_ save: CommittedTransaction, in hidden: HiddenFolder, withMetadata: Bool) -> Published
  {
    var publisher = ContentPublisher(hidden, sources: save.sources) {
      [store] digest throws(SystemError) in try store.knows(digest)
    }
    var problem: (any Error)?
    do {
      try publisher.publish(save.files, metadata: withMetadata ? Array(save.metadata.plist) : nil)
      publishedGeneration = save.metadata.metadata.generation
      // Until its name is durable, a file may need its bytes again (MT3). So a publishing that failed begins anew (MP4).
      try store.note(
        published: publisher.published, removed: publisher.removed, retained: publisher.retained, of: save)
      if let path = publisher.lost.first {
        problem = FilePackageError(
          .changedOnDisk, .publish, StoredNode(location: location, path: path.visible),
          reason: "another program removed its bytes before they were published")
      }
    } catch let error as SystemError {
      problem = FilePackageError(error, .publish, StoredNode(location: location, path: .root))
    } catch {
      // The files are in their places. The next publishing notes them.
      problem = error
    }
    var report = SaveReport(strategy: .database)
    report.generation = save.metadata.metadata.generation
    report.note(publisher, withMetadata: withMetadata)
    return Published(report, problem)
  }

  // MARK: Checkpoints

  /// Brings the write-ahead log into the database's own file, if the log is large.
  func checkpointIfLarge() throws {
    if try !isClosed && hidden != nil && log.isLarge { try log.checkpoint() }
  }

  /// Brings the write-ahead log into the database's own file, as far as readers let it.
  func checkpoint() throws { if !isClosed && hidden != nil { try log.checkpoint() } }

  // MARK: Closing

  /// Closes the database of a package that another program removed.
  func closeRemoved() throws {
    isClosed = true
    try store.close()
  }

  /// Closes the database, and removes what only an open document has.
  func close() throws {
    isClosed = true
    guard let hidden else { return try store.close() }
    do {
      try hidden.lock(LockWait())
    } catch {
      // The next opening does the rest. An open database would keep its log.
      try store.close()
      throw error
    }
    defer { hidden.unlock() }
    let ending = Result { try store.endSession() }
    try store.close()
    try ending.get()
    try ContentObjects(location).removeFolderIfEmpty()
    try hidden.removeTracesUnlessStaged()
    // Its lock file may be that of a copy with hard links as well.
    self.hidden = nil
  }
}

/// Returns the reason of any error, for use within a sentence.
func sentenceReason(_ error: any Error) -> String {
  var text = (error as? DatabaseError)?.message ?? sentence(of: error)
  if text.last == "." { text.removeLast() }
  return text
}

extension StoreFolder.Published {
  fileprivate init(_ report: SaveReport, _ problem: (any Error)?) {
    (self.report, self.problem) = (report, problem)
    guard let problem else { return }
    let reason = (problem as? FilePackageError)?.detail ?? sentenceReason(problem)
    self.report.isPublished = false
    self.report.warnings.append(SaveWarning(.unpublished, reason: reason))
  }
}

extension SaveReport {
  /// Notes the work of a publisher.
  fileprivate mutating func note(_ publisher: ContentPublisher, withMetadata: Bool) {
    written = publisher.published.map { ContentObjects.visiblePath($0.path) }
    if withMetadata { written.append(PackageLayout.metadata.string) }
    removed = publisher.removed.map(ContentObjects.visiblePath)
    conflicts = publisher.conflicts
    bytesWritten = publisher.bytesWritten
    synchronizations = publisher.synchronizations
  }
}
