import CSQLiteSession
import Synchronization

/// The methods of a file of SQLite. They repeat an unlock that fails.
///
/// SQLite takes no notice of an unlock that fails. The lock then stays with this process, and each later writer would
/// wait for it without an end.
struct RetriedUnlocks {
  /// These come first, so that SQLite finds them where it looks for its own.
  private var methods: sqlite3_io_methods
  private let base: UnsafePointer<sqlite3_io_methods>

  private static let attempts = 100
  /// One for each kind of file, as SQLite has them. SQLite refers to them until the process ends.
  private static let made = Mutex<[UInt: UInt]>([:])

  private init(_ base: UnsafePointer<sqlite3_io_methods>) {
    (methods, self.base) = (base.pointee, base)
    methods.xShmLock = { file, offset, count, flags in
      guard let file, let base = RetriedUnlocks.base(of: file).pointee.xShmLock else { return SQLITE_IOERR }
      var code = base(file, offset, count, flags)
      if flags & SQLITE_SHM_UNLOCK == 0 { return code }
      for _ in 0..<RetriedUnlocks.attempts where code != SQLITE_OK { code = base(file, offset, count, flags) }
      return code
    }
  }

  private static func base(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafePointer<sqlite3_io_methods> {
    UnsafeRawPointer(file.pointee.pMethods).assumingMemoryBound(to: RetriedUnlocks.self).pointee.base
  }

  /// Gives the methods to a file that SQLite has just opened.
  static func apply(to file: UnsafeMutablePointer<sqlite3_file>) {
    guard let base = file.pointee.pMethods, base.pointee.iVersion >= 2, base.pointee.xShmLock != nil else {
      return
    }
    let address = made.withLock { made in
      if let address = made[UInt(bitPattern: base)] { return address }
      let place = UnsafeMutablePointer<RetriedUnlocks>.allocate(capacity: 1)
      place.initialize(to: RetriedUnlocks(base))
      made[UInt(bitPattern: base)] = UInt(bitPattern: place)
      return UInt(bitPattern: place)
    }
    file.pointee.pMethods = UnsafeRawPointer(bitPattern: address)?.assumingMemoryBound(
      to: sqlite3_io_methods.self)
  }
}
