import DurableIO
import FilePackages
import FoundationEssentials
import GRDB

/// Brings the bytes of the files that a merge needs and that the document lacks (MT3).
struct MergedFiles {
  let db: Database
  let objects: ContentObjects
  /// The other document, whose database is attached as `theirs_db`.
  let theirs: StoreReader

  /// Brings the bytes, within the transaction of the merge.
  ///
  /// A losing file has its bytes in the database, whatever its size is: a container brings no objects of a document to
  /// other machines.
  func bring(_ outcome: RowMergeOutcome) throws {
    let present = try Data.fetchSet(db, sql: "SELECT digest FROM grdb_content")
    for digest in outcome.digests {
      if try storedBytes(digest, in: "main") != nil { continue }
      let isLosing = !present.contains(digest)
      if try !isLosing && isHere(digest) { continue }
      if let bytes = try storedBytes(digest, in: "theirs_db") {
        try store(bytes, digest)
      } else if let file = try open(digest) {
        try add(file, digest, inDatabase: isLosing)
      } else if !isLosing {
        throw FilePackageError(
          .changedOnDisk, .read, StoredNode(location: theirs.location, path: theirs.database),
          reason: "it lacks the file with the SHA-256 \(digest.hexadecimal)")
      }
    }
  }

  private func storedBytes(_ digest: Data, in schema: String) throws -> Data? {
    try Data.fetchOne(
      db, sql: "SELECT bytes FROM \(schema).grdb_objects WHERE digest = ?", arguments: [digest])
  }

  private func isHere(_ digest: Data) throws -> Bool {
    if try Int.fetchOne(db, sql: "SELECT 1 FROM grdb_published WHERE digest = ?", arguments: [digest]) != nil
    {
      return true
    }
    return try objects.open(digest) != nil
  }

  /// Opens a file with these bytes, of this document or of the other one.
  private func open(_ digest: Data) throws -> OwnedDescriptor? {
    for (schema, objects) in [("main", objects), ("theirs_db", theirs.objects)] {
      if let file = try objects.open(digest) { return file }
      let paths = try String.fetchAll(
        db,
        sql: """
          SELECT path FROM \(schema).grdb_content WHERE digest = ?1
          UNION SELECT path FROM \(schema).grdb_published WHERE digest = ?1
          """, arguments: [digest])
      for path in paths {
        if let file = try objects.openVisible(ContentPath(stored: path).path),
          try objects.digest(of: file) == digest
        {
          return file
        }
      }
    }
    return nil
  }

  private func add(_ file: borrowing OwnedDescriptor, _ digest: Data, inDatabase: Bool) throws {
    let isSmall = try objects.status(of: file).size < UInt64(ContentObjects.largeSize)
    if inDatabase || isSmall { return try store(objects.readAll(file), digest) }
    let disk = objects.location.disk
    _ = try objects.add { target in try AdditionalContentEditor.copy(file, to: target, on: disk) }
  }

  private func store(_ bytes: Data, _ digest: Data) throws {
    try db.execute(
      sql: "INSERT OR IGNORE INTO grdb_objects(digest, bytes) VALUES (?, ?)", arguments: [digest, bytes])
  }
}
