import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import Synchronization
import SystemPackage

// SQLite finds a damaged page when it reads it. Then the operation ends, and the state counts as lost.
extension ContainerState {
  enum Damage {
    /// A page could not be read. SQLite also says so if the disk failed once.
    case page
    /// A value is none that a program stored.
    case value
  }

  /// Whether a page or a value could not be read.
  var isDamaged: Bool { damage.withLock { $0 != nil } }

  /// Returns whether the database is the one at its path: another program may have set it aside.
  func isInPlace() throws(SystemError) -> Bool {
    guard let node else { return true }
    do {
      return try Self.node(path) == node
    } catch  where error.code == .noSuchFileOrDirectory {
      return false
    }
  }

  static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case let error as DatabaseError: [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    case let error as CloudVersion.Problem: error != .newerFormat
    default: error is RowDecodingError
    }
  }

  /// Notes damage, and makes the error that says what to do.
  func damaged(_ problem: any Error) -> FilePackageError {
    damage.withLock { $0 = problem is DatabaseError ? .page : .value }
    let reason = (problem as? CloudVersion.Problem)?.words ?? "\(problem)"
    return error(
      "its state is damaged (\(reason)); 'docpkg cloud sync' makes it again, and deletes no document")
  }

  private func error(_ reason: String) -> FilePackageError {
    let folder = path.removingLastComponent().removingLastComponent()
    return FilePackageError(.invalidContent, .open, document: FileName(folder).string, reason: reason)
  }

  /// Sets a damaged state aside; the next program makes a new one. The caller has the folder's lock.
  ///
  /// - Returns: the error that says so; nil if no damage is known, or for a copy.
  func setAside() throws -> FilePackageError? {
    guard let found = damage.withLock({ $0 }), node != nil else { return nil }
    if found == .page, (try? Self.isWhole(path)) == true {  // One that cannot be read is not whole.
      damage.withLock { $0 = nil }
      return nil
    }
    try Self.setAside(path)
    return error(
      "its state was damaged, and is in '\(path.lastComponent?.string ?? "").damaged' now. "
        + "The same command makes it again from the documents and the container, and deletes no document")
  }

  private static func isWhole(_ path: FilePath) throws -> Bool {
    try open(path).read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") == "ok" }
  }

  /// Gives a damaged database another name, unless the disk fails to read it. The loss of a state makes two documents of
  /// one that has changed.
  static func setAside(_ path: FilePath) throws {
    let disk = PosixDisk()
    let folder = try disk.openDirectory(at: path.removingLastComponent())
    let name = FileName(path.lastComponent?.string ?? "")
    try readAll(name, in: folder, on: disk)
    // The file first: without its log it would be an earlier state, for which an eviction since is a deletion.
    for ending in ["", "-wal", "-shm"] {
      let old = FileName(name.string + ending)
      guard try disk.statusIfPresent(of: old, in: folder) != nil else { continue }
      try disk.rename(old, in: folder, to: FileName(name.string + ".damaged" + ending), in: folder, .replace)
      try disk.synchronize(folder)
    }
  }

  static func node(_ path: FilePath) throws(SystemError) -> DocumentNodeID {
    let disk = PosixDisk()
    let folder = try disk.openDirectory(at: path.removingLastComponent())
    return DocumentNodeID(try disk.status(of: FileName(path.lastComponent?.string ?? ""), in: folder))
  }

  /// Reads all bytes of a file.
  ///
  /// - Throws: the system's error if the disk cannot read them.
  private static func readAll(
    _ name: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) {
    let file = try disk.openFile(name, in: folder)
    var offset: UInt64 = 0
    while true {
      let count = try disk.read(file, at: offset, atMost: 1 << 20).count
      if count == 0 { return }
      offset += UInt64(count)
    }
  }
}
