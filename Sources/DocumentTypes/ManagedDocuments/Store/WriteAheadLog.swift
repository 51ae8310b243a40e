import DurableIO
import FilePackages
import GRDB
import SystemPackage

// MC1 A checkpoint has SQLite's lock of writers from its beginning to its end, in each process. Before SQLite 3.51.3, a
//    commit beside a checkpoint may damage the database (sqlite.org/wal.html#walresetbug).
// MC2 An edit of this program waits in its queue meanwhile. An edit of another program waits for the lock.
// MC3 A reader of an older moment prevents the emptying. The first checkpoint after its end does it.

/// The write-ahead log of an open database.
struct WriteAheadLog {
  let store: ManagedStore

  /// The size in bytes from which a checkpoint follows a save.
  private static let largeSize: UInt64 = 4 << 20

  private var disk: any Disk { store.location.disk }
  private var name: FileName { FileName(store.options.persistentStoreName + "-wal") }

  private func folder() throws -> OwnedDescriptor {
    try store.location.openDirectory(PackagePath([PackageLayout.storeFolder]))
  }

  var isLarge: Bool {
    get throws { try (disk.statusIfPresent(of: name, in: folder())?.size ?? 0) >= Self.largeSize }
  }

  /// Makes the transactions so far durable.
  func flush() throws {
    let folder = try folder()
    guard try disk.exists(name, in: folder) else { return }
    try disk.synchronize(disk.openFile(name, in: folder))
  }

  /// Brings the log into the database's own file, as far as readers let it, and then empties the log.
  func checkpoint() throws {
    var configuration = ManagedStore.configuration(store.options, store.access)
    configuration.busyMode = .immediateError
    let connection = try DatabaseQueue(path: store.pool.path, configuration: configuration)
    // The checkpoint counts, not the end of its connection.
    defer { try? connection.close() }
    do {
      // An edit of this program waits in the queue (MC2), and does not meet SQLite's lock.
      try store.pool.writeWithoutTransaction { writer in
        try connection.inDatabase { db in
          // An emptied log looks like a transaction.
          let own = try store.observed.begin(on: db, writer)
          _ = try db.checkpoint(.truncate)
          try store.observed.end(own, on: db, writer)
        }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // A reader, another program's edit or its checkpoint is in the way (MC1, MC3).
    }
  }
}
