import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// The files that the sums of the last save have: the table `grdb_counted`.
struct CountedFiles {
  let db: Database
  let location: Location

  static let schema = """
    CREATE TABLE grdb_counted(
      path TEXT PRIMARY KEY NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL, executable INTEGER NOT NULL);
    """

  /// A file, as the sums have it or as the next save has it.
  private struct File: Equatable {
    var digest: Data
    var size: Int64
    var isExecutable: Bool

    init(digest: Data, size: Int64, isExecutable: Bool) {
      (self.digest, self.size, self.isExecutable) = (digest, size, isExecutable)
    }

    init?(_ row: Row, from column: Int, isExecutable: Bool? = nil) {
      guard let digest: Data = row[column] else { return nil }
      (self.digest, size) = (digest, row[column + 1])
      self.isExecutable = isExecutable ?? row[column + 2]
    }

    func summary(at path: ContentPath) -> ChildSummary? {
      guard let hash = ContentHash(bytes: Array(digest)[...]) else { return nil }
      return ChildSummary(
        path: path.visible, kind: .file, isExecutable: isExecutable, size: UInt64(size), content: hash)
    }
  }

  // MARK: The next save

  /// Counts the files that changed since the last save (MT4).
  ///
  /// Cost: by the changed files only.
  ///
  /// - Returns: the change of the sums.
  func countChanges() throws -> ContentSummary {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT path, now.digest, now.size, counted.digest, counted.size, counted.executable
          FROM grdb_touched LEFT JOIN grdb_content AS now USING (path) LEFT JOIN grdb_counted AS counted USING (path)
          """))
    var change = ContentSummary()
    var folders: Set<PackagePath> = []
    var changed: [(path: ContentPath, new: File?)] = []
    for row in rows {
      let path = ContentPath(stored: row[0])
      let old = File(row, from: 3)
      let new = try File(row, from: 1, isExecutable: isExecutable(path))
      if old == new { continue }
      if let child = old?.summary(at: path) { change.subtract(child) }
      if let child = new?.summary(at: path) { change.add(child) }
      if (old == nil) != (new == nil) { folders.formUnion(path.folders) }
      changed.append((path, new))
    }
    let before = try folders.filter(isCounted)
    for (path, new) in changed { try replace(path, new) }
    let after = try folders.filter(isCounted)
    for folder in before.subtracting(after) { change.subtract(Self.folder(folder)) }
    for folder in after.subtracting(before) { change.add(Self.folder(folder)) }
    return change
  }

  /// Counts all files, for a document whose sums left out none so far.
  ///
  /// Cost: a look at the status of each file. It reads the children outside of `AdditionalContent`.
  ///
  /// - Returns: the sums.
  func countAll(leavingOut uncounted: Set<PackagePath>) throws -> ContentSummary {
    let contentFolder = PackagePath([ContentObjects.contentFolder])
    var summary = try ContentSummary(
      reading: FileWrapper(url: location.url).snapshot(), leavingOut: uncounted.union([contentFolder]))
    try db.execute(sql: "DELETE FROM grdb_counted")
    let rows = try Row.fetchCursor(db, sql: "SELECT path, digest, size FROM grdb_content")
    while let row = try rows.next() {
      let path = ContentPath(stored: row[0])
      try count(path, row[1], size: row[2], isExecutable: isExecutable(path))
    }
    summary.add(try self.summary())
    return summary
  }

  /// Counts one file, whose row was removed.
  func count(_ path: ContentPath, _ digest: Data, size: Int64, isExecutable: Bool) throws {
    let file = File(digest: digest, size: size, isExecutable: isExecutable)
    if file.summary(at: path) == nil { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    try insert(path, file)
  }

  /// Returns the terms of all files, their folders and `AdditionalContent`.
  func summary() throws -> ContentSummary {
    var summary = ContentSummary()
    var folders: Set<PackagePath> = [.root]
    let rows = try Row.fetchCursor(db, sql: "SELECT path, digest, size, executable FROM grdb_counted")
    while let row = try rows.next() {
      let path = ContentPath(stored: row[0])
      folders.formUnion(path.folders)
      if let child = File(row, from: 1)?.summary(at: path) { summary.add(child) }
    }
    for folder in folders { summary.add(Self.folder(folder)) }
    return summary
  }

  /// Returns the term of a folder below `AdditionalContent`.
  private static func folder(_ path: PackagePath) -> ChildSummary {
    ChildSummary(path: path.inContentFolder, kind: .directory, isExecutable: false, size: 0, content: .empty)
  }

  // MARK: Rows

  private func replace(_ path: ContentPath, _ file: File?) throws {
    if let file {
      try insert(path, file)
    } else {
      try db.cachedStatement(sql: "DELETE FROM grdb_counted WHERE path = ?").execute(arguments: [path.string])
    }
  }

  private func insert(_ path: ContentPath, _ file: File) throws {
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO grdb_counted(path, digest, size, executable) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [path.string, file.digest, file.size, file.isExecutable])
  }

  /// Returns whether a folder has a file that the sums count.
  private func isCounted(_ folder: PackagePath) throws -> Bool {
    try Int.fetchOne(
      db.cachedStatement(sql: "SELECT 1 FROM grdb_counted WHERE path > ? AND path < ? LIMIT 1"),
      arguments: [folder.string + "/", folder.string + "0"]) != nil
  }

  /// Returns whether the owner may execute the file under its visible name: a save keeps its mode.
  private func isExecutable(_ path: ContentPath) throws(SystemError) -> Bool {
    guard let name = path.path.name else { return false }
    do {
      let folder = try location.openDirectory(path.visible.parent)
      guard let status = try location.disk.statusIfPresent(of: name, in: folder), status.kind == .file else {
        return false
      }
      return status.mode & 0o100 != 0
    } catch  where error.isAbsence {
      return false
    }
  }
}
