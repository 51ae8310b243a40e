package import DurableIO
public import FoundationEssentials
package import SystemPackage

/// One open document that is a single file, and the only place that reads and writes it on disk: the counterpart of
/// `PackageStore`.
///
/// An actor whose jobs run on threads that may block. A save makes the new file beside the old one and exchanges the
/// two. At any instant, and after a power cut, the disk has the old file or the new one, whole.
public actor FlatFileStore {
  package nonisolated let disk: any Disk
  private nonisolated let executor: QueueExecutor
  private var path: FilePath
  /// The progress of the save that is running.
  package nonisolated let savingProgress = ByteProgress()
  /// The file as it was when it was read or last written.
  private var status: FileStatus
  /// The wrapper of the file as it is on disk.
  public private(set) var file: FileWrapper

  /// The executor of this actor's jobs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private init(_ path: FilePath, _ node: StoredNode, _ status: FileStatus, file: FileWrapper? = nil) {
    self.path = path
    self.status = status
    disk = node.disk
    executor = QueueExecutor()
    self.file = file ?? FileWrapper(node)
  }

  // MARK: Opening

  /// Opens the file at `url`; a symbolic link to one is followed.
  ///
  /// - Throws: `noSuchFile`; `wrongKind` for a node that is not a regular file; the system's reason.
  public static func open(at url: URL) async throws(FilePackageError) -> FlatFileStore {
    try open(FilePath(of: url, for: .open), on: PosixDisk())
  }

  /// Blocks the thread that it is called on.
  package static func open(_ path: FilePath, on disk: any Disk) throws(FilePackageError) -> FlatFileStore {
    let (node, status) = try find(path, on: disk)
    return FlatFileStore(node.filePath, node, status)
  }

  private static func find(
    _ path: FilePath, on disk: any Disk
  ) throws(FilePackageError) -> (node: StoredNode, status: FileStatus) {
    let node = try StoredNode.find(path, on: disk)
    guard let status = node.status, status.kind == .file else {
      throw FilePackageError(
        .wrongKind, .open, node, reason: "it is \(node.status?.kind.words ?? "nothing"), not a file")
    }
    return (node, status)
  }

  /// Makes a new file of the wrapper and opens it.
  ///
  /// - Throws: `fileExists` if there is something at `url`; `wrongKind` if the wrapper is not a regular file; the
  ///   system's reason. After an error, `url` has only what it had before.
  public static func create(
    _ file: FileWrapper, at url: URL
  ) async throws(FilePackageError) -> (store: FlatFileStore, report: SaveReport) {
    try create(file, FilePath(of: url, for: .create), on: PosixDisk())
  }

  package static func create(
    _ file: FileWrapper, _ path: FilePath, on disk: any Disk
  ) throws(FilePackageError) -> (store: FlatFileStore, report: SaveReport) {
    let (report, node, status) = try write(file, to: path, over: .absent, .create, on: disk)
    file.reread(at: node)
    return (FlatFileStore(path, node, status, file: file), report)
  }

  // MARK: Looking

  /// The place of the file.
  public var url: URL { URL(filePath: FileName(path).string, directoryHint: .notDirectory) }

  /// The date of the file's last change that this store knows.
  public var modificationDate: Date { status.modified.date }

  /// The state of the file that this store knows: the same string means the same bytes.
  public var revision: String {
    let identity = status.identity
    return "\(identity.inode)-\(identity.size)-\(identity.modified.seconds).\(identity.modified.nanoseconds)"
  }

  /// Returns whether another program changed the file, or put another one in its place, since this store read or wrote
  /// it.
  ///
  /// - Throws: `noSuchFile` if the file is gone; the system's reason.
  package func isChangedByOthers() throws(FilePackageError) -> Bool {
    try !isKnown(at: path)
  }

  /// Returns whether the file at `path` is the one that was read or last written, unchanged.
  func isKnown(at path: FilePath) throws(FilePackageError) -> Bool {
    let now = try StoredNode.look(at: path, following: false, on: disk)
    return now.status?.isUnchanged(since: status) == true
  }

  // MARK: Changing

  /// Writes the bytes of a wrapper to the file; does nothing for the wrapper that was read or last saved.
  ///
  /// When it returns, the new bytes are durable. Mode, owner, access list and `user.*` attributes of the file stay.
  /// Cost: all bytes, and three syncs.
  ///
  /// - Throws: `changedOnDisk` if another program changed the file; `wrongKind` for a wrapper that is not a regular
  ///   file; `indeterminate` and other codes as for `PackageStore.save(_:options:)`. The file on disk is then
  ///   unchanged, except after `indeterminate`.
  @discardableResult
  public func save(_ file: FileWrapper) throws(FilePackageError) -> SaveReport {
    if file === self.file { return SaveReport(strategy: .none) }
    let (report, node, now) = try Self.write(
      file, to: path, over: .unchanged(status), .save, on: disk, savingProgress)
    status = now
    file.reread(at: node)
    self.file = file
    return report
  }

  /// Reads the file again, with the changes of other programs.
  ///
  /// - Parameter body: reads the new wrapper.
  /// - Throws: as `open(at:)`, and the errors of `body`; the store then stays as it was.
  public func reload<Result>(_ body: (FileWrapper) throws -> Result) throws -> Result {
    let (node, now) = try Self.find(path, on: disk)
    let new = FileWrapper(node)
    let result = try body(new)
    (status, file) = (now, new)
    return result
  }

  /// Continues with the file at `url`, after another program moved it there.
  ///
  /// A move changes the time of the node's last change. So a change that keeps size and date counts as the move.
  ///
  /// - Throws: `changedOnDisk` if the file at `url` is not the one that this store knows; the store then stays as it
  ///   was.
  public func follow(to url: URL) throws(FilePackageError) {
    let path = try FilePath(of: url, for: .open)
    let node = try StoredNode.look(at: path, following: false, on: disk)
    guard let now = node.status, now.identity.isSameNode(as: status.identity) else {
      throw FilePackageError(
        .changedOnDisk, .open, document: url.path, reason: "it is not the file that was opened")
    }
    self.path = path
    var place = node
    place.status?.identity.changed = status.identity.changed
    if place.status == status { status = now }
    place.status = status
    file.reread(at: place)
  }

  private static func write(
    _ file: FileWrapper, to path: FilePath, over destination: StagedSave.Destination,
    _ operation: FilePackageError.Operation, on disk: any Disk, _ progress: ByteProgress = ByteProgress()
  ) throws(FilePackageError) -> (report: SaveReport, node: StoredNode, status: FileStatus) {
    let location = Location(path, on: disk, progress: progress)
    guard file.isRegularFile else {
      throw FilePackageError(
        .wrongKind, operation, StoredNode(location: location, path: .root),
        reason: "its content is \(file.kind.words), not a file")
    }
    var options = StagedSave.Options()
    options.operation = operation
    let plan: SavePlan
    do throws(FilePackageError) {
      plan = try SavePlan(making: file.snapshot())
    } catch {
      throw error.during(operation).of(location)
    }
    var staged = StagedSave(plan, at: location, over: destination, options: options)
    var report = try staged.commit()
    report.written = path.lastComponent.map { [FileName($0).string] } ?? []
    // The status of the staged file serves if the disk cannot be read any more, or if another program has written since.
    if let (node, status) = try? find(path, on: disk),
      staged.made.map({ $0.identity.hasSameContents(as: status.identity) }) ?? true
    {
      return (report, node, status)
    }
    guard let made = staged.made else {
      throw FilePackageError(.indeterminate, operation, StoredNode(location: location, path: .root))
    }
    let folder = Location(path.folder, on: disk, progress: progress)
    let name = PackagePath(path.lastComponent.map { [FileName($0)] } ?? [])
    return (report, StoredNode(location: folder, path: name, status: made), made)
  }
}

extension FlatFileStore: WatchBaseline {
  /// Returns all these places if the file is not the one that was read or last written, by inode number, size and
  /// times.
  public func news(of document: URL, at paths: [String], found: [String]) -> [String] {
    news(of: document).isEmpty ? [] : paths + found
  }

  /// Returns the empty path if the file is not the one that was read or last written.
  public func news(of document: URL) -> [String] {
    // A file that cannot be looked at is not known.
    guard let path = try? FilePath(of: document, for: .watch), (try? isKnown(at: path)) == true else {
      return [""]
    }
    return []
  }
}
