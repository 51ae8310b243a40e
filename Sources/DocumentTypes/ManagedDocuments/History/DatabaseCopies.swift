import CSQLiteSession
import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// The copies of a document's database in `.docpkg/databases`: the snapshots at the ends of chains, and copies of
/// versions while they are read.
struct DatabaseCopies: Sendable {
  private static let folder: FileName = "databases"
  /// The beginning of the names of copies that are needed only while their program runs.
  private static let temporaryPrefix = "reading-"

  let location: Location
  private var disk: any Disk { location.disk }
  private var hiddenPath: PackagePath { PackagePath([PackageLayout.hidden]) }
  private var folderPath: PackagePath { PackagePath([PackageLayout.hidden, Self.folder]) }

  func path(of name: String) -> String {
    location.path.appending(PackageLayout.hidden.string).appending(Self.folder.string).appending(name).string
  }

  private func openFolder() throws -> OwnedDescriptor {
    let hidden = try location.openDirectory(hiddenPath)
    if try disk.makeDirectoryIfAbsent(Self.folder, in: hidden) { try disk.synchronize(hidden) }
    return try disk.openDirectory(Self.folder, in: hidden)
  }

  // MARK: Snapshots

  /// Makes a snapshot of the database at `path`, durable (MV3).
  ///
  /// Another connection may hold SQLite's lock meanwhile: the snapshot has the last committed transaction.
  ///
  /// - Returns: its name and its size in bytes.
  func makeSnapshot(of path: String) throws -> (name: String, bytes: Int64) {
    let name = UUID().uuidString.lowercased()
    let folder = try openFolder()
    do {
      try Self.copy(path, to: self.path(of: name))
      try Self.prune(self.path(of: name))
      let file = try disk.openFile(FileName(name), in: folder)
      try disk.synchronize(file)
      try disk.synchronize(folder)
      return (name, Int64(clamping: try disk.status(of: file).size))
    } catch {
      // The error counts, not the remains: the next cleaning removes them.
      disk.removeEverything(FileName(name), from: folder)
      throw error
    }
  }

  /// Returns whether a snapshot is there.
  func hasSnapshot(_ name: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      return try disk.exists(FileName(name), in: location.openDirectory(folderPath))
    } catch  where error.isAbsence {
      return false
    }
  }

  private static func copy(_ source: String, to target: String) throws {
    var readOnly = Configuration()
    readOnly.readonly = true
    readOnly.busyMode = .waiting
    let (from, to) = (
      try DatabaseQueue(path: source, configuration: readOnly), try DatabaseQueue(path: target)
    )
    try from.backup(to: to)
    // The copy is one file.
    try to.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
    try to.close()
    try from.close()
  }

  /// Removes what a snapshot does not need: the history, the changes and the bytes of files are in the document.
  private static func prune(_ path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          DELETE FROM grdb_versions; DELETE FROM grdb_snapshots; DELETE FROM grdb_history; DELETE FROM grdb_changes;
          DELETE FROM grdb_references; DELETE FROM grdb_objects; DELETE FROM grdb_published;
          """)
      try compact(db)
    }
    try queue.close()
  }

  /// Makes a database as small as it can be, unless that would number its rows anew.
  static func compact(_ db: Database) throws {
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM pragma_table_list AS list WHERE schema = 'main' AND type = 'table' AND wr = 0
          AND name NOT LIKE 'grdb\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND NOT EXISTS (SELECT 1 FROM pragma_table_info(list.name) WHERE pk > 0 AND upper(type) = 'INTEGER')
        """)
    if tables.isEmpty { try db.execute(sql: "VACUUM") }
  }

  /// Removes the snapshots that no version needs.
  func removeSnapshots(except needed: Set<String>) throws {
    try removeAll { !$0.hasPrefix(Self.temporaryPrefix) && !needed.contains($0) }
  }

  /// Removes the copies that a killed program left. No other program may have the document open.
  func removeTemporary() throws { try removeAll { $0.hasPrefix(Self.temporaryPrefix) } }

  private func removeAll(where isUnneeded: (String) -> Bool) throws {
    let hidden = try location.openDirectory(hiddenPath)
    guard try disk.exists(Self.folder, in: hidden) else { return }
    let folder = try disk.openDirectory(Self.folder, in: hidden)
    let listing = try disk.list(folder)
    var left = listing.count
    for position in 0..<listing.count where isUnneeded(listing.name(at: position).string) {
      if disk.removeEverything(listing.name(at: position), from: folder) { left -= 1 }
    }
    if left == 0 { try disk.removeDirectory(Self.folder, in: hidden) }
  }

  // MARK: Reading versions

  /// A copy of the database that ends with this value.
  final class Temporary: Sendable {
    let queue: DatabaseQueue
    let path: String
    private let copies: DatabaseCopies
    private let name: String

    fileprivate init(_ copies: DatabaseCopies, _ configuration: Configuration) throws {
      (self.copies, name) = (copies, temporaryPrefix + UUID().uuidString.lowercased())
      path = copies.path(of: name)
      _ = try copies.openFolder()
      queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Copies a file beside the database, and returns the copy's path. The copy shares blocks if the disk can.
    func add(_ source: borrowing OwnedDescriptor) throws -> String {
      let disk = copies.disk
      let copyName = "\(name)-\(UUID().uuidString.lowercased())"
      let target = try disk.createFile(FileName(copyName), in: copies.openFolder(), mode: 0o666)
      do throws(SystemError) {
        try disk.clone(source, to: target)
      } catch {
        // The file system cannot share blocks.
        _ = try AdditionalContentEditor.copy(source, to: target, on: disk)
      }
      return copies.path(of: copyName)
    }

    deinit {
      // A connection that is still in use closes with its last statement.
      try? queue.close()
      // The next opening of the document removes a copy that stays.
      try? copies.removeAll { $0.hasPrefix(name) }
    }
  }

  /// Makes a temporary copy of an open database, in its present transaction.
  func temporary(of db: Database, _ configuration: Configuration) throws -> Temporary {
    let copy = try Temporary(self, configuration)
    try copy.queue.writeWithoutTransaction { target in
      try db.backup(to: target)
      try Self.disableSyncs(target)
    }
    return copy
  }

  /// Makes a temporary copy of a snapshot.
  func temporary(ofSnapshot name: String, _ configuration: Configuration) throws -> Temporary {
    let copy = try Temporary(self, configuration)
    var readOnly = Configuration()
    readOnly.readonly = true
    let snapshot = try DatabaseQueue(path: path(of: name), configuration: readOnly)
    try snapshot.read { db in
      try copy.queue.writeWithoutTransaction { target in
        try db.backup(to: target)
        try Self.disableSyncs(target)
      }
    }
    return copy
  }

  /// Nothing waits for the disk: a power cut takes the copy.
  private static func disableSyncs(_ db: Database) throws {
    try db.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
  }
}
