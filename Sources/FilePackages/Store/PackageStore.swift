package import DurableIO
public import FoundationEssentials
package import SystemPackage

/// One open package: its tree, and the only place that reads and writes it on disk.
///
/// An actor on a thread of its own: nothing here blocks Swift's thread pool.
///
/// ```swift
/// let package = try await PackageStore.open(at: url)
/// let tree = await package.tree
/// tree.addRegularFile(withContents: data, preferredFilename: "Notes.txt")
/// let report = try await package.save()
/// ```
public actor PackageStore {
  nonisolated let location: Location
  private nonisolated let executor: BlockingExecutor

  /// The tree that `save()` saves: change it, or hand another to `save(_:options:)`.
  public internal(set) var tree: FileWrapper
  /// The package's directory as it was when it was opened or last saved.
  var status: FileStatus
  var metadataState: MetadataState
  /// A save whose state is, or may be, in place, while the tree still tells its changes from the one before.
  var unsettled: Unsettled?
  /// What this store keeps open from its first save on.
  var session: PackageSession?
  /// A save that is committed and still has to come to the names where it belongs.
  var pending: Pending?
  /// A save that failed at the last moment, so that it may be committed all the same, and its record.
  var uncertain: (saved: Pending, record: JournalRecord)?
  /// The children at whose places another program wrote something before a save was published that no report told
  /// of: one that was cut short, or one that returned when it was committed. Both contents are kept, one of them in
  /// the hidden folder.
  public internal(set) var recoveryConflicts: [String] = []
  /// Those of what was published just now: what stands there may be another program's, and is not to be written over
  /// unseen.
  var newConflicts: [String] = []
  /// Why nothing can be saved: the journal is damaged.
  var damage: FilePackageError?
  /// The state of which the tree has the content again, while it is saved.
  var contentRevision: UUID?
  /// What the next save brings together, while conflicts are resolved.
  var merge: Merge?
  /// The program that saves, as the metadata name it; by default this process.
  public var program = SavingProgram.current
  /// What time it is: for the metadata of what is saved, and for how old a version is.
  var clock: @Sendable () -> Date = { Date() }

  /// Takes the time from somewhere else than the system's clock, for tests.
  package func setClock(_ clock: @escaping @Sendable () -> Date) { self.clock = clock }

  /// Whether others gave the metadata other values of the application since this store read them.
  var othersWroteValues = false
  /// Publishes what a save returned before.
  var publishing: Task<Void, Never>?
  /// Puts the marks on the medium when nothing has been saved for a while.
  var checkpoint: Task<Void, Never>?
  /// How many synchronisations earlier reports have told.
  var synchronizationsReported = 0
  /// How large the journal grows before it starts again, in bytes.
  let journalCapacity: Int
  let delays: Delays
  /// How long others are waited for.
  let wait = LockWait()
  /// The trees that know files by a status from before a failed save, which linked and unlinked them.
  var stale: [FileWrapper] = []

  /// When the store does by itself what can wait.
  package struct Delays: Sendable {
    /// How long a save that returned at its commit waits to be published, so that the next ones can take its place;
    /// nil to publish only when it is asked for, and to tidy up before that returns.
    package var publishing: Duration?
    /// How long after a save what was noted in memory only is put on the medium; nil for never.
    package var checkpoint: Duration?

    /// For stores in which only what they are asked to do happens.
    package static let none = Delays()
    package static let standard = Delays(publishing: .milliseconds(20), checkpoint: .seconds(5))

    package init(publishing: Duration? = nil, checkpoint: Duration? = nil) {
      (self.publishing, self.checkpoint) = (publishing, checkpoint)
    }
  }

  /// How large a journal grows where nothing else is said, in bytes.
  package static var journalCapacity: Int { JournalFile.capacity }

  /// What is known of `Metadata.plist`.
  enum MetadataState {
    /// A package of another program's, which gets none.
    case none
    case present(PackageMetadata, FileStatus?)
    case unreadable(FilePackageError)
  }

  /// The thread that everything here runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ node: StoredNode, status: FileStatus, tree: FileWrapper, journalCapacity: Int = JournalFile.capacity,
    delays: Delays = .none
  ) {
    location = node.location
    self.journalCapacity = journalCapacity
    self.delays = delays
    executor = BlockingExecutor()
    location.isPackage = true
    self.tree = tree
    self.status = status
    metadataState = .none
  }

  deinit {
    checkpoint?.cancel()
  }

  /// Says which program saves from now on.
  public func setProgram(_ program: SavingProgram) { self.program = program }

  // MARK: Opening

  /// Opens the package at `url`, which may be any directory; a symbolic link to one is followed.
  ///
  /// Writes nothing to a package that was closed in good order. A save that was committed, and cut short before
  /// it was published, is published now; where that cannot be, for want of room or on a medium that cannot be
  /// written, the tree is what the disk and the journal are together. A package which a crash left under its
  /// hidden name is put back. The cost does not depend on what is in the package.
  ///
  /// - Throws: `noSuchFile`, `notAPackage`, or the system's reason. Metadata that cannot be read is no error
  ///   here; `metadata()` and saving report it.
  public static func open(at url: URL) async throws(FilePackageError) -> PackageStore {
    try await open(FilePath(of: url, for: .open), on: PosixDisk(), delays: .standard)
  }

  package static func open(
    _ path: FilePath, on disk: any Disk, journalCapacity: Int = JournalFile.capacity,
    delays: Delays = .none
  ) async throws(FilePackageError) -> PackageStore {
    let node = try find(path, on: disk)
    guard let status = node.status, status.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: FileName(path).string)
    }
    let name = node.location.path.lastComponent.map(FileName.init)
    let tree = FileWrapper(state: FileWrapper.State(node, name: name))
    let store = PackageStore(
      node, status: status, tree: tree, journalCapacity: journalCapacity, delays: delays)
    try await store.recover()
    return store
  }

  static func find(_ path: FilePath, on disk: any Disk) throws(FilePackageError) -> StoredNode {
    do {
      return try StoredNode.look(at: path, following: true, on: disk)
    } catch {
      guard error.code == .noSuchFile, let last = path.lastComponent, last.kind == .regular,
        // Whatever goes wrong here, the package is still not to be found.
        let folder = try? disk.openDirectory(at: path.folder),
        (try? Siblings(of: FileName(last), on: disk).recover(in: folder)) != nil
      else { throw error.during(.open) }
    }
    do {
      return try StoredNode.look(at: path, following: true, on: disk)
    } catch {
      throw error.during(.open)
    }
  }

  func loadMetadata() {
    var plist = StoredNode(location: location, path: PackagePath([PackageLayout.metadata]))
    do {
      let status: FileStatus?
      do {
        let directory = try location.openDirectory(.root)
        status = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: directory)
      } catch {
        throw FilePackageError(error, .open, plist)
      }
      guard let status else { return metadataState = .none }
      guard status.kind == .file else {
        throw damage(reason: "its 'Metadata.plist' is \(status.kind.words)")
      }
      plist.status = status
      do {
        if status.size > UInt64(PackageMetadata.maximumSize) { throw PackageMetadata.Problem.tooLarge }
        metadataState = .present(
          try PackageMetadata(decoding: FileContents.stored(plist).data()), status)
      } catch let problem as PackageMetadata.Problem {
        throw damage(problem.code, reason: problem.words)
      }
    } catch {
      metadataState = .unreadable((error as? FilePackageError)?.during(.open) ?? damage())
    }
  }

  private func damage(
    _ code: FilePackageError.Code = .metadataDamaged, reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(code, .open, document: FileName(location.path).string, reason: reason)
  }

  // MARK: Looking

  /// Where the package is.
  public nonisolated var url: URL {
    URL(filePath: FileName(location.path).string, directoryHint: .isDirectory)
  }

  /// Whether it is on a disk of this machine, so that others find it by its URL.
  package nonisolated var isOnRealDisk: Bool { location.disk is PosixDisk }

  /// How far the save is that is running.
  package nonisolated var savingProgress: ByteProgress { location.progress }

  /// When the package's own directory was last changed, as far as this store knows.
  public var modificationDate: Date { status.modified.date }

  /// The metadata of what was saved last, published or not; nil where there are none that can be read.
  package var committedMetadata: PackageMetadata? { pending?.metadata ?? knownMetadata }

  /// The package's metadata, nil for a package of another program's; before a save that returned at its commit is
  /// published, those of the state before it.
  ///
  /// - Throws: `metadataDamaged` or `newerFormat` when there is a `Metadata.plist` that is not for us.
  public func metadata() throws(FilePackageError) -> PackageMetadata? {
    switch metadataState {
    case .none: return nil
    case .present(let metadata, _): return metadata
    case .unreadable(let error): throw error
    }
  }
}
