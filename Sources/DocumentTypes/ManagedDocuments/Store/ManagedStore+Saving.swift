import Documents
import CSQLiteSession
import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import Synchronization
import SystemPackage

extension ManagedStore {
  /// Commits all transactions so far (MS1), with a revision that no other save has (MS2).
  ///
  /// It takes SQLite's lock only.
  ///
  /// - Throws: `noSuchFile` if the document is not in its place any more; the reason of the database.
  func commit() async throws -> (report: SaveReport, head: DocumentHead) {
    if let refusal { throw refusal }
    return try await pool.writeWithoutTransaction { db in
      try self.place.follow()
      try self.checkPlace(db)
      var outcome: (report: SaveReport, base: EditBase, version: UInt32)?
      try db.inDurableTransaction {
        var base = try self.base(db)
        guard base.head.hasUnsavedChanges else {
          outcome = (SaveReport(strategy: .none), base, try EditBase.dataVersion(db))
          return .rollback
        }
        let files = try PendingFile.touched(in: db)
        let next = try base.metadata.next(
          CountedFiles(db: db, location: self.location), hasChangedFiles: !files.isEmpty,
          databasePath: self.options.databasePath, by: self.options.program)
        try base.save(next, to: db)
        if !files.isEmpty { try PendingFile.commit(base.head.savedChange, in: db) }
        let version = try EditBase.dataVersion(db) &+ 1
        outcome = (SaveReport(committing: files, next.metadata.generation), base, version)
        return .commit
      }
      guard let outcome else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      try self.remember(outcome.base, at: outcome.version, db)
      return (outcome.report, outcome.base.head)
    }
  }

  /// Checks that the database's file still has its name.
  private func checkPlace(_ db: Database) throws {
    var hasMoved: CInt = 0
    let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    if hasMoved != 0 {
      throw FilePackageError(.noSuchFile, .save, StoredNode(location: location, path: .root))
    }
  }

  /// Returns the last save, with its files that are not published.
  func lastSave() throws -> CommittedTransaction {
    try pool.read { db in
      let files = try PendingFile.all(in: db)
      var sources: [Data: [ContentPath]] = [:]
      for file in files {
        guard let digest = file.digest, file.bytes == nil else { continue }
        sources[digest] = try PublishedFile.all(of: digest, in: db).map(\.path)
      }
      let known = self.known.withLock { $0?.base.metadata }
      guard let saved = try SavedMetadata.read(db, known: known) else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
      }
      return try CommittedTransaction(
        head: DocumentHead(of: db), metadata: saved, files: files, sources: sources)
    }
  }

  /// Returns whether the document has the bytes of a digest, now or for undoing.
  func knows(_ digest: Data) throws(SystemError) -> Bool {
    let isInTables: Bool
    do {
      isInTables = try pool.read { db in
        try PrivateTables.withDigests.contains { try PrivateTables.has(digest, in: $0, db) }
      }
    } catch {
      throw SystemError("sqlite3_step", FileName(options.persistentStoreName), code: .ioError)
    }
    if isInTables { return true }
    return try objects.open(digest) != nil
  }

  /// Notes the files that are published, and removes the bytes that nothing needs any more (MT3).
  ///
  /// - Parameter retained: the digests of the replaced and removed files. A reader of an older moment may need their
  ///   bytes: they stay until the next publishing.
  func note(
    published: [PublishedFile], removed: [ContentPath], retained: Set<Data>, of save: CommittedTransaction
  ) throws {
    try pool.write { db in
      try ChangeLog.removeUnneeded(upTo: save.head.savedChange, in: db)
      if published.isEmpty && removed.isEmpty { return }
      for file in published { try file.write(to: db) }
      for path in removed {
        try db.cachedStatement(sql: "DELETE FROM grdb_published WHERE path = ?")
          .execute(arguments: [path.string])
      }
      let done = Set(published.map(\.path) + removed)
      for file in save.files where done.contains(file.path) { try file.removeRows(in: db) }
      try self.removeUnneededBytes(except: retained, in: db)
    }
  }

  /// Ends the session: forgets what could be undone, unless the next one goes on with it.
  func endSession() throws {
    try pool.write { db in
      if !self.options.keepsUndoAfterClosing {
        try self.log.retireAll(.undo, in: db)
        try self.log.retireAll(.redo, in: db)
      }
      var head = try DocumentHead(of: db)
      head.rebase()
      try head.write(to: db)
      try ChangeLog.removeUnneeded(upTo: head.savedChange, in: db)
      try self.removeUnneededBytes(except: [], in: db)
    }
  }

  /// Returns the condition that the document needs the bytes of a digest besides the published files.
  private static func needs(_ digest: String) -> String {
    // A published file may be another program's by now. So bytes that wait for publishing stay until that is done.
    """
    EXISTS (SELECT 1 FROM grdb_unpublished WHERE digest = \(digest))
      OR EXISTS (
        SELECT 1 FROM grdb_touched JOIN grdb_content AS c USING (path) LEFT JOIN grdb_published AS p USING (path)
        WHERE c.digest = \(digest) AND p.digest IS NOT c.digest)
      OR NOT EXISTS (SELECT 1 FROM grdb_published WHERE digest = \(digest))
        AND (EXISTS (SELECT 1 FROM grdb_content WHERE digest = \(digest))
          OR EXISTS (SELECT 1 FROM grdb_references WHERE digest = \(digest)))
    """
  }

  /// Within a transaction, so that no edit adds bytes meanwhile.
  private func removeUnneededBytes(except retained: Set<Data>, in db: Database) throws {
    // A container brings the bytes of a conflict to other machines only if they are in the database.
    try db.execute(
      sql: """
        DELETE FROM grdb_objects AS o WHERE NOT (\(Self.needs("o.digest")))
          AND NOT EXISTS (SELECT 1 FROM grdb_references WHERE digest = o.digest AND change = \(ConflictTable.change))
        """)
    let needed = try db.cachedStatement(sql: "SELECT \(Self.needs("?1"))")
    try objects.removeAll { name in
      guard let digest = ContentObjects.digest(name) else { return false }
      return try retained.contains(digest) || Bool.fetchOne(needed, arguments: [digest]) ?? true
    }
  }
}

extension Database {
  /// Runs a transaction whose end flushes the write-ahead log.
  func inDurableTransaction(_ body: () throws -> TransactionCompletion) throws {
    try set("PRAGMA synchronous = FULL")
    // Without this the next edits wait for the disk, and are right all the same.
    defer { try? set("PRAGMA synchronous = NORMAL") }
    try inTransaction(.immediate, body)
  }

  /// Runs a statement that changes this connection only, so that GRDB need not look at it.
  private func set(_ sql: String) throws {
    let code = sqlite3_exec(sqliteConnection, sql, nil, nil, nil)
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}

extension SaveReport {
  /// Makes the report of a save that is committed and not published.
  fileprivate init(committing files: [(path: ContentPath, isRemoved: Bool)], _ generation: Int) {
    self.init(strategy: .database)
    self.generation = generation
    written = files.filter { !$0.isRemoved }.map { ContentObjects.visiblePath($0.path) }
    written.append(PackageLayout.metadata.string)
    removed = files.filter(\.isRemoved).map { ContentObjects.visiblePath($0.path) }
    isPublished = false
    // The flush of the write-ahead log.
    synchronizations = 1
  }
}
