import DurableIO
import FilePackages
public import FoundationEssentials
import GRDB
import SystemPackage

/// Changes the files beside a document's database, in the transaction of an edit.
///
/// The files change with the rows, or not at all if the edit throws. Use it only within the closure of the edit.
public final class AdditionalContentEditor {
  private let content: AdditionalContent
  private var db: Database { content.db }
  /// The digests that undoing the edit, or redoing it, needs.
  private(set) var digests: Set<Data> = []
  /// Whether the edit brings back a file that another program replaced: a change that no row has.
  private(set) var restoresFile = false
  private var hasEnded = false

  init(_ content: AdditionalContent) { self.content = content }

  func end() { hasEnded = true }

  /// Notes digests that undoing the edit, or redoing it, needs besides.
  func note(_ digests: Set<Data>) { self.digests.formUnion(digests) }

  // MARK: Reading

  /// The paths of all files, in byte order, with the changes of this edit.
  public func paths() throws -> [String] { try content.paths() }

  /// Returns whether there is a file at `path`.
  public func fileExists(_ path: String) throws -> Bool { try content.fileExists(path) }

  /// Returns the size of a file in bytes; nil if there is no file at `path`.
  public func size(of path: String) throws -> Int? { try content.size(of: path) }

  /// Returns the bytes of a file.
  ///
  /// - Throws: as `AdditionalContent.read(_:)`.
  public func read(_ path: String) throws -> Data { try content.read(path) }

  // MARK: Writing

  /// Makes a file, or replaces one.
  ///
  /// Cost: a row for a file below 256 KiB. For a larger file, the call writes the file and makes two syncs.
  ///
  /// - Throws: `FilePackageError`: `invalidName` for a path that no file can have; `nameCollision` if a file is in the
  ///   way of a folder or a folder in the way of the file; other codes for errors of the disk.
  public func write(_ path: String, _ bytes: some DataProtocol) throws {
    let place = try place(path)
    let bytes = Data(bytes)
    let digest = Data(bytes.withUnsafeBytes { ContentHash(of: $0) }.bytes)
    if try has(digest, at: place) { return }
    if try !PrivateTables.has(digest, in: "grdb_objects", db) {
      if bytes.count < ContentObjects.largeSize {
        try db.cachedStatement(sql: "INSERT INTO grdb_objects(digest, bytes) VALUES (?, ?)")
          .execute(arguments: [digest, bytes])
      } else {
        let disk = content.objects.location.disk
        _ = try content.objects.add { file in  // The closure returns what is known already.
          try bytes.withUnsafeBytes { buffer in try disk.write(buffer, to: file, at: 0) }
          return (digest, bytes.count)
        }
      }
    }
    try set(place, digest, bytes.count)
  }

  /// Makes a file of another file's bytes, or replaces one.
  ///
  /// It reads the other file piece by piece.
  ///
  /// - Throws: as `write(_:_:)`; the system's error if the file at `url` cannot be read.
  public func write(_ path: String, contentsOf url: URL) throws {
    let place = try place(path)
    let source = try FilePath(of: url, for: .read)
    let disk = content.objects.location.disk
    guard let name = source.lastComponent else { throw problem(.wrongKind, path) }
    let folder = source.removingLastComponent()
    let file = try disk.openFile(
      FileName(name.string), in: disk.openDirectory(at: folder.isEmpty ? "." : folder))
    guard try disk.status(of: file).size >= UInt64(ContentObjects.largeSize) else {
      return try write(path, content.objects.readAll(file))
    }
    let (digest, size) = try content.objects.add { target in
      try Self.copy(file, to: target, on: disk)
    }
    if try has(digest, at: place) { return }
    try set(place, digest, size)
  }

  /// Removes a file, and the folders that become empty.
  ///
  /// - Throws: `FilePackageError` `noSuchFile` if there is no file at `path`.
  public func remove(_ path: String) throws {
    let place = try place(path)
    guard let row = try content.row(path) else { throw problem(.noSuchFile, path) }
    digests.insert(row.digest)
    try db.cachedStatement(sql: "DELETE FROM grdb_content WHERE path = ?").execute(arguments: [path])
    try PendingFile.touch([place.string], in: db)
  }

  /// Gives a file another path. It does not replace another file.
  ///
  /// - Throws: `FilePackageError`: `noSuchFile`, `nameCollision`, `invalidName`.
  public func move(_ path: String, to newPath: String) throws {
    guard let row = try content.row(path) else { throw problem(.noSuchFile, path) }
    // If the new path is refused, the file stays: the edit may go on.
    try db.inSavepoint {
      try remove(path)
      if try content.fileExists(newPath) { throw problem(.nameCollision, newPath) }
      try set(place(newPath), row.digest, row.size)
      return .commit
    }
  }

  private func problem(
    _ code: FilePackageError.Code, _ path: String, reason: String? = nil
  ) -> FilePackageError {
    content.objects.problem(code, .save, path, reason: reason)
  }

  // MARK: Rows

  private func place(_ path: String) throws -> ContentPath {
    if hasEnded { throw problem(.invalidContent, path, reason: "the edit has ended") }
    guard let place = ContentPath(path) else { throw problem(.invalidName, path) }
    return place
  }

  /// Returns whether a file has these bytes, and no other program replaced it.
  private func has(_ digest: Data, at place: ContentPath) throws -> Bool {
    guard try content.row(place.string)?.digest == digest else { return false }
    guard let published = try PublishedFile.at(place, in: db), published.digest == digest else { return true }
    let objects = content.objects
    guard let file = try objects.openVisible(place.path) else { return false }
    return try published.isSame(as: objects.status(of: file)) || objects.digest(of: file) == digest
  }

  private func set(_ place: ContentPath, _ digest: Data, _ size: Int) throws {
    if let obstacle = try place.obstacle(in: db) {
      throw problem(.nameCollision, place.string, reason: "'\(displayString(obstacle))' is in the way")
    }
    if let old = try content.row(place.string) {
      if old.digest == digest {
        restoresFile = true
        // The document needs the bytes again (MT3).
        try db.cachedStatement(sql: "DELETE FROM grdb_published WHERE path = ?").execute(arguments: [
          place.string
        ])
      }
      digests.insert(old.digest)
    }
    digests.insert(digest)
    try db.cachedStatement(
      sql: """
        INSERT INTO grdb_content(path, digest, size) VALUES (?, ?, ?)
        ON CONFLICT(path) DO UPDATE SET digest = excluded.digest, size = excluded.size
        """
    ).execute(arguments: [place.string, digest, size])
    try PendingFile.touch([place.string], in: db)
  }

  // MARK: Copying

  /// Copies bytes, and returns their digest and their number.
  static func copy(
    _ source: borrowing OwnedDescriptor, to target: borrowing OwnedDescriptor, on disk: any Disk
  ) throws -> (Data, Int) {
    var hash = SHA256()
    var size = 0
    try disk.forEachChunk(of: source, size: disk.status(of: source).size) {
      bytes, offset throws(SystemError) in
      hash.update(bytes)
      try disk.write(bytes, to: target, at: offset)
      size += bytes.count
    }
    return (Data(hash.finalize().bytes), size)
  }
}
