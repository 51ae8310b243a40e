import DurableIO
import FilePackages
import SystemPackage

/// The place of an open package. It follows the package's folder wherever another program moves it.
final class StoreLocation: Sendable {
  let location: Location
  private let root: OpenNode
  private let status: FileStatus
  private let storeFolder: OpenNode
  private let name: String

  /// Opens the folders of the package at `location`.
  ///
  /// - Throws: ENOENT, ENOTDIR or ELOOP if `StoreContent` is no folder of the package.
  init(_ location: Location, _ name: String) throws(SystemError) {
    self.location = location
    self.name = name
    let disk = location.disk
    let root = try disk.openDirectory(at: location.path)
    status = try disk.status(of: root)
    storeFolder = OpenNode(try disk.openDirectory(PackageLayout.storeFolder, in: root))
    self.root = OpenNode(root)
  }

  // MARK: The database

  /// Returns the name of the database for SQLite.
  func database(_ access: StoreAccess) throws(FilePackageError) -> String {
    let system = access.way == .unlocked ? FolderVFS.unlocked : .usual
    let folder = PosixDisk().link(to: storeFolder.descriptor).string
    return try system.database(at: "\(folder)/\(name)", isImmutable: access.way == .immutable)
  }

  /// Returns how this program can use the database.
  func access() throws(SystemError) -> StoreAccess {
    let disk = PosixDisk()
    do throws(SystemError) {
      try disk.checkWritable(".", in: root.descriptor)
      try disk.checkWritable(".", in: storeFolder.descriptor)
      try disk.checkWritable(name, in: storeFolder.descriptor)
      return StoreAccess(way: .writing)
    } catch {
      guard error.code == .readOnlyFileSystem || error.code == .permissionDenied else { throw error }
      guard try hasLog() else { return StoreAccess(way: .immutable, refusal: .disk(error)) }
      // A program that may write has the database open, or had it open when it was killed.
      let isShared = try disk.exists(FileName(name + "-shm"), in: storeFolder.descriptor)
      let way: StoreAccess.Way = isShared && error.code == .permissionDenied ? .reading : .unlocked
      return StoreAccess(way: way, refusal: .disk(error))
    }
  }

  /// Whether there is a write-ahead log with bytes.
  func hasLog() throws(SystemError) -> Bool {
    let log = try location.disk.statusIfPresent(of: FileName(name + "-wal"), in: storeFolder.descriptor)
    return log.map { $0.size > 0 } ?? false
  }

  // MARK: A database of its own

  // A database, its log and the log's index are exchanged together: the new database is durable under the name `-own`
  // before the first of them goes, and takes the database's name last. The next opening goes on from there.

  private var staged: FileName { FileName(name + "-new") }
  private var own: FileName { FileName(name + "-own") }

  /// Whether one of the database's files has another name, which a copy of the package by hard links gave it.
  func isShared() throws(SystemError) -> Bool {
    for suffix in ["", "-wal", "-shm"] {
      let status = try location.disk.statusIfPresent(
        of: FileName(name + suffix), in: storeFolder.descriptor)
      if let status, status.links > 1 { return true }
    }
    return false
  }

  /// Ends a call of `separate` that was cut off.
  func endSeparation() throws(SystemError) {
    try remove([staged, FileName(staged.string + "-journal")])
    if try location.disk.exists(own, in: storeFolder.descriptor) { try takeOwn() }
  }

  /// Gives the package a database of its own, which has what the shared one has now. After an error there is no new file.
  ///
  /// - Parameter copy: makes the database in an empty file from the shared one and its log.
  func separate(_ copy: (_ path: String) throws -> Void) throws {
    let disk = location.disk
    do {
      let shared = try disk.openFile(FileName(name), in: storeFolder.descriptor)
      let status = try disk.status(of: shared)
      let file = try disk.createFile(staged, in: storeFolder.descriptor, mode: 0o600)
      try disk.copyAttributes(of: status, from: shared, on: file)
      try disk.setMode(status.mode, of: file)
      let folder = PosixDisk().link(to: storeFolder.descriptor).string
      try copy(FolderVFS.usual.database(at: "\(folder)/\(staged.string)"))
      try disk.synchronize(file)
    } catch {
      try? endSeparation()  // The error counts; the next opening removes the file.
      throw error
    }
    try disk.rename(staged, in: storeFolder.descriptor, to: own, in: storeFolder.descriptor, .replace)
    try disk.synchronize(storeFolder.descriptor)
    try takeOwn()
  }

  private func takeOwn() throws(SystemError) {
    try remove([FileName(name + "-shm"), FileName(name + "-wal")])
    try location.disk.rename(
      own, in: storeFolder.descriptor, to: FileName(name), in: storeFolder.descriptor, .replace)
    try location.disk.synchronize(storeFolder.descriptor)
  }

  private func remove(_ names: [FileName]) throws(SystemError) {
    for name in names where try location.disk.exists(name, in: storeFolder.descriptor) {
      try location.disk.removeFile(name, in: storeFolder.descriptor)
    }
  }

  // MARK: Moving

  /// Finds the package if another program has moved it, and goes on there.
  ///
  /// Cost: one look at the path if the package is in its place.
  ///
  /// - Throws: ENOENT if the package is removed, or if another package is in its place.
  func follow() throws(SystemError) {
    if try isPackage(at: location.path) { return }
    let disk = PosixDisk()
    let path = try disk.path(of: root.descriptor)
    // The staged save of another program gives a replaced package such a name before it removes it.
    if let name = path.lastComponent, try isPackage(at: path),
      !FileName(name).bytes.starts(with: PackageLayout.siblingPrefix)
    {
      location.path = path
    } else {
      throw SystemError("open", FileName(location.path), code: .noSuchFileOrDirectory)
    }
  }

  /// Goes on at `path`.
  ///
  /// - Throws: `changedOnDisk` if the package there is another one.
  func follow(to path: FilePath) throws {
    guard try isPackage(at: path) else {
      throw FilePackageError(
        .changedOnDisk, .open, document: path.string, reason: "it is not the package that was opened")
    }
    location.path = path
  }

  private func isPackage(at path: FilePath) throws(SystemError) -> Bool {
    do {
      let now = try location.disk.status(of: location.disk.openDirectory(at: path))
      return now.identity.isSameNode(as: status.identity)
    } catch  where error.isAbsence || error.code == .notDirectory {
      return false
    }
  }
}

/// The way in which a program can use a database.
struct StoreAccess: Sendable {
  enum Way: Sendable, Hashable {
    /// The disk lets it read and write.
    case writing
    /// It reads beside a program that may write.
    case reading
    /// It reads a database whose last program closed it. No log can be made beside it.
    case immutable
    /// It reads a database and its log on a file system that no program can write.
    case unlocked
  }

  /// The reason why a program cannot write.
  enum Refusal: Sendable, Hashable {
    case disk(SystemError)
    /// A newer version of the application made the schema. This program saved the document last.
    case newerSchema(SavingProgram)
  }

  var way: Way
  /// Nil if the program can write.
  var refusal: Refusal?
}
