package import DurableIO
package import FileTrees
import PackageFormat
import SystemPackage

// L1 A program that changes the package in place, or its hidden folder, holds the writer's lock: byte 0 of the lock
//    file. The kernel releases it when the holder dies.
// L2 A session shares byte 1 while it may use the hidden folder again. Only a session that can have byte 1 alone
//    removes the folder's content.
// L3 A lock counts if its file is still the one in the folder, and the folder the one in the package.

/// The hidden folder of a package, open and locked for one writer.
package final class HiddenFolder {
  package let location: Location
  package let disk: any Disk
  /// The package's own directory.
  package let root: OpenNode
  let packageStatus: FileStatus
  package let folder: OwnedDescriptor
  private let identity: FileIdentity
  /// The staging folder.
  package let staging: OpenNode
  /// False if the file system has no locks.
  private(set) var hasLocks: Bool
  private let lockFile: OwnedDescriptor
  private(set) var isLocked: Bool

  enum Byte {
    static let writer: UInt64 = 0
    static let session: UInt64 = 1
  }

  private init(
    _ location: Location, on disk: any Disk, package: consuming OwnedDescriptor, _ status: FileStatus,
    folder: consuming OwnedDescriptor, _ identity: FileIdentity, staging: consuming OwnedDescriptor,
    lockFile: consuming OwnedDescriptor, hasLocks: Bool
  ) {
    self.location = location
    self.disk = disk
    root = OpenNode(package)
    packageStatus = status
    self.folder = folder
    self.identity = identity
    self.staging = OpenNode(staging)
    self.lockFile = lockFile
    self.hasLocks = hasLocks
    isLocked = true
  }

  /// Opens the hidden folder of the package at `location` and takes the writer's lock (L1); makes a missing folder.
  ///
  /// - Throws: EAGAIN if another writer holds the lock until the deadline.
  package static func open(_ location: Location, on disk: any Disk, _ wait: LockWait) throws(SystemError)
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
      do {
        try disk.makeDirectoryIfAbsent(PackageLayout.hidden, in: package)
      } catch  where error.code == .noSuchFileOrDirectory {
        // Another program has just put another directory in its place.
        if try isAt(location.path, status, on: disk) { throw error }
        continue
      }
      let folder: OwnedDescriptor
      do {
        folder = try disk.openDirectory(PackageLayout.hidden, in: package)
      } catch  where error.code == .noSuchFileOrDirectory {
        // The last session of another program has just removed it.
        continue
      }
      guard let lockFile = try lockFile(in: folder, on: disk) else { continue }
      let hasLocks = try wait.take(Byte.writer, .exclusive, of: lockFile, on: disk)
      // The last session of another program may have removed the file meanwhile (L3).
      let identity = try disk.status(of: folder).identity
      guard try disk.isName(PackageLayout.lock, in: folder, of: lockFile),
        try disk.statusIfPresent(of: PackageLayout.hidden, in: package)?.identity.isSameNode(as: identity)
          == true
      else { continue }
      if hasLocks { _ = try disk.lock(byte: Byte.session, of: lockFile, .shared) }
      let staging: OwnedDescriptor
      do {
        try disk.makeDirectoryIfAbsent(PackageLayout.staging, in: folder)
        staging = try disk.openDirectory(PackageLayout.staging, in: folder)
      } catch  where error.code == .noSuchFileOrDirectory {
        if try isAt(location.path, status, on: disk) { throw error }
        continue
      }
      return HiddenFolder(
        location, on: disk, package: package, status, folder: folder, identity, staging: staging,
        lockFile: lockFile, hasLocks: hasLocks)
    }
  }

  /// Returns whether that directory still has the package's name.
  private static func isAt(
    _ path: FilePath, _ status: FileStatus, on disk: any Disk
  ) throws(SystemError) -> Bool {
    do {
      return try disk.status(of: disk.openDirectory(at: path)).identity.isSameNode(as: status.identity)
    } catch {
      if error.isAbsence { return false }
      throw error
    }
  }

  /// Removes the rest of a hidden folder that could not be made.
  ///
  /// Only if the folder has nothing else in it and no other session has it open. The next session removes the rest.
  private static func takeBack(_ location: Location, on disk: any Disk) {
    do throws(SystemError) {
      let package = try disk.openDirectory(at: location.path)
      let folder = try disk.openDirectory(PackageLayout.hidden, in: package)
      if try disk.exists(PackageLayout.log, in: folder) { return }
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
      // Another program was faster, or has just removed the folder.
      case .fileExists, .noSuchFileOrDirectory: return nil
      default: throw error
      }
    }
  }

  // MARK: Locking

  /// Takes the writer's lock again.
  package func lock(_ wait: LockWait) throws(SystemError) {
    guard !isLocked else { return }
    hasLocks = try wait.take(Byte.writer, .exclusive, of: lockFile, on: disk)
    isLocked = true
  }

  /// Releases the writer's lock.
  package func unlock() {
    guard isLocked else { return }
    // A lock that cannot be released here ends with the descriptor.
    if hasLocks { _ = try? disk.lock(byte: Byte.writer, of: lockFile, .none) }
    isLocked = false
  }

  /// Calls `body` while no other store has the package open.
  ///
  /// - Returns: nil if another store has it open.
  package func whileAlone<Result>(_ body: () throws -> Result) throws -> Result? {
    guard hasLocks else { return try body() }
    guard try disk.lock(byte: Byte.session, of: lockFile, .exclusive) else { return nil }
    // If it cannot be shared again, other stores wait until this one is closed.
    defer { _ = try? disk.lock(byte: Byte.session, of: lockFile, .shared) }
    return try body()
  }

  /// Returns the status of the package if it is still in its place, with this folder in it; otherwise nil.
  package func statusInPlace() throws(SystemError) -> FileStatus? {
    do {
      let now = try disk.statusOfDirectory(at: location.path)
      guard now.identity.isSameNode(as: packageStatus.identity),
        try disk.status(of: PackageLayout.hidden, in: root.descriptor).identity.isSameNode(as: identity)
      else { return nil }
      return now
    } catch {
      if error.code == .noSuchFileOrDirectory || error.code == .notDirectory { return nil }
      throw error
    }
  }

  /// Returns whether a program has the package open, in a session of its own.
  package static func isInUse(_ location: Location) throws(SystemError) -> Bool {
    let disk = location.disk
    do {
      return try isInUse(location.openDirectory(PackagePath([PackageLayout.hidden])), on: disk)
    } catch  where error.isAbsence {
      return false
    }
  }

  /// Returns whether a program has the package of a hidden folder open, in a session of its own.
  package static func isInUse(
    _ folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    do {
      let lockFile = try disk.openFileForWriting(PackageLayout.lock, in: folder)
      // The locks end with the descriptor. A program that is opening the package has only the writer's lock.
      guard try disk.lock(byte: Byte.writer, of: lockFile, .exclusive) else { return true }
      return try !disk.lock(byte: Byte.session, of: lockFile, .exclusive)
    } catch  where error.isAbsence {
      return false
    }
  }

  /// Blocks readers that use this library while `body` changes several names.
  func withoutReaders(_ wait: LockWait, _ body: () throws(FilePackageError) -> Void) throws(FilePackageError)
  {
    let isAlone: Bool
    do {
      isAlone = try wait.take(.exclusive, of: root.descriptor, on: disk)
    } catch {
      throw FilePackageError(
        .busy, .save, StoredNode(location: location, path: .root),
        reason: "another program is still reading it")
    }
    defer { if isAlone { _ = try? disk.lock(root.descriptor, .none) } }
    try body()
  }

  // MARK: Cleaning up

  /// Removes the files that an earlier save left in the staging folder. Only while no save waits to be published.
  ///
  /// - Parameter withHeld: whether the children that programs hold go, too; only if no other store is open (L2).
  package func removeStaged(withHeld: Bool = false) throws(SystemError) {
    for name in try disk.stagedNames(in: staging.descriptor, withHeld: withHeld) {
      disk.removeEverything(name, from: staging.descriptor)
    }
  }

  /// Removes the rest of a session beside a log that stays; the staging folder and the lock file stay with it.
  ///
  /// - Parameter sweep: sweeps the staging folder; with the children that programs hold, if no other store is open (L2).
  func removeRest(_ sweep: (_ withHeld: Bool) throws(SystemError) -> Void) throws(SystemError) {
    try sweep(hasLocks ? disk.lock(byte: Byte.session, of: lockFile, .exclusive) : true)
    // A program that was killed has left it.
    let name = PackageLayout.newLog
    if try disk.exists(name, in: folder) { try disk.removeFile(name, in: folder) }
    // The lock file stays, and this object may live on.
    if hasLocks { _ = try disk.lock(byte: Byte.session, of: lockFile, .none) }
  }

  /// Removes everything that only an open store needs, if no other store is open (L2), and then an empty folder.
  package func removeTraces(withLog: Bool = true) throws(SystemError) {
    // The folder may be another session's by now (L3).
    guard try disk.isName(PackageLayout.lock, in: folder, of: lockFile) else { return }
    if hasLocks, try !disk.lock(byte: Byte.session, of: lockFile, .exclusive) {
      // A shared lock here would prevent the next session that ends from having the folder alone.
      _ = try disk.lock(byte: Byte.session, of: lockFile, .none)
      return
    }
    try removeStaged(withHeld: true)
    for name in (withLog ? [PackageLayout.log] : []) + [PackageLayout.newLog]
    where try disk.exists(name, in: folder) { try disk.removeFile(name, in: folder) }
    // Without this sync the next opening may find a log of a save that was published long ago.
    try disk.synchronize(folder)
    try disk.removeDirectory(PackageLayout.staging, in: folder)
    try disk.removeFile(PackageLayout.lock, in: folder)
    do {
      try disk.removeDirectory(PackageLayout.hidden, in: root.descriptor)
    } catch  where error.code == .directoryNotEmpty || error.code == .fileExists {
      // The folder is not empty: files such as conflict versions stay.
    }
  }
}

extension Disk {
  /// Returns the names in a staging folder, with or without the children that programs hold.
  func stagedNames(
    in staging: borrowing OwnedDescriptor, withHeld: Bool = false
  ) throws(SystemError) -> [FileName] {
    try list(staging).fileNames.filter { withHeld || !$0.isHeld }
  }

  /// Makes a directory.
  ///
  /// - Returns: false if the name is taken, by a directory or anything else.
  @discardableResult
  package func makeDirectoryIfAbsent(
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
