import FilePackages
import FoundationEssentials
import GRDB

/// A version in the table `grdb_versions`, without its changes.
struct KeptVersion: Sendable, Hashable {
  /// The number, which grows from version to version.
  var number: Int64
  /// The versions of a chain lead from one to the next, and the last one to the present state or to a snapshot.
  var chain: Int64
  var revision: UUID
  /// The state to which the version's changes lead.
  var nextState: Int64
  /// The date of its save, in seconds since 1970.
  var date: Double
  var isDiscardable: Bool
  var bytes: Int64
  var plist: Data

  private static let columns = "version, chain, revision, next_state, date, is_discardable, bytes, plist"

  private init(_ row: Row) throws {
    (number, chain, nextState) = (row[0], row[1], row[3])
    (date, isDiscardable, bytes, plist) = (row[4], row[5], row[6], row[7])
    guard let revision = UUID(uuidString: row[2]) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    self.revision = revision
  }

  // MARK: Reading

  /// Returns all versions, the oldest first. Cost: it reads none of their changes.
  static func all(in db: Database) throws -> [KeptVersion] {
    try Row.fetchAll(db, sql: "SELECT \(columns) FROM grdb_versions ORDER BY version").map(KeptVersion.init)
  }

  static func of(_ revision: UUID, in db: Database) throws -> KeptVersion? {
    try Row.fetchOne(
      db, sql: "SELECT \(columns) FROM grdb_versions WHERE revision = ?", arguments: [revision.uuidString]
    ).map(KeptVersion.init)
  }

  /// Returns the last version of a chain; nil if the chain has none.
  static func last(of chain: Int64, in db: Database) throws -> KeptVersion? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(columns) FROM grdb_versions ORDER BY version DESC LIMIT 1")
    guard let version = try Row.fetchOne(statement).map(KeptVersion.init), version.chain == chain else {
      return nil
    }
    return version
  }

  /// Reads the changes from a version to the next one.
  static func changeset(of number: Int64, in db: Database) throws -> Changeset {
    let bytes = try Data.fetchOne(
      db.cachedStatement(sql: "SELECT changeset FROM grdb_versions WHERE version = ?"), arguments: [number])
    guard let bytes else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return Changeset(bytes: bytes)
  }

  /// Returns the numbers of the chain's versions from one on, the oldest first.
  func numbersToEnd(in db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      db, sql: "SELECT version FROM grdb_versions WHERE chain = ? AND version >= ? ORDER BY version",
      arguments: [chain, number])
  }

  // MARK: Writing

  /// Adds the state of a save as the newest version.
  ///
  /// - Parameters:
  ///   - changeset: the changes from it to the next version.
  ///   - nextState: the state to which they lead.
  /// - Returns: the version's bytes.
  static func add(
    _ metadata: SavedMetadata, _ changeset: Changeset, to nextState: Int64, chain: Int64, in db: Database
  ) throws -> Int64 {
    let bytes = Int64(changeset.bytes.count + metadata.plist.count)
    try db.cachedStatement(
      sql: """
        INSERT INTO grdb_versions(chain, revision, next_state, date, is_discardable, bytes, plist, changeset)
        VALUES (?, ?, ?, ?, 1, ?, ?, ?)
        """
    ).execute(arguments: [
      chain, metadata.metadata.revision.uuidString, nextState,
      metadata.metadata.modificationDate.timeIntervalSince1970, bytes, metadata.plist, changeset.bytes,
    ])
    let number = db.lastInsertedRowID
    let files = try ReplacedFile.all(of: changeset)
    try refer(to: files, from: number, in: db)
    let fileBytes = try ReplacedFile.bytes(of: files, in: db)
    if fileBytes == 0 { return bytes }
    try db.execute(
      sql: "UPDATE grdb_versions SET bytes = ? WHERE version = ?", arguments: [bytes + fileBytes, number])
    return bytes + fileBytes
  }

  /// Gives a version the changes of the versions after it, which go.
  static func merge(_ number: Int64, with following: [KeptVersion], in db: Database) throws {
    guard let last = following.last else { return }
    let changesets = try ([number] + following.map(\.number)).map { try Self.changeset(of: $0, in: db) }
    let combined = try ChangeGroup.concatenate(changesets)
    for version in following { try remove(version.number, in: db) }
    try forgetReferences(of: number, in: db)
    let files = try ReplacedFile.all(of: combined)
    try refer(to: files, from: number, in: db)
    try db.execute(
      sql: """
        UPDATE grdb_versions SET changeset = ?1, next_state = ?2, bytes = length(?1) + length(plist) + ?3
        WHERE version = ?4
        """,
      arguments: [combined.bytes, last.nextState, try ReplacedFile.bytes(of: files, in: db), number])
  }

  static func remove(_ number: Int64, in db: Database) throws {
    try db.execute(sql: "DELETE FROM grdb_versions WHERE version = ?", arguments: [number])
    try forgetReferences(of: number, in: db)
  }

  // A version's references have its number, negative: the changes of edits have positive ones (MT3).

  private static func refer(to files: [ReplacedFile], from number: Int64, in db: Database) throws {
    try ChangeLog.refer(to: files.map(\.digest), from: -number, in: db)
  }

  private static func forgetReferences(of number: Int64, in db: Database) throws {
    try db.execute(sql: "DELETE FROM grdb_references WHERE change = ?", arguments: [-number])
  }
}

/// A file that changes replace, move or remove: going back to the version before them needs its bytes.
struct ReplacedFile: Sendable, Hashable {
  var digest: Data
  var size: Int64

  static func all(of changeset: Changeset) throws -> [ReplacedFile] {
    var files: [ReplacedFile] = []
    try changeset.forEachRow { row in
      guard row.table == PrivateTables.content, let digest = row.old[1].flatMap(Data.fromDatabaseValue) else {
        return
      }
      files.append(ReplacedFile(digest: digest, size: row.old[2].flatMap(Int64.fromDatabaseValue) ?? 0))
    }
    return files
  }

  /// Returns the bytes of the files that the document does not have any more.
  static func bytes(of files: [ReplacedFile], in db: Database) throws -> Int64 {
    var bytes: Int64 = 0
    for file in files {
      let isThere =
        try Int.fetchOne(
          db.cachedStatement(sql: "SELECT 1 FROM grdb_content WHERE digest = ?"), arguments: [file.digest])
        != nil
      if !isThere { bytes += file.size }
    }
    return bytes
  }
}
