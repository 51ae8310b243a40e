import CSQLiteSession
import DurableIO
import Synchronization
import SystemPackage

/// The methods of a database's file for SQLite.
///
/// They repeat an unlock that fails. SQLite takes no notice of it: the lock stays with this process, and each later
/// writer would wait for it without an end. They let no checkpoint run beside a commit (MC1). They also name the files
/// that SQLite locks to `ProcessLocks`. So no other part of this process ends these locks.
struct DatabaseFileMethods {
  /// These come first, so that SQLite finds them where it looks for its own.
  private var methods: sqlite3_io_methods
  private let base: UnsafePointer<sqlite3_io_methods>

  private static let attempts = 100
  /// The locks of a log's index. Source: "WAL-mode File Format" of SQLite's documentation.
  private static let (writerLock, checkpointLock): (CInt, CInt) = (0, 1)
  /// One for each kind of file, as SQLite has them. SQLite refers to them until the process ends.
  private static let made = Mutex<[UInt: UInt]>([:])

  private init(_ base: UnsafePointer<sqlite3_io_methods>) {
    (methods, self.base) = (base.pointee, base)
    methods.xShmLock = { file, offset, count, flags in
      guard let file, let base = DatabaseFileMethods.base(of: file).pointee.xShmLock else {
        return SQLITE_IOERR
      }
      // Recovery takes this lock only together with the next one.
      let isCheckpoint =
        offset == DatabaseFileMethods.checkpointLock && count == 1 && flags & SQLITE_SHM_EXCLUSIVE != 0
      if flags & SQLITE_SHM_UNLOCK != 0 {
        if isCheckpoint { DatabaseFileMethods.unlock(file, DatabaseFileMethods.writerLock, 1, flags, base) }
        return DatabaseFileMethods.unlock(file, offset, count, flags, base)
      }
      if isCheckpoint {
        let code = base(file, DatabaseFileMethods.writerLock, 1, flags)
        if code != SQLITE_OK { return code }
      }
      let code = base(file, offset, count, flags)
      if isCheckpoint && code != SQLITE_OK {
        let unlocking = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
        DatabaseFileMethods.unlock(file, DatabaseFileMethods.writerLock, 1, unlocking, base)
      }
      return code
    }
    methods.xShmMap = { file, region, size, extends, result in
      guard let file, let base = DatabaseFileMethods.base(of: file).pointee.xShmMap else {
        return SQLITE_IOERR
      }
      let code = base(file, region, size, extends, result)
      if code == SQLITE_OK { LockedDatabases.addIndex(of: file) }
      return code
    }
    methods.xClose = { file in
      guard let file, let base = DatabaseFileMethods.base(of: file).pointee.xClose else {
        return SQLITE_IOERR
      }
      let code = base(file)
      LockedDatabases.remove(file)
      return code
    }
  }

  private typealias LockCall =
    @convention(c) (UnsafeMutablePointer<sqlite3_file>?, CInt, CInt, CInt) -> CInt

  @discardableResult
  private static func unlock(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ offset: CInt, _ count: CInt, _ flags: CInt, _ call: LockCall
  ) -> CInt {
    var code = call(file, offset, count, flags)
    for _ in 0..<attempts where code != SQLITE_OK { code = call(file, offset, count, flags) }
    return code
  }

  private static func base(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafePointer<sqlite3_io_methods> {
    UnsafeRawPointer(file.pointee.pMethods).assumingMemoryBound(to: DatabaseFileMethods.self).pointee.base
  }

  /// Gives the methods to a file that SQLite has just opened.
  static func apply(to file: UnsafeMutablePointer<sqlite3_file>, at path: UnsafePointer<CChar>?) {
    guard let base = file.pointee.pMethods, base.pointee.iVersion >= 2, base.pointee.xShmLock != nil,
      let path
    else { return }
    let address = made.withLock { made in
      if let address = made[UInt(bitPattern: base)] { return address }
      let place = UnsafeMutablePointer<DatabaseFileMethods>.allocate(capacity: 1)
      place.initialize(to: DatabaseFileMethods(base))
      made[UInt(bitPattern: base)] = UInt(bitPattern: place)
      return UInt(bitPattern: place)
    }
    LockedDatabases.add(file, at: FilePath(platformString: path))
    file.pointee.pMethods = UnsafeRawPointer(bitPattern: address)?.assumingMemoryBound(
      to: sqlite3_io_methods.self)
  }
}

/// The databases that SQLite has open, with the files that it locks for each.
private enum LockedDatabases {
  private struct Opened {
    let path: FilePath
    var database, index: ProcessLocks.Node?
  }

  /// By the address of SQLite's file.
  private static let opened = Mutex<[UInt: Opened]>([:])

  static func add(_ file: UnsafeMutablePointer<sqlite3_file>, at path: FilePath) {
    let database = begin(path)
    opened.withLock { $0[UInt(bitPattern: file)] = Opened(path: path, database: database) }
  }

  /// Adds the index of the write-ahead log, which SQLite has just opened, or opened before.
  static func addIndex(of file: UnsafeMutablePointer<sqlite3_file>) {
    opened.withLock { opened in
      guard let now = opened[UInt(bitPattern: file)], now.index == nil else { return }
      opened[UInt(bitPattern: file)]?.index = begin(FilePath(now.path.string + "-shm"))
    }
  }

  static func remove(_ file: UnsafeMutablePointer<sqlite3_file>) {
    let closed = opened.withLock { $0.removeValue(forKey: UInt(bitPattern: file)) }
    if let node = closed?.database { ProcessLocks.end(node) }
    if let node = closed?.index { ProcessLocks.end(node) }
  }

  /// Returns nil if there is no file now: another program has removed it, and no part of this process finds it.
  private static func begin(_ path: FilePath) -> ProcessLocks.Node? {
    guard let node = try? ProcessLocks.node(at: path) else { return nil }
    ProcessLocks.begin(node)
    return node
  }
}
