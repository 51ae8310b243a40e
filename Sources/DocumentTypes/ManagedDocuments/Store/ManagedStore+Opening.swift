import CSQLiteSession
import DurableIO
import Documents
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

extension ManagedStore {
  /// Opens the database of a package: makes the private tables, runs the migrations and checks the schema.
  ///
  /// - Parameters:
  ///   - metadata: the metadata of the package, for a database that has none.
  ///   - isAlone: whether no other program has the document open.
  /// - Throws: `DatabaseError`, `TablesProblem`.
  static func open(
    _ place: StoreLocation, _ access: StoreAccess, _ metadata: SavedMetadata, isAlone: Bool,
    _ options: ManagedDocumentOptions
  ) throws -> ManagedStore {
    let path = try place.database(access)
    if isAlone && access.refusal == nil { try place.endSeparation() }
    if try (isAlone || access.way == .unlocked) && place.hasLog() {
      let metadata = try PackageMetadata.read(from: place.location.path, on: place.location.disk)
      try LeftoverLog.check(path, metadata?.identifier, configuration(options, access))
    }
    if try access.refusal == nil && place.isShared() { try separate(place, path, isAlone: isAlone) }
    let pool = try DatabasePool(path: path, configuration: configuration(options, access))
    // Before any other statement: SQLite looks at the hook when it compiles one.
    let (recorder, observed) = try pool.writeWithoutTransaction { db in
      (ChangeRecorder(on: db), try ObservedTransactions(of: db))
    }
    do {
      if access.refusal == nil, try pool.read({ db in try options.migrator?.hasBeenSuperseded(db) == true }) {
        throw TablesProblem.newerSchema
      }
      let session =
        access.refusal == nil
        ? try prepare(pool, metadata, isAlone: isAlone, options)
        : try checkForReading(pool, access, options)
      let reverser = try DatabaseQueue(path: path, configuration: reversingConfiguration(options, access))
      return ManagedStore(
        place, access, pool, recorder, reverser, observed, session: session, options)
    } catch {
      pool.writeWithoutTransaction { recorder.release(on: $0) }
      throw error
    }
  }

  /// Makes the database the package's own, if a copy that was made with hard links shares it.
  ///
  /// - Throws: `busy` if a program has one of the two packages open: they have one lock.
  private static func separate(_ place: StoreLocation, _ path: String, isAlone: Bool) throws {
    if !isAlone {
      throw FilePackageError(
        .busy, .open, document: place.location.path.string,
        reason: "a copy with hard links shares its database, and a program has one of the two documents open")
    }
    try DatabaseQueue.using(path) { shared in
      try place.separate { own in try DatabaseQueue.using(own) { try shared.backup(to: $0) } }
    }
  }

  static func configuration(
    _ options: ManagedDocumentOptions, _ access: StoreAccess
  ) -> Configuration {
    var configuration = options.configuration
    configuration.readonly = access.way != .writing
    configuration.prepareDatabase { db in
      // Without shared memory, each connection has an index of the log of its own.
      if access.way == .unlocked { try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      // The library brings the log into the database's file when no edit waits for that.
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    return configuration
  }

  static func reversingConfiguration(
    _ options: ManagedDocumentOptions, _ access: StoreAccess
  ) -> Configuration {
    var configuration = configuration(options, access)
    // The effects of triggers and foreign keys are in the changesets.
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      csqlite_disable_triggers(db.sqliteConnection)
    }
    return configuration
  }

  /// Checks a document that cannot be written.
  ///
  /// - Returns: the number of the session, which makes no change.
  private static func checkForReading(
    _ pool: DatabasePool, _ access: StoreAccess, _ options: ManagedDocumentOptions
  ) throws -> Int64 {
    try pool.read { db in
      if try PrivateTables.arePresent(in: db), try options.migrator?.hasCompletedMigrations(db) != false {
        return 0
      }
      // A schema with other migrations than this program's, and without some of these.
      if case .newerSchema = access.refusal { throw TablesProblem.newerSchema }
      throw TablesProblem.cannotBePrepared
    }
  }

  /// Returns the number of the new session.
  private static func prepare(
    _ pool: DatabasePool, _ metadata: SavedMetadata, isAlone: Bool, _ options: ManagedDocumentOptions
  ) throws -> Int64 {
    try pool.write { db in
      try PrivateTables.make(on: db)
      if try SavedMetadata.read(db) == nil { try metadata.write(to: db) }
    }
    let migrations = try pool.read { db in try options.migrator?.appliedIdentifiers(db) }
    if try pool.read({ db in try options.migrator?.hasCompletedMigrations(db) == false }) {
      // Before the migrations: a program that is killed behind them leaves no changes of the old schema.
      try pool.write { db in
        let head = try DocumentHead(of: db)
        try ChangeLog.forgetAll(in: db)
        try head.write(to: db)
      }
    }
    try options.migrator?.migrate(pool)
    return try pool.write { db in
      if options.migrator != nil { try TablesProblem.check(db) }
      var head = try DocumentHead(of: db)
      let log = ChangeLog(session: head.next(), policy: options.undo ?? UndoPolicy())
      if try options.migrator?.appliedIdentifiers(db) != migrations {
        try ChangeLog.forgetAll(in: db)
        let isSaved = !head.hasUnsavedChanges
        head.state = head.next()
        // The next opening migrates again what a power cut takes back.
        if isSaved { head.savedState = head.state }
      }
      head.rebase()
      if isAlone {
        try log.adoptAll(keepsUndo: options.keepsUndoAfterClosing, savedChange: head.savedChange, in: db)
      }
      try head.write(to: db)
      if options.migrator != nil { try KeptPolicy.keep(options.mergePolicy, in: db) }
      return log.session
    }
  }

  /// Makes the database of a new document, empty, as the bytes of its file.
  static func newDatabase() throws -> Data {
    let queue = try DatabaseQueue()
    return try queue.writeWithoutTransaction { db in
      try db.inTransaction {
        try PrivateTables.make(on: db)
        return .commit
      }
      var size: Int64 = 0
      guard let bytes = sqlite3_serialize(db.sqliteConnection, "main", &size, 0) else {
        throw DatabaseError(resultCode: .SQLITE_NOMEM)
      }
      defer { sqlite3_free(bytes) }
      var data = Data(bytes: bytes, count: Int(size))
      // Bytes 18 and 19 of the header: 2 for a database with a write-ahead log.
      data[18] = 2
      data[19] = 2
      return data
    }
  }
}
