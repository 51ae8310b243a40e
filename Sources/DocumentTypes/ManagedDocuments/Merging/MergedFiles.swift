import DurableIO
import FilePackages
import FoundationEssentials
import GRDB

/// Brings the bytes of the files that a merge needs and that the document lacks (MT3).
struct MergedFiles {
  private let db: Database
  private let ours: AdditionalContent
  private let theirs: AdditionalContent
  /// The other document's database.
  private let theirStore: StoredNode

  /// - Parameter theirs: the other document, whose database is attached as `theirs_db`.
  init(db: Database, objects: ContentObjects, theirs: StoreReader) {
    (self.db, ours) = (db, AdditionalContent(db: db, objects: objects))
    self.theirs = AdditionalContent(db: db, objects: theirs.objects, schema: "theirs_db")
    theirStore = StoredNode(location: theirs.location, path: theirs.database)
  }

  /// Brings the bytes, within the transaction of the merge.
  ///
  /// A losing file has its bytes in the database, whatever its size is: a container brings no objects of a document to
  /// other machines.
  func bring(_ outcome: RowMergeOutcome) throws {
    let present = try Data.fetchSet(db, sql: "SELECT digest FROM grdb_content")
    let losing = try ConflictTable.losingDigests(in: db)
    for digest in outcome.digests {
      if try ours.storedBytes(digest) != nil { continue }
      let isLosing = losing.contains(digest) || !present.contains(digest)
      if try !isLosing && ours.storedFile(digest, at: []) != nil { continue }
      if let bytes = try theirs.storedBytes(digest) {
        try store(bytes, digest)
      } else if let file = try open(digest) {
        try add(file, digest, inDatabase: isLosing)
      } else if !isLosing {
        throw FilePackageError(
          .changedOnDisk, .read, theirStore,
          reason: "it lacks the file with the SHA-256 \(digest.hexadecimal)")
      }
    }
  }

  /// Opens a file with these bytes, of this document or of the other one.
  private func open(_ digest: Data) throws -> OwnedDescriptor? {
    for content in [ours, theirs] {
      let paths = try String.fetchAll(
        db, sql: "SELECT path FROM \(content.schema).grdb_content WHERE digest = ?", arguments: [digest])
      // A copy is made of the bytes, so they count, and not the date.
      if let stored = try content.storedFile(digest, at: paths.map(ContentPath.init(stored:))),
        try content.objects.digest(of: stored.file) == digest
      {
        return stored.file
      }
    }
    return nil
  }

  private func add(_ file: borrowing OwnedDescriptor, _ digest: Data, inDatabase: Bool) throws {
    let isSmall = try ours.objects.status(of: file).size < UInt64(ContentObjects.largeSize)
    if inDatabase || isSmall { return try store(ours.objects.readAll(file), digest) }
    let disk = ours.objects.location.disk
    _ = try ours.objects.add { target in try AdditionalContentEditor.copy(file, to: target, on: disk) }
  }

  private func store(_ bytes: Data, _ digest: Data) throws {
    try db.execute(
      sql: "INSERT OR IGNORE INTO grdb_objects(digest, bytes) VALUES (?, ?)", arguments: [digest, bytes])
  }
}
