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
  private nonisolated let executor: QueueExecutor
  /// The writer of the package, with its tree.
  let writer: PackageWriter
  private let delays: Delays
  /// Syncs what the log still vouches for, after some time without a save.
  var checkpoint: Task<Void, Never>?

  /// The tree that `save()` saves: change it, or pass another one to `save(_:options:)`.
  public var tree: FileWrapper { writer.tree }

  /// The children that another program wrote before a save was published, and that no report named.
  ///
  /// That save was cut short, or returned at its commit. The package has both contents, one of them in the hidden
  /// folder.
  public var recoveryConflicts: [String] { writer.conflicts.unreported }

  /// The program that saves, for the metadata; by default this process.
  public var program: SavingProgram {
    get { writer.program }
    set { writer.program = newValue }
  }

  /// Replaces the system's clock, for tests.
  package func setClock(_ clock: @escaping @Sendable () -> Date) { writer.clock = clock }

  /// The work that the store does by itself after a save.
  package struct Delays: Sendable {
    /// Whether a save that returned at its commit is published in the actor's next turn. If not, the store publishes
    /// only on request, and tidies up before that call returns.
    package var publishes = false
    /// The time after a save until the store makes a checkpoint; nil for never.
    package var checkpoint: Duration?

    /// The delays of stores that do nothing by themselves.
    package static let none = Delays()
    package static let standard = Delays(publishes: true, checkpoint: .seconds(5))

    package init(publishes: Bool = false, checkpoint: Duration? = nil) {
      (self.publishes, self.checkpoint) = (publishes, checkpoint)
    }
  }

  /// The default size in bytes of records at which a new log takes the place of a long one.
  package static var logCapacity: Int { SaveLog.capacity }

  /// The executor of this actor's jobs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private init(
    _ node: StoredNode, status: FileStatus, tree: FileWrapper? = nil, logCapacity: Int, delays: Delays
  ) {
    location = node.location
    self.delays = delays
    executor = QueueExecutor()
    writer = PackageWriter(
      node, status: status, tree: tree, logCapacity: logCapacity,
      finishesAtOnce: !delays.publishes)
    OpenStores.insert(self, of: status.identity)
  }

  deinit {
    checkpoint?.cancel()
    OpenStores.remove(ObjectIdentifier(self))
  }

  /// Sets the program that saves from now on.
  public func setProgram(_ program: SavingProgram) { writer.program = program }

  // MARK: Opening

  /// Opens the package at `url`, which may be any directory; follows a symbolic link to one.
  ///
  /// Writes nothing to a package that was closed in good order. It publishes a save that was committed and not
  /// published. If the disk is full or cannot be written, it does not publish, and the tree has the state of disk and
  /// log together. If a crash left the package under a hidden name, it gives the package its name back. The cost
  /// does not depend on the package's content.
  ///
  /// - Throws: `noSuchFile`, `notAPackage`, or the system's reason. It does not throw for metadata that cannot be read;
  ///   `metadata()` and saving do.
  public static func open(at url: URL) async throws(FilePackageError) -> PackageStore {
    try await open(FilePath(of: url, for: .open), on: PosixDisk(), delays: .standard)
  }

  package static func open(
    _ path: FilePath, on disk: any Disk, logCapacity: Int = SaveLog.capacity,
    delays: Delays = .none
  ) async throws(FilePackageError) -> PackageStore {
    let node = try StoredNode.find(path, on: disk)
    guard let status = node.status, status.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: FileName(path).string)
    }
    let store = PackageStore(node, status: status, logCapacity: logCapacity, delays: delays)
    try await store.recover()
    return store
  }

  private func recover() throws(FilePackageError) {
    try withWriter { try $0.recover() }
  }

  // MARK: Making

  /// Makes a new package of `tree` and opens it.
  ///
  /// - Parameter contentType: the document's type; nil for a package without metadata, unless
  ///   the tree has a `Metadata.plist` with values for it.
  /// - Parameter program: the program that makes the package, for the metadata.
  /// - Throws: `fileExists` if there is something at `url`; other codes for the system's reasons. After an error, `url`
  ///   has only what it had before.
  public static func create(
    _ tree: FileWrapper, at url: URL, contentType: UTType?, by program: SavingProgram = .current
  ) async throws(FilePackageError) -> (store: PackageStore, report: SaveReport) {
    try await create(
      tree, FilePath(of: url, for: .create), contentType: contentType, on: PosixDisk(), delays: .standard,
      by: program)
  }

  package static func create(
    _ tree: FileWrapper, _ path: FilePath, contentType: UTType?, on disk: any Disk,
    logCapacity: Int = SaveLog.capacity, delays: Delays = .none,
    by program: SavingProgram = .current, databasePath: String? = nil
  ) async throws(FilePackageError) -> (store: PackageStore, report: SaveReport) {
    let location = Location(path, on: disk)
    let snapshot = tree.snapshot()
    var new = try StagedSave(
      creating: snapshot, at: location, contentType: contentType, databasePath: databasePath)
    let report = try new.commit(by: program)
    guard let made = new.made else {
      throw FilePackageError(.notAPackage, .create, document: FileName(path).string)
    }
    let root = StoredNode(location: location, path: .root, status: made)
    let store = PackageStore(
      root, status: made, tree: tree, logCapacity: logCapacity, delays: delays)
    await store.setProgram(program)
    await store.rebase(onto: PublishedSave(tree, snapshot, in: made, new.madeMetadata))
    return (store, report)
  }

  /// Makes a package of a tree that is a copy of a document, with an identifier of its own.
  ///
  /// It may block its thread.
  ///
  /// - Parameters:
  ///   - known: the metadata of the copied document. Their sums are those that the copy must have.
  ///   - progress: the progress of the copy.
  /// - Throws: as `copy(to:)`; `changedOnDisk` if a file has other bytes than the sums say. `path` is then as it was.
  package static func create(
    _ tree: FileWrapper, copying known: PackageMetadata, at path: FilePath, on disk: any Disk = PosixDisk(),
    progress: ByteProgress, by program: SavingProgram = .current
  ) throws(FilePackageError) -> SaveReport {
    var copy = try StagedSave(tree, copying: known, at: Location(path, on: disk, progress: progress))
    return try copy.commit(by: program)
  }

  /// Returns the plan of `create(_:copying:at:)`, without touching anything.
  package static func plan(
    _ tree: FileWrapper, copying known: PackageMetadata, at path: FilePath, on disk: any Disk = PosixDisk()
  ) throws(FilePackageError) -> SavePlan {
    try StagedSave(tree, copying: known, at: Location(path, on: disk)).plan
  }

  private func rebase(onto saved: PublishedSave) { writer.rebase(onto: saved) }

  /// Returns the plan of `create(_:at:contentType:)`, without touching anything.
  public static func plan(
    creating tree: FileWrapper, at url: URL, contentType: UTType?
  ) throws(FilePackageError) -> SavePlan {
    let location = try Location(FilePath(of: url, for: .create), on: PosixDisk())
    return try StagedSave(creating: tree.snapshot(), at: location, contentType: contentType).plan
  }

  /// Saves the tree, unsaved edits included, as a new document at `url`, with an identifier of its own.
  ///
  /// This package and this store stay as they are. The copy shares blocks with the files if the file system can share
  /// them. It has no hard links, since a linked file would belong to two documents. The copy leaves out FIFOs, sockets
  /// and devices, set-user-ID and set-group-ID bits, and the history: its own and those of documents in it. The report
  /// names the omissions, the files that were written, and those that share their blocks.
  ///
  /// - Throws: as `create(_:at:contentType:)`; `unsupported` for a place within this package; `cancelled` if the task
  ///   is cancelled before the copy is in its place.
  @discardableResult
  public func copy(to url: URL) throws(FilePackageError) -> SaveReport {
    try copy(to: url, progress: ByteProgress())
  }

  /// - Parameters:
  ///   - history: whether the copy is the same document, as it was last saved: with its identifier, with its history
  ///     and with the histories of documents in it.
  ///   - progress: the progress of the copy.
  package func copy(
    to url: URL, withHistory history: Bool = false, progress: ByteProgress
  ) throws(FilePackageError) -> SaveReport {
    var copy = try newCopy(at: url, withHistory: history, progress)
    return try copy.commit(by: program)
  }

  /// Returns the plan of `copy(to:)`, without touching anything.
  public func copyPlan(to url: URL) throws(FilePackageError) -> SavePlan {
    try copyPlan(to: url, withHistory: false)
  }

  /// Returns the plan of `copy(to:withHistory:progress:)`.
  package func copyPlan(to url: URL, withHistory history: Bool) throws(FilePackageError) -> SavePlan {
    try newCopy(at: url, withHistory: history, ByteProgress()).plan
  }

  private func newCopy(
    at url: URL, withHistory history: Bool, _ progress: ByteProgress
  ) throws(FilePackageError) -> StagedSave {
    let place = try Location(FilePath(of: url, for: .copy), on: location.disk, progress: progress)
    return try StagedSave(copying: writer.package, to: place, withHistory: history)
  }

  // MARK: Looking

  /// The place of the package.
  public nonisolated var url: URL { location.url }

  /// The progress of the save that is running.
  package nonisolated var savingProgress: ByteProgress { location.progress }

  /// The date of the last change of the package's own directory that this store knows.
  public var modificationDate: Date { writer.baseline.status.modified.date }

  /// The metadata of the last save, published or not; nil if there is none that can be read.
  package var committedMetadata: PackageMetadata? { writer.package.committedMetadata }

  /// Returns the role of `Metadata.plist` in a tree for a content that sees the metadata, or does not.
  package func metadataRole(isVisible: Bool) -> MetadataRole {
    writer.package.metadataRole(isVisible: isVisible)
  }

  /// Returns the package's metadata; nil for another program's package.
  ///
  /// If a save returned at its commit and is not published, the metadata is that of the state before it.
  ///
  /// - Throws: `metadataDamaged` or `newerFormat` if there is a `Metadata.plist` that this library cannot read.
  public func metadata() throws(FilePackageError) -> PackageMetadata? { try writer.baseline.metadata.get() }

  /// The reason why the document cannot be saved: its log holds an acknowledged save that cannot be published.
  ///
  /// The children are as the program left them. Nil if the log is intact.
  public var logDamage: FilePackageError? { writer.state.damage }

  /// The reason why a committed save is not visible to other programs yet; nil if all saves are visible.
  ///
  /// The tree has the save.
  public var unpublishedProblem: FilePackageError? { writer.state.problem }

  // MARK: Work for later

  /// Makes a call that may leave work for later.
  func withWriter<Result>(_ body: (PackageWriter) throws -> Result) throws(FilePackageError) -> Result {
    defer { scheduleDueWork() }
    return try writer.node.attempt(.save) { try body(writer) }
  }

  /// Schedules the work that the last call left for later.
  func scheduleDueWork() {
    let due = writer.due
    writer.due = []
    // The save itself succeeded; the next call of `publish()` throws the error of publishing, too.
    if due.contains(.publishing) && delays.publishes { Task { try? publish() } }
    if due.contains(.checkpoint) { scheduleCheckpoint() }
    if due.contains(.finishing) { Task { writer.finishPublished() } }
  }

  /// Schedules a checkpoint for a while after the last save, when no caller waits.
  private func scheduleCheckpoint() {
    guard let delay = delays.checkpoint else { return }
    checkpoint?.cancel()
    checkpoint = Task { [weak self] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }  // A later save cancels the task.
      await self?.makeCheckpoint()
    }
  }

  private func makeCheckpoint() {
    defer { scheduleDueWork() }
    writer.makeCheckpoint()
  }

  /// Gives up the package and the tree, which belongs to another store.
  ///
  /// A save that is committed and not published stays in the log for the next opening.
  package func relinquish() {
    checkpoint?.cancel()
    writer.relinquish()
  }
}
