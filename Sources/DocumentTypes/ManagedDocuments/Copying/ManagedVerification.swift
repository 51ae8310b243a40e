import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// The comparison of a document's files with their rows and its sums, and the database's own check.
struct ManagedVerification {
  let reader: StoreReader
  private var location: Location { reader.location }

  /// It may block its thread.
  func verify() throws -> VerificationReport {
    // A publisher that waits for the lock changes nothing meanwhile.
    let wasOpen = try isOpen
    let lock = try wasOpen ? PackageLock.take(location) : nil
    defer { lock?.release() }
    let report = try reader.read { db, content in try verify(db, content) }
    // Another program may have opened a closed document.
    if !wasOpen, !report.isAsSaved, try isOpen { return try verify() }
    return report
  }

  /// Whether a program has the document open, or was killed while it had.
  private var isOpen: Bool {
    get throws(SystemError) {
      do {
        return try location.disk.exists(
          PackageLayout.lock, in: location.openDirectory(PackagePath([PackageLayout.hidden])))
      } catch  where error.isAbsence {
        return false
      }
    }
  }

  private func verify(_ db: Database, _ content: AdditionalContent) throws -> VerificationReport {
    var report = VerificationReport()
    report.hasDigests = true
    report.database = try problems(db)
    guard let saved = try SavedMetadata.read(db) else {
      // A copy that was never opened: its metadata are those of its sums.
      return try compare(db, content, PackageMetadata.read(from: location.path, on: location.disk), report)
    }
    if let visible = try PackageMetadata.read(from: location.path, on: location.disk) {
      let known = saved.metadata
      if visible.generation > known.generation
        || visible.generation == known.generation && visible.revision != known.revision
      {
        report.database.append(.init(.otherSave, "Metadata.plist is of another save than the database"))
      }
    }
    return try compare(db, content, saved.metadata, report)
  }

  /// Lets SQLite check its pages and indexes, and the references between rows.
  private func problems(_ db: Database) throws -> [VerificationReport.DatabaseProblem] {
    var problems = try String.fetchAll(db, sql: "PRAGMA quick_check").filter { $0 != "ok" }
      .map { VerificationReport.DatabaseProblem(.damaged, $0) }
    if !problems.isEmpty { return problems }
    let rows = try Row.fetchAll(
      db, sql: "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY \"table\" ORDER BY 1")
    for row in rows {
      let (table, count): (String, Int) = (row[0], row[1])
      problems.append(
        .init(
          .foreignKeys,
          "\(count) row\(count == 1 ? "" : "s") of table '\(displayString(table))' refer to rows that are not there"
        ))
    }
    return problems
  }

  // MARK: Files

  private func compare(
    _ db: Database, _ content: AdditionalContent, _ metadata: PackageMetadata?,
    _ before: VerificationReport
  ) throws -> VerificationReport {
    var report = before
    let files = try compareFiles(db, content, &report)
    try addExtra(db, &report)
    if let metadata, metadata.databasePath != nil {
      // The children besides the document's files have only their sum.
      let left = metadata.uncounted.union([PackagePath([ContentObjects.contentFolder])])
      let others = try ContentSummary(reading: FileWrapper(url: location.url).snapshot(), leavingOut: left)
      var sum = files
      sum.add(others)
      report.isUnexplained = sum != metadata.summary
      report.bytes += others.byteCount
    }
    report.isWhole =
      report.damaged.isEmpty && report.missing.isEmpty && report.unreadable.isEmpty && !report.isUnexplained
      && report.database.isEmpty
    return report
  }

