import DurableIO
import FilePackages
public import FoundationEssentials
import GRDB
import SystemPackage

/// The files beside a document's database, at the moment of one transaction.
///
/// A path such as `Pictures/roesti.jpeg` names a file below `AdditionalContent` in the package. Database and files are
/// those of one moment, even if other transactions change them meanwhile. Use it only within the closure that receives
/// it.
public struct AdditionalContent {
  let db: Database
  let objects: ContentObjects
  /// The schema of the document's tables.
  var schema = "main"

  /// The paths of all files, in byte order.
  ///
  /// - Throws: `DatabaseError`.
  public func paths() throws -> [String] {
    try String.fetchAll(db.cachedStatement(sql: "SELECT path FROM grdb_content ORDER BY path"))
  }

  /// Returns whether there is a file at `path`.
  ///
  /// - Throws: `DatabaseError`.
  public func fileExists(_ path: String) throws -> Bool { try row(path) != nil }

  /// Returns the size of a file in bytes; nil if there is no file at `path`.
  ///
  /// - Throws: `DatabaseError`.
  public func size(of path: String) throws -> Int? { try row(path)?.size }

  /// Returns the bytes of a file.
  ///
  /// - Throws: `FilePackageError`, which the document's `read` and `edit` throw as `DocumentError` `file`: `noSuchFile`
  ///   if there is no file at `path`; `changedOnDisk` if another program changed it; other codes if the disk cannot
  ///   read it.
  public func read(_ path: String) throws -> Data {
    guard let row = try row(path) else { throw objects.problem(.noSuchFile, .read, path) }
    if let bytes = try storedBytes(row.digest) { return bytes }
    guard let stored = try storedFile(row.digest, at: [ContentPath(stored: path)]) else {
      let isMissing = try objects.openVisible(ContentPath(stored: path).path) == nil
      throw objects.problem(
        .changedOnDisk, .read, path, reason: isMissing ? "another program removed it" : nil)
    }
    return try objects.readAll(stored.file)
  }

  // MARK: Rows

  func row(_ path: String) throws -> (digest: Data, size: Int)? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT digest, size FROM grdb_content WHERE path = ?"), arguments: [path]
    ).map { ($0[0], $0[1]) }
  }

  /// Returns the bytes of a small file that is not published yet, or not any more.
  func storedBytes(_ digest: Data) throws -> Data? {
    try Data.fetchOne(
      db.cachedStatement(sql: "SELECT bytes FROM \(schema).grdb_objects WHERE digest = ?"),
      arguments: [digest])
  }

  /// A file of the package with the bytes of a digest.
  struct StoredFile: ~Copyable {
    let place: PackagePath
    let file: OwnedDescriptor
  }

  /// Opens a file with these bytes: a published one, or one by its digest; nil if there is none.
  ///
  /// A published file counts by its inode, size and date. A file of a copied package has another inode, so its bytes
  /// count.
  ///
  /// - Parameter paths: where the file may be besides; such a published file comes first.
  func storedFile(_ digest: Data, at paths: [ContentPath]) throws -> StoredFile? {
    let published = try PublishedFile.all(of: digest, in: db, schema)
    for file in published.filter({ paths.contains($0.path) }) + published.filter({ !paths.contains($0.path) })
    {
      if let opened = try objects.openVisible(file.path.path), try file.isSame(as: objects.status(of: opened))
      {
        return StoredFile(place: file.path.visible, file: opened)
      }
    }
    if let opened = try objects.open(digest) {
      return StoredFile(place: ContentObjects.folderPath.appending(ContentObjects.name(digest)), file: opened)
    }
    for path in paths + published.map(\.path) {
      if let opened = try objects.openVisible(path.path), try objects.digest(of: opened) == digest {
        return StoredFile(place: path.visible, file: opened)
      }
    }
    return nil
  }
}

/// A file under its visible name, as the last save left it.
struct PublishedFile: Sendable, Hashable {
  var path: ContentPath
  var digest: Data
  var size: Int64
  var inode: Int64
  var modified: FileTime

  init(path: ContentPath, digest: Data, _ status: FileStatus) {
    (self.path, self.digest) = (path, digest)
    size = Int64(clamping: status.size)
    inode = Int64(bitPattern: status.identity.inode)
    modified = status.modified
  }

  private init(_ row: Row) {
    (path, digest) = (ContentPath(stored: row[0]), row[1])
    (size, inode) = (row[2], row[3])
    modified = FileTime(seconds: row[4], nanoseconds: row[5])
  }

  private static let columns = "path, digest, size, inode, seconds, nanoseconds"

  static func all(
    of digest: Data, in db: Database, _ schema: String = "main"
  ) throws -> [PublishedFile] {
    try Row.fetchAll(
      db.cachedStatement(sql: "SELECT \(columns) FROM \(schema).grdb_published WHERE digest = ? LIMIT 8"),
      arguments: [digest]
    ).map(PublishedFile.init)
  }

  static func at(_ path: ContentPath, in db: Database) throws -> PublishedFile? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT \(columns) FROM grdb_published WHERE path = ?"),
      arguments: [path.string]
    ).map(PublishedFile.init)
  }

  func write(to db: Database) throws {
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO grdb_published(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [path.string, digest, size, inode, modified.seconds, Int64(modified.nanoseconds)])
  }

  /// Returns whether a file is the published one, unchanged.
  func isSame(as status: FileStatus) -> Bool {
    status.kind == .file && Int64(bitPattern: status.identity.inode) == inode
      && Int64(clamping: status.size) == size && status.modified == modified
  }
}
