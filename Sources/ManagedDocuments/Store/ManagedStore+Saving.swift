import FilePackages
import FoundationEssentials
import GRDB

extension ManagedStore {
  /// Commits all transactions so far (MS1), with a revision that no other save has (MS2).
  func commit() throws -> CommittedSave {
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      defer {
        // Without this the next edits wait for the disk, and are right all the same.
        try? db.execute(sql: "PRAGMA synchronous = NORMAL")
      }
      var committed: CommittedSave?
      try db.inTransaction(.immediate) {
        var head = try DocumentHead(of: db)
        head.savedState = head.state
        head.savedChange = head.last
        try head.write(to: db)
        try ChangeLog.removeUnneeded(upTo: head.savedChange, in: db)
        let next = try self.metadata(db).next(
          CountedFiles(db: db, location: self.location), databasePath: self.options.databasePath,
          by: self.options.program)
        try next.write(to: db)
        committed = try self.unpublished(head, next, in: db)
        return .commit
      }
      guard let committed else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      return committed
    }
  }

  /// Returns the files that the last save has and that are not published.
  func unpublished() throws -> CommittedSave {
    try pool.read { db in try self.unpublished(DocumentHead(of: db), self.metadata(db), in: db) }
  }

  private func metadata(_ db: Database) throws -> SavedMetadata {
    guard let metadata = try SavedMetadata.read(db) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return metadata
  }

  private func unpublished(
    _ head: DocumentHead, _ metadata: SavedMetadata, in db: Database
  ) throws -> CommittedSave {
    let files = try UnpublishedFile.all(upTo: head.savedChange, in: db)
    var sources: [Data: [ContentPath]] = [:]
    for file in files {
      guard let digest = file.digest, file.bytes == nil else { continue }
      sources[digest] = try PublishedFile.all(of: digest, in: db).map(\.path)
    }
    return CommittedSave(head: head, metadata: metadata, unpublished: files, sources: sources)
  }

  /// Returns whether the document has the bytes of a digest, now or for undoing.
  func knows(_ digest: Data) throws -> Bool {
    try pool.read { db in
      try ["grdb_content", "grdb_published", "grdb_objects", "grdb_references"].contains { table in
        try Int.fetchOne(db, sql: "SELECT 1 FROM \(table) WHERE digest = ?", arguments: [digest]) != nil
      }
    }
  }

  /// Notes the files that are published, and removes the bytes that nothing needs any more (MT3).
  func note(published: [PublishedFile], removed: [ContentPath], of save: CommittedSave) throws {
    try pool.write { db in
      for file in published { try file.write(to: db) }
      for path in removed {
        try db.cachedStatement(sql: "DELETE FROM grdb_published WHERE path = ?").execute(arguments: [
          path.string
        ])
      }
      for path in published.map(\.path) + removed {
        try db.cachedStatement(sql: "DELETE FROM grdb_unpublished WHERE path = ? AND change <= ?")
          .execute(arguments: [path.string, save.head.savedChange])
      }
      try self.removeUnneededBytes(in: db)
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
      head.settle()
      try head.write(to: db)
      try ChangeLog.removeUnneeded(upTo: head.savedChange, in: db)
      try self.removeUnneededBytes(in: db)
    }
  }

  /// Within a transaction, so that no edit adds bytes meanwhile.
  private func removeUnneededBytes(in db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM grdb_objects AS o WHERE EXISTS (SELECT 1 FROM grdb_published WHERE digest = o.digest)
          OR NOT EXISTS (SELECT 1 FROM grdb_content WHERE digest = o.digest)
            AND NOT EXISTS (SELECT 1 FROM grdb_references WHERE digest = o.digest)
        """)
    let needed = try db.cachedStatement(
      sql: """
        SELECT NOT EXISTS (SELECT 1 FROM grdb_published WHERE digest = ?1)
          AND (EXISTS (SELECT 1 FROM grdb_content WHERE digest = ?1)
            OR EXISTS (SELECT 1 FROM grdb_references WHERE digest = ?1))
        """)
    try objects.removeAll { name in
      guard let digest = ContentObjects.digest(name) else { return false }
      return try Bool.fetchOne(needed, arguments: [digest]) ?? true
    }
  }
}
