import DurableIO
import SystemPackage

// (1) Whoever changes anything in the package in place, or its hidden folder, holds the writer's lock: byte 0 of
//     the lock file, which the kernel takes back when the holder dies.
// (2) Whoever may use the hidden folder again shares byte 1; only who can have it alone removes what is in it.
// (3) A lock counts when the file that is locked is still the one in the folder, and the folder in the package.

/// The hidden folder of a package, open and locked for one writer.
final class HiddenFolder {
  let location: Location
  let disk: any Disk
  /// The package's own directory.
  let root: OpenNode
  let packageStatus: FileStatus
  let folder: OwnedDescriptor
  /// The folder for files on their way in or out.
  let staging: OpenNode
  /// Whether the folder's entry in the package still has to be synchronised.
  var isNew: Bool
  /// False where the file system has no locks.
  private(set) var hasLocks: Bool
  private let lockFile: OwnedDescriptor
  private(set) var isLocked: Bool

  enum Byte {
    static let writer: UInt64 = 0
    static let session: UInt64 = 1
  }

  private init(
    _ location: Location, on disk: any Disk, package: consuming OwnedDescriptor, _ status: FileStatus,
    folder: consuming OwnedDescriptor, staging: consuming OwnedDescriptor,
    lockFile: consuming OwnedDescriptor, isNew: Bool, hasLocks: Bool
  ) {
    self.location = location
    self.disk = disk
    root = OpenNode(package)
    packageStatus = status
    self.folder = folder
    self.staging = OpenNode(staging)
    self.lockFile = lockFile
    self.isNew = isNew
    self.hasLocks = hasLocks
    isLocked = true
  }

  /// Opens the hidden folder of the package at `location` and takes the writer's lock; makes the folder where
  /// there is none.
  ///
  /// - Throws: EAGAIN when another writer holds the lock until the deadline.
  static func open(_ location: Location, on disk: any Disk, _ wait: LockWait) throws(SystemError)
    -> HiddenFolder
  {
    do {
      return try openOrMake(location, on: disk, wait)
    } catch {
      takeBack(location, on: disk)
      throw error
    }
  }

  private static func openOrMake(
    _ location: Location, on disk: any Disk, _ wait: LockWait
  ) throws(SystemError) -> HiddenFolder {
    while true {
      let package = try disk.openDirectory(at: location.path)
      let status = try disk.status(of: package)
      let isNew: Bool
      do {
        isNew = try disk.makeDirectoryIfAbsent(PackageLayout.hidden, in: package)
      } catch  where error.code == .noSuchFileOrDirectory {
        // Somebody has just put another directory in its place.
        if try isAt(location.path, status, on: disk) { throw error }
        continue
      }
      let folder: OwnedDescriptor
      do {
        folder = try disk.openDirectory(PackageLayout.hidden, in: package)
      } catch  where error.code == .noSuchFileOrDirectory {
        // Somebody who was the last one has just removed it.
        continue
      }
      guard let lockFile = try lockFile(in: folder, on: disk) else { continue }
      let hasLocks = try wait.take(Byte.writer, .exclusive, of: lockFile, on: disk)
      // (3)
      guard try disk.isName(PackageLayout.lock, in: folder, of: lockFile),
        try disk.isName(PackageLayout.hidden, in: package, of: folder)
      else { continue }
      if hasLocks { _ = try disk.lock(byte: Byte.session, of: lockFile, .shared) }
      let staging: OwnedDescriptor
      do {
        _ = try disk.makeDirectoryIfAbsent(PackageLayout.staging, in: folder)
        staging = try disk.openDirectory(PackageLayout.staging, in: folder)
      } catch  where error.code == .noSuchFileOrDirectory {
        if try isAt(location.path, status, on: disk) { throw error }
        continue
      }
      return HiddenFolder(
        location, on: disk, package: package, status, folder: folder, staging: staging, lockFile: lockFile,
        isNew: isNew, hasLocks: hasLocks)
    }
  }

  /// Whether that directory still has the package's name.
  private static func isAt(
    _ path: FilePath, _ status: FileStatus, on disk: any Disk
  ) throws(SystemError) -> Bool {
    try disk.status(of: disk.openDirectory(at: path)).identity.isSameNode(as: status.identity)
  }

  /// Removes what a failure left of a folder that was being made, where there is nothing else in it and nobody
  /// has it open. What cannot be removed now goes with the next session.
  private static func takeBack(_ location: Location, on disk: any Disk) {
    do throws(SystemError) {
      let package = try disk.openDirectory(at: location.path)
      let folder = try disk.openDirectory(PackageLayout.hidden, in: package)
      if try disk.exists(PackageLayout.journal, in: folder) { return }
      if try disk.exists(PackageLayout.lock, in: folder) {
        let lockFile = try disk.openFileForWriting(PackageLayout.lock, in: folder)
        let wait = LockWait(limit: 0)
        _ = try wait.take(Byte.writer, .exclusive, of: lockFile, on: disk)
        _ = try wait.take(Byte.session, .exclusive, of: lockFile, on: disk)
        guard try disk.isName(PackageLayout.lock, in: folder, of: lockFile) else { return }
        if try disk.exists(PackageLayout.staging, in: folder) {
          try disk.removeDirectory(PackageLayout.staging, in: folder)
        }
        try disk.removeFile(PackageLayout.lock, in: folder)
      }
      try disk.removeDirectory(PackageLayout.hidden, in: package)
    } catch {
      return
    }
  }

