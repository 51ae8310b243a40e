package import DurableIO
public import FoundationEssentials
package import SystemPackage

/// One open package: its tree, and the only place that reads and writes it on disk.
///
/// An actor whose jobs run on threads that may block: it never holds up Swift's thread pool.
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

  /// The tree that `save()` saves: change it, or pass another one to `save(_:options:)`.
  public internal(set) var tree: FileWrapper
  /// The state of the disk from which the tree tells its changes.
  var baseline: StoreBaseline
  /// The rest of the last save. See `SaveState.swift` for all states and the ways between them.
  var state = SaveState.clean
  /// The session; nil before this store's first save.
  var session: PackageSession?
  /// The children that another program wrote before a save was published, if no report named them.
  ///
  /// That save was cut short, or returned at its commit. The package has both contents, one of them in the hidden
  /// folder.
  public internal(set) var recoveryConflicts: [String] = []
  /// The conflicts of the last publishing: another program's content may stand there, and a save must not replace it
  /// unseen.
  var newConflicts: [String] = []
  /// The program that saves, for the metadata; by default this process.
  public var program = SavingProgram.current
  /// The clock for the dates in the metadata and for the ages of versions.
  var clock: @Sendable () -> Date = { Surroundings.current.now().date }

  /// Replaces the system's clock, for tests.
  package func setClock(_ clock: @escaping @Sendable () -> Date) { self.clock = clock }

  /// The work that this store does by itself.
  var maintenance = Maintenance()
  /// The size in bytes at which the journal starts again.
  let journalCapacity: Int
  let delays: Delays
  /// The time for which the store waits for other programs.
  let wait = LockWait()

  /// The delays after which the store does deferred work by itself.
  package struct Delays: Sendable {
    /// The time for which a save that returned at its commit waits to be published, so that the next saves can
    /// supersede it. If nil, the store publishes only on request, and tidies up before that call returns.
    package var publishing: Duration?
    /// The time after a save until the store makes a checkpoint; nil for never.
    package var checkpoint: Duration?

    /// The delays of stores that do nothing by themselves.
    package static let none = Delays()
    package static let standard = Delays(publishing: .milliseconds(20), checkpoint: .seconds(5))

    package init(publishing: Duration? = nil, checkpoint: Duration? = nil) {
      (self.publishing, self.checkpoint) = (publishing, checkpoint)
    }
  }

  /// The default size in bytes at which a journal starts again.
  package static var journalCapacity: Int { JournalFile.capacity }

  /// The executor of this actor's jobs.
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
    baseline = StoreBaseline(status)
  }

  deinit {
    maintenance.checkpoint?.cancel()
  }

  /// Sets the program that saves from now on.
  public func setProgram(_ program: SavingProgram) { self.program = program }

  // MARK: Opening

  /// Opens the package at `url`, which may be any directory; follows a symbolic link to one.
  ///
  /// Writes nothing to a package that was closed in good order. It publishes a save that was committed and not
  /// published. If the disk is full or cannot be written, it does not publish: the tree then is the state of disk and
  /// journal together. It puts back a package that a crash left under its hidden name. The cost does not depend on the
  /// package's content.
  ///
  /// - Throws: `noSuchFile`, `notAPackage`, or the system's reason. Metadata that cannot be read is no error here;
  ///   `metadata()` and saving report it.
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
        // After any error here the package is still not found.
        let folder = try? disk.openDirectory(at: path.folder),
        (try? HiddenSiblings(of: FileName(last), on: disk).recover(in: folder)) != nil
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
      guard let status else { return baseline.metadata = .none }
      guard status.kind == .file else {
        throw damage(reason: "its 'Metadata.plist' is \(status.kind.words)")
      }
      plist.status = status
      do {
        if status.size > UInt64(PackageMetadata.maximumSize) { throw PackageMetadata.Problem.tooLarge }
        baseline.metadata = .present(
          try PackageMetadata(decoding: FileContents.stored(plist).data()), status)
      } catch let problem as PackageMetadata.Problem {
        throw damage(problem.code, reason: problem.words)
      }
    } catch {
      baseline.metadata = .unreadable((error as? FilePackageError)?.during(.open) ?? damage())
    }
  }

  private func damage(
    _ code: FilePackageError.Code = .metadataDamaged, reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(code, .open, document: FileName(location.path).string, reason: reason)
  }

  // MARK: Looking

  /// The place of the package.
  public nonisolated var url: URL {
    URL(filePath: FileName(location.path).string, directoryHint: .isDirectory)
  }

  /// Whether the package is on a disk of this machine, so that other programs find it by its URL.
  package nonisolated var isOnRealDisk: Bool { location.disk is PosixDisk }

  /// The progress of the save that is running.
  package nonisolated var savingProgress: ByteProgress { location.progress }

  /// The date of the last change of the package's own directory that this store knows.
  public var modificationDate: Date { baseline.status.modified.date }

  /// The metadata of the last save, published or not; nil if there is none that can be read.
  package var committedMetadata: PackageMetadata? { state.waiting?.metadata ?? knownMetadata }

  /// Returns the package's metadata; nil for another program's package.
  ///
  /// If a save returned at its commit and is not published, the metadata is that of the state before it.
  ///
  /// - Throws: `metadataDamaged` or `newerFormat` if there is a `Metadata.plist` that this library cannot read.
  public func metadata() throws(FilePackageError) -> PackageMetadata? {
    switch baseline.metadata {
    case .none: return nil
    case .present(let metadata, _): return metadata
    case .unreadable(let error): throw error
    }
  }
}
