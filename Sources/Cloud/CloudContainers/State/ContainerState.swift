import DurableIO
import FilePackages
import FoundationEssentials
package import GRDB
import ManagedDocuments
import Synchronization
package import SystemPackage

// Losing the state costs a new look at the documents here, never data: a document that is not here, and that the
//     state does not know, is a placeholder and never a deletion.

/// The knowledge of this machine about a container: a small SQLite database in the container folder.
package final class ContainerState: Sendable {
  package let database: DatabaseQueue
  /// The path of the database.
  let path: FilePath
  /// Its file; nil for a copy.
  let node: DocumentNodeID?
  /// The damage that was found; nil if there is none.
  let damage = Mutex<Damage?>(nil)
  /// The reason why the state can be read and not written, as on a full disk; nil if it can be written.
  let obstacle: DatabaseError?

  /// Opens the database, or makes it. A damaged one is set aside. One that cannot be written is read.
  package init(at path: FilePath) throws {
    do {
      (database, obstacle) = (try Self.open(path), nil)
    } catch let error as DatabaseError where Self.isObstacle(error) {
      (database, obstacle) = (try Self.openForReading(path, instead: error), error)
    } catch  where Self.isDamage(error) {
      // SQLite also calls it damage if the disk fails to read.
      if let database = try? Self.open(path) {  // The disk reads it now.
        self.database = database
      } else {
        try Self.setAside(path)
        database = try Self.open(path)
      }
      obstacle = nil
    }
    (self.path, node) = (path, try Self.node(path))
  }

  private init(_ database: DatabaseQueue, of path: FilePath) {
    (self.database, self.path, obstacle, node) = (database, path, nil, nil)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do { return try await database.read(body) } catch  where Self.isDamage(error) {
      throw damaged(error)
    }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do { return try await database.write(body) } catch  where Self.isDamage(error) {
      throw damaged(error)
    }
  }

  /// Returns whether an error says that the disk takes no writes: it is full, or mounted for reading.
  static func isObstacle(_ error: DatabaseError) -> Bool {
    [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_FULL].contains(error.resultCode)
  }

  /// Opens a database that cannot be written. SQLite then has no room for the index of its log: without a log, the file
  /// counts as one that nobody changes.
  private static func openForReading(_ path: FilePath, instead error: DatabaseError) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    let address = "file:" + path.string.utf8.percentEncoded(keeping: "/")
    let disk = PosixDisk()
    let log = FileName((path.lastComponent?.string ?? "") + "-wal")
    let status = try disk.statusIfPresent(of: log, in: disk.openDirectory(at: path.removingLastComponent()))
    let hasLog = status.map { $0.identity.size > 0 } ?? false
    guard
      let queue = try? DatabaseQueue(  // The first error has the reason.
        path: address + (hasLog ? "?mode=ro" : "?immutable=1"), configuration: configuration),
      try queue.read(migrator.hasCompletedMigrations)
    else { throw error }
    return queue
  }

  /// Returns a copy, in a file without a name that goes with it.
  func copy() throws -> ContainerState {
    let copy = try DatabaseQueue(path: "")
    do { try database.backup(to: copy) } catch  where Self.isDamage(error) { throw damaged(error) }
    return ContainerState(copy, of: path)
  }

  static func open(_ path: FilePath) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.journalMode = .wal
    // An eviction is durable before it removes anything, so each transaction is.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    // Its files let no checkpoint run beside a commit of another process (MC1 of `WriteAheadLog`).
    let queue = try DatabaseQueue(
      path: FolderVFS.usual.database(at: path.string), configuration: configuration)
    try migrator.migrate(queue)
    return queue
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // A state of another form counts as lost.
    migrator.registerMigration("13") { db in
      for table in tables + ["child", "unannounced", "unread", "earlier"] {
        try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
      }
      // Table `version`: all versions that the container keeps, with the entries of the log that have them.
      // Tables `pending…`: the entry that may have been made, and the content that is here with its versions.
      // Table `blob`: pages of trees that are here.
      // Names that differ in the encoding of an accent are one name, as in Swift.
      // Table `lost`: versions that the store lost, whose content is not here, and the heads that it has instead.
      try db.execute(
        sql: """
          CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
          CREATE TABLE document (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, head BLOB, liveName TEXT COLLATE swiftCompare, base BLOB, baseName TEXT,
            isWanted INTEGER NOT NULL, shownConflicts TEXT NOT NULL,
            inode INTEGER, bornSeconds INTEGER, bornNanoseconds INTEGER, downloadingError TEXT,
            uploadingError TEXT, contentSum TEXT);
          CREATE INDEX liveNames ON document (liveName);
          CREATE INDEX names ON document (name);
          CREATE TABLE version (document TEXT NOT NULL, number INTEGER NOT NULL, entry INTEGER NOT NULL,
            bytes BLOB NOT NULL, UNIQUE (document, number));
          CREATE TABLE entry (number INTEGER PRIMARY KEY, hash TEXT NOT NULL, bytes BLOB NOT NULL);
          CREATE TABLE device (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, date INTEGER NOT NULL, entry INTEGER NOT NULL);
          CREATE TABLE pending (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
          CREATE TABLE pendingBase (document TEXT PRIMARY KEY, root BLOB NOT NULL, name TEXT NOT NULL);
          CREATE TABLE pendingPage (document TEXT NOT NULL, first BLOB NOT NULL, bytes BLOB NOT NULL);
          CREATE TABLE page (document TEXT NOT NULL, first BLOB NOT NULL, bytes BLOB NOT NULL,
            UNIQUE (document, first));
          CREATE TABLE blob (name BLOB PRIMARY KEY, bytes BLOB NOT NULL);
          CREATE TABLE lost (document TEXT PRIMARY KEY, bytes BLOB NOT NULL, head BLOB);
          """)
    }
    return migrator
  }

  private static let tables = [
    "setting", "document", "version", "entry", "device", "pending", "pendingBase", "pendingPage", "page",
    "blob",
    "lost",
  ]

  // MARK: Settings

  /// A value that the container keeps.
  package enum Setting: String, Sendable {
    /// The last entry of the log that this machine knows: its number, its hash and the store's date.
    case position
    /// The last snapshot that this machine knows: the number of its entry and its size.
    case snapshot
    /// The collection of garbage that has not ended: its device, its entry, and the time when this machine learned of it.
    case collection
    /// The number of the last entry that began or ended a collection of garbage.
    case lastCollection
    /// Whether this device was removed.
    case removed
    /// The address to which the container moved.
    case moved
    /// The container folder: see `ContainerFolder.identity()`.
    case folder
    /// The place of the store that was last probed: see `ContainerFolder.Settings.storePlace`.
    case probed
  }

  package func text(_ setting: Setting) async throws -> String? {
    try await read { try Self.text(setting, $0) }
  }

  static func text(_ setting: Setting, _ db: Database) throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [setting.rawValue])
  }

  package func set(_ setting: Setting, to text: String) async throws {
    try await write { try Self.set(setting, to: text, $0) }
  }

  func forget(_ setting: Setting) async throws {
    try await write {
      try $0.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [setting.rawValue])
    }
  }

  static func set(_ setting: Setting, to text: String, _ db: Database) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [setting.rawValue, text])
  }

  /// A number that differs after another process changed the state.
  package func foreignChanges() async throws -> Int {
    try await read { try Int.fetchOne($0.cachedStatement(sql: "PRAGMA data_version")) ?? 0 }
  }

  // MARK: Documents

  package func records() async throws -> [DocumentRecord] {
    try await read { try DocumentRecord.order(Column("id")).fetchAll($0) }
  }

  /// Returns the records of these names, in the order of all records.
  func records(named names: some Collection<String> & Sendable) async throws -> [DocumentRecord] {
    try await read { db in
      try names.flatMap { name in
        try DocumentRecord.filter(Column("name") == name).order(Column("id")).fetchAll(db)
      }
    }
  }

  /// Returns the records of a name, and of all names in the folder of that name.
  func records(within name: String) async throws -> [DocumentRecord] {
    try await read { db in
      // The digit 0 is the byte after the slash.
      try DocumentRecord.filter(
        Column("name") == name || Column("name") > name + "/" && Column("name") < name + "0"
      ).order(Column("id")).fetchAll(db)
    }
  }

  package func record(_ id: CloudDocumentID) async throws -> DocumentRecord? {
    try await read { try DocumentRecord.fetchOne($0, key: id.string) }
  }

  /// Stores a record, with the entries of its base if they change with it, in one transaction.
  ///
  /// Only pages that differ are written.
  ///
  /// - Parameters:
  ///   - setsWanted: whether to store also `isWanted`, which other processes set at any time.
  package func save(
    _ record: DocumentRecord, children: KnownChildren? = nil, setsWanted: Bool = false
  ) async throws {
    try await write { db in
      try Self.save(record, setsWanted: setsWanted, db)
      if let children { try Self.replaceChildren(of: record.id, with: children, db) }
    }
  }

  private static func replaceChildren(
    of id: String, with children: KnownChildren, _ db: Database
  ) throws {
    var old: [Data: KnownPage] = [:]
    for page in try self.children(of: id, db).pages { old[page.key] = page }
    // None may be known because one is damaged.
    if old.isEmpty { try db.execute(sql: "DELETE FROM page WHERE document = ?", arguments: [id]) }
    let insertion = try db.cachedStatement(sql: "INSERT OR REPLACE INTO page VALUES (?, ?, ?)")
    for page in children.pages where old.removeValue(forKey: page.key) != page {
      try insertion.execute(arguments: [id, page.key, Data(page.stored)])
    }
    let removal = try db.cachedStatement(sql: "DELETE FROM page WHERE document = ? AND first = ?")
    for key in old.keys { try removal.execute(arguments: [id, key]) }
  }

  /// Notes whether a program wants the content of documents that are not here, and nothing else.
  package func setWanted(_ isWanted: Bool, _ ids: [String]) async throws {
    try await write { db in
      let update = try db.cachedStatement(sql: "UPDATE document SET isWanted = ? WHERE id = ?")
      for id in ids { try update.execute(arguments: [isWanted, id]) }
    }
  }

  package func save(_ records: [DocumentRecord], setsWanted: Bool = false) async throws {
    try await write { db in
      for record in records { try Self.save(record, setsWanted: setsWanted, db) }
    }
  }

  /// Stores all of a record but its head, which the log decides, and a question of other processes.
  static func save(_ record: DocumentRecord, setsWanted: Bool, _ db: Database) throws {
    let columns = try db.columns(in: DocumentRecord.databaseTableName).map(\.name)
    do {
      try record.update(
        db,
        columns: columns.filter { !["head", "liveName"].contains($0) && (setsWanted || $0 != "isWanted") })
    } catch RecordError.recordNotFound {
      try record.insert(db)
    }
  }

  package func remove(_ record: DocumentRecord) async throws {
    try await write { db in
      try db.execute(sql: "DELETE FROM page WHERE document = ?", arguments: [record.id])
      try record.delete(db)
    }
  }

  /// Returns the entries of a document's base.
  package func children(of id: String) async throws -> KnownChildren {
    try await read { try Self.children(of: id, $0) }
  }

  /// Returns the entries of the first of these documents: one at least, and more until they have `size` bytes.
  func children(of ids: some Collection<String> & Sendable, upTo size: Int) async throws -> [KnownChildren] {
    try await read { db in
      var (all, total) = ([KnownChildren](), 0)
      for id in ids {
        all.append(try Self.children(of: id, db))
        total += all.last?.size ?? 0
        if total >= size { break }
      }
      return all
    }
  }

  /// Reads the entries of a document; none if one of its pages is damaged. All files are then read again.
  private static func children(of id: String, _ db: Database) throws -> KnownChildren {
    let statement = try db.cachedStatement(sql: "SELECT bytes FROM page WHERE document = ? ORDER BY first")
    var pages: [KnownPage] = []
    let rows = try Row.fetchCursor(statement, arguments: [id])
    while let row = try rows.next() {
      let page = try row.withUnsafeData(atIndex: 0) { $0.flatMap { KnownPage(checking: [UInt8]($0)) } }
      guard let page else { return KnownChildren() }
      pages.append(page)
    }
    return KnownChildren(pages: pages)
  }
}