  private static func lockFile(
    in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> OwnedDescriptor? {
    let name = PackageLayout.lock
    do {
      return try disk.openFileForWriting(name, in: folder)
    } catch {
      guard error.code == .noSuchFileOrDirectory else { throw error }
    }
    do {
      return try disk.createFile(name, in: folder, mode: 0o666)
    } catch {
      switch error.code {
      // Another one was faster, or has just removed the folder.
      case .fileExists, .noSuchFileOrDirectory: return nil
      default: throw error
      }
    }
  }

  // MARK: Locking

  /// Takes the writer's lock again.
  func lock(_ wait: LockWait) throws(SystemError) {
    guard !isLocked else { return }
    hasLocks = try wait.take(Byte.writer, .exclusive, of: lockFile, on: disk)
    isLocked = true
  }

  /// Lets other writers go on.
  func unlock() {
    guard isLocked else { return }
    // What cannot be let go now ends with the descriptor.
    if hasLocks { _ = try? disk.lock(byte: Byte.writer, of: lockFile, .none) }
    isLocked = false
  }

  /// Does something while no other store has the package open; nil where one has.
  func whileAlone<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
    guard hasLocks else { return try body() }
    guard try disk.lock(byte: Byte.session, of: lockFile, .exclusive) else { return nil }
    // Where it cannot be shared again, others wait until this one is closed.
    defer { _ = try? disk.lock(byte: Byte.session, of: lockFile, .shared) }
    return try body()
  }

  /// Whether the package is still at its place, with this folder in it.
  func isInPlace() throws(SystemError) -> Bool {
    do {
      let now = try disk.openDirectory(at: location.path)
      guard try disk.status(of: now).identity.isSameNode(as: packageStatus.identity) else { return false }
      return try disk.isName(PackageLayout.hidden, in: now, of: folder)
    } catch {
      if error.code == .noSuchFileOrDirectory || error.code == .notDirectory { return false }
      throw error
    }
  }

  /// Keeps readers of ours away while `body` changes several names.
  func withoutReaders(_ wait: LockWait, _ body: () throws(FilePackageError) -> Void) throws(FilePackageError)
  {
    let isAlone: Bool
    do {
      isAlone = try wait.take(.exclusive, of: root.descriptor, on: disk)
    } catch {
      throw FilePackageError(
        .busy, .save, StoredNode(location: location, path: .root),
        reason: "another program has been reading it all the time")
    }
    defer { if isAlone { _ = try? disk.lock(root.descriptor, .none) } }
    try body()
  }

  // MARK: Cleaning up

  /// Removes what an earlier save left among the staged files. Only while nothing waits to be published.
  /// - Returns: whether there was anything.
  @discardableResult
  func removeStaged() throws(SystemError) -> Bool {
    let listing = try disk.list(staging.descriptor)
    for position in 0..<listing.count {
      _ = disk.removeEverything(listing.name(at: position), from: staging.descriptor)
    }
    return listing.count > 0
  }

  /// Removes what is needed only while a store is open, where no other store is; the folder, too, where nothing
  /// is left in it. (2)
  func removeTraces() throws(SystemError) {
    // (3)
    guard try disk.isName(PackageLayout.lock, in: folder, of: lockFile) else { return }
    if hasLocks, try !disk.lock(byte: Byte.session, of: lockFile, .exclusive) {
      // Whoever comes after this one must not find it there still.
      _ = try disk.lock(byte: Byte.session, of: lockFile, .none)
      return
    }
    try removeStaged()
    if !disk.removeEverything(PackageLayout.removed, from: folder) {
      throw SystemError("unlinkat", PackageLayout.removed, code: .directoryNotEmpty)
    }
    for name in [PackageLayout.journal, PackageLayout.newJournal]
    where try disk.exists(name, in: folder) { try disk.removeFile(name, in: folder) }
    // Without this the next opening may find a journal of what was published long ago.
    try disk.synchronize(folder)
    try disk.removeDirectory(PackageLayout.staging, in: folder)
    try disk.removeFile(PackageLayout.lock, in: folder)
    do {
      try disk.removeDirectory(PackageLayout.hidden, in: root.descriptor)
    } catch  where error.code == .directoryNotEmpty || error.code == .fileExists {
      // What stays, such as the manifest, keeps it.
    }
  }
}

extension Disk {
  /// Makes a directory; false when there is one, or something else, already.
  func makeDirectoryIfAbsent(
    _ name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    if try exists(name, in: directory) { return false }
    do {
      try makeDirectory(name, in: directory, mode: 0o777)
      return true
    } catch  where error.code == .fileExists {
      return false
    }
  }
}
