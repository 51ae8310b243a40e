import CSQLiteSession
import DurableIO
import FilePackages
import Glibc
import Synchronization

/// A file system of SQLite that finds a database through the descriptor of its folder.
///
/// SQLite replaces each symbolic link in a path, and so `/proc/self/fd/7/persistentStore`, by the present path. With
/// this file system it keeps the path. So its files, and the connections that it makes later, are found in the folder
/// wherever another program moves it. A database's file with locks has the methods of `DatabaseFileMethods`. A program's
/// other databases that several processes write are opened by it, too.
package enum FolderVFS: String {
  /// The file system of this machine, with locks.
  case usual = "filepackages"
  /// The same without locks, for a file system that no program can write.
  case unlocked = "filepackages-unlocked"

  /// Returns the name by which SQLite opens the database at a path through this file system.
  ///
  /// - Parameter isImmutable: whether no program changes the file. SQLite then neither locks nor looks for a log.
  /// - Throws: `FilePackageError` if this SQLite reads no URIs.
  package func database(at path: String, isImmutable: Bool = false) throws(FilePackageError) -> String {
    try register()
    // Two slashes and an empty authority come before an absolute path only.
    let place = "file:\(path.hasPrefix("/") ? "//" : "")\(path.utf8.percentEncoded(keeping: "/"))"
    return "\(place)?vfs=\(rawValue)\(isImmutable ? "&immutable=1" : "")"
  }

  /// Registers the file system with SQLite, once.
  private func register() throws(FilePackageError) {
    guard sqlite3_compileoption_used("USE_URI") == 1 else {
      throw FilePackageError(
        .inputOutput, .open, document: "SQLite", reason: "this build of SQLite knows no URI filenames")
    }
    Self.registering.withLock { _ in
      if sqlite3_vfs_find(rawValue) == nil { add() }
    }
  }

  private static let registering = Mutex(())
  private static let descriptors = "/proc/self/fd/"

  private func add() {
    guard let base = sqlite3_vfs_find(self == .unlocked ? "unix-none" : nil) else { return }
    // SQLite refers to both until the process ends.
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: base.pointee)
    system.pointee.zName = UnsafePointer(strdup(rawValue))
    system.pointee.pNext = nil
    system.pointee.xFullPathname = { _, path, count, result in
      guard let path, let result else { return SQLITE_CANTOPEN }
      guard String(cString: path).hasPrefix(FolderVFS.descriptors) else {
        let usual = sqlite3_vfs_find(nil)
        return usual?.pointee.xFullPathname?(usual, path, count, result) ?? SQLITE_CANTOPEN
      }
      var length = 0
      while path[length] != 0 { length += 1 }
      guard length < Int(count) else { return SQLITE_CANTOPEN }
      result.update(from: path, count: length + 1)
      return SQLITE_OK
    }
    if self == .usual {
      system.pointee.xOpen = { system, path, file, flags, result in
        guard let file, let base = sqlite3_vfs_find(nil)?.pointee.xOpen else { return SQLITE_CANTOPEN }
        let code = base(system, path, file, flags, result)
        if code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0 {
          DatabaseFileMethods.apply(to: file, at: path)
        }
        return code
      }
    }
    sqlite3_vfs_register(system, 0)
  }
}