  /// Reads the bytes of each row.
  ///
  /// - Returns: the sums of the last save's files, as the rows have them.
  private func compareFiles(
    _ db: Database, _ content: AdditionalContent, _ report: inout VerificationReport
  ) throws -> ContentSummary {
    let executables = Set(try String.fetchAll(db, sql: "SELECT path FROM grdb_counted WHERE executable"))
    let unpublished = Set(
      try String.fetchAll(db, sql: "SELECT path FROM grdb_unpublished UNION SELECT path FROM grdb_touched"))
    let rows = try Row.fetchCursor(db, sql: "SELECT path, digest, size FROM grdb_content ORDER BY path")
    while let row = try rows.next() {
      let path = ContentPath(stored: row[0])
      let place = path.visible.string
      report.bytes += UInt64(row[2] as Int64)
      do {
        let state =
          try unpublished.contains(path.string)
          ? content.stateOfBytes(row[1], at: path)
          : reader.objects.stateOfVisible(
            row[1], executable: executables.contains(path.string), PublishedFile.at(path, in: db), at: path)
        switch state {
        case .asSaved: break
        case .different(.changed): report.changed.append(place)
        case .different(.damaged): report.damaged.append(place)
        case .missing: report.missing.append(place)
        }
      } catch let error as SystemError {
        report.unreadable.append(.init(path: place, reason: error.code.description))
      }
    }
    return try CountedFiles(db: db, location: location).summary()
  }

  /// Counts the children, and finds the files below `AdditionalContent` that no row has, and none had at the last save.
  private func addExtra(_ db: Database, _ report: inout VerificationReport) throws {
    var all: [PackagePath: Bool] = [:]
    try FileWrapper(url: location.url).collect(.root, in: &all)
    all = all.filter { !reader.databaseFiles.contains($0.key) }
    report.children = all.count
    let found = all.filter { $0.key.names.count > 1 && $0.key.names[0] == ContentObjects.contentFolder }
    var extra: [String] = []
    let known = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM grdb_content WHERE path = ?1) OR EXISTS (SELECT 1 FROM grdb_published WHERE path = ?1)
        """)
    let folders = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM grdb_content WHERE path > ?1 AND path < ?2)
          OR EXISTS (SELECT 1 FROM grdb_published WHERE path > ?1 AND path < ?2)
        """)
    for (place, isDirectory) in found {
      let path = PackagePath(Array(place.names.dropFirst()))
      let isKnown =
        isDirectory
        ? try Bool.fetchOne(folders, arguments: [path.string + "/", path.string + "0"])
        : try Bool.fetchOne(known, arguments: [path.string])
      if isKnown == false { extra.append(place.string) }
    }
    report.extra = extra.sorted()
  }
}

/// A file of a document, beside its row.
private enum FileState {
  case asSaved, missing
  case different(ChildDifference)
}

extension ContentObjects {
  /// Returns the state of a file under its visible name.
  ///
  /// - Parameter published: the file as the last save left it, whose date tells an edit from damage.
  fileprivate func stateOfVisible(
    _ digest: Data, executable: Bool, _ published: PublishedFile?, at path: ContentPath
  ) throws(SystemError) -> FileState {
    guard let file = try openVisible(path.path) else { return .missing }
    let status = try status(of: file)
    if try self.digest(of: file) == digest {
      return executable == (status.mode & 0o100 != 0) ? .asSaved : .different(.changed)
    }
    guard let published else { return .different(.damaged) }
    return .different(ChildDifference(savedOn: published.modified, foundWith: status.modified))
  }
}

extension AdditionalContent {
  /// Returns the state of the bytes that no save has published. Other programs do not edit them.
  fileprivate func stateOfBytes(_ digest: Data, at path: ContentPath) throws -> FileState {
    let found: Data
    if let bytes = try storedBytes(digest) {
      found = bytes.withUnsafeBytes { Data(ContentHash(of: $0).bytes) }
    } else if let stored = try storedFile(digest, at: [path]) {
      found = try objects.digest(of: stored.file)
    } else {
      return .missing
    }
    return found == digest ? .asSaved : .different(.damaged)
  }
}

extension FileWrapper {
  /// Collects the paths below a folder, and whether each is a folder.
  fileprivate func collect(_ place: PackagePath, in found: inout [PackagePath: Bool]) throws {
    for name in try childNames() {
      guard let child = try child(named: name) else { continue }
      let path = place.appending(FileName(name))
      if PackageLayout.isOurs(path) { continue }
      found[path] = child.isDirectory
      if child.isDirectory { try child.collect(path, in: &found) }
    }
  }
}
