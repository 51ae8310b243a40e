import DurableIO
import FilePackages
import GRDB
import SystemPackage

// MC1 A checkpoint flushes the write-ahead log, and then the database. No edit and no save waits for that.
// MC2 An edit waits only while the log is emptied. By then nearly all of it is in the database.
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
      // A passive checkpoint takes no lock that an edit needs (MC1).
      let (frames, checkpointed) = try connection.inDatabase { db in try db.checkpoint(.passive) }
      guard frames == checkpointed else { return }
      // An edit of this program waits in the queue (MC2), and does not meet SQLite's lock.
      try store.pool.writeWithoutTransaction { writer in
        try connection.inDatabase { db in try self.empty(on: db, writer) }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // A reader, another program's edit or its checkpoint is in the way (MC3).
    }
  }

  private func empty(on db: Database, _ writer: Database) throws {
    // An emptied log looks like a transaction.
    let own = try store.observed.begin(on: db, writer)
    _ = try db.checkpoint(.truncate)
    try store.observed.end(own, on: db, writer)
  }
}
