import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// The way of a record: staged, committed, published, marked.
extension PackageSession {
  // MARK: Committing

  /// Makes the files that a record holds before its commit, and flushes them.
  ///
  /// - Throws: the system's reason; no such file is left then.
  func stage(_ record: inout SaveRecord) throws(FilePackageError) {
    var publisher = publisher(of: record, isRecovery: false)
    try publisher.makeStaged()
    record = publisher.record
  }

  /// Commits a record: when it returns, the save is durable.
  func commit(_ record: inout SaveRecord) throws(FilePackageError) {
    if let problem = record.problem {
      let place = StoredNode(location: hidden.location, path: problem.path)
      throw FilePackageError(.unsupported, .save, place, reason: problem.words)
    }
    try node.attempt(.save, "writing the log") {
      if record.changes.rows.contains(where: \.needsStaged) {
        // A name that is gone from the staging folder must first be durable in the folder of kept files.
        try kept.synchronize()
        try disk.synchronize(hidden.staging.descriptor)
        // If the log's name were durable and the staging folder's were not, a power cut would leave damage.
        if log == nil { try disk.synchronize(hidden.folder) }
      }
      guard let log, log.header.isBound(to: hidden.packageStatus) || log.live != nil,
        !log.isCut
      else { return try rewrite(adding: record) }
      if log.mustBeReplaced(for: record, capacity: logCapacity) {
        do {
          return try rewrite(adding: record)
        } catch  where !error.isIndeterminate {
          // Without room for a new one the record goes to the long one.
          self.log = log
        }
      }
      try append(&record, to: log)
    }
  }

  private func append(_ record: inout SaveRecord, to log: SaveLog) throws {
    // The program that made the package may not have synced the log's name.
    if !log.hasRecords { try disk.synchronize(hidden.folder) }
    do throws(SystemError) {
      try log.commit(&record, capacity: logCapacity)
    } catch let first {
      do {
        // S2
        return try rewrite(adding: record)
      } catch  where !error.isIndeterminate {
        do throws(SystemError) { try log.erase() } catch { throw isInDoubt(first, error) }
        throw first
      }
    }
  }

  private func isInDoubt(_ first: SystemError, _ second: SystemError) -> FilePackageError {
    FilePackageError(
      .indeterminate, .save, node, activity: "writing the log",
      reason: "\(first.reason), and then \(second.reason)")
  }

  /// Puts a new log with all that counts in the place of the present one, or of none: the one way to rewrite it.
  ///
  /// - Parameters:
  ///   - record: a record that the new one commits.
  ///   - change: changes what counts.
  /// - Throws: the system's error, and the present log counts; `indeterminate` if either may count.
  func rewrite(
    adding record: SaveRecord? = nil, _ change: (inout Ledger) -> Void = { _ in }
  ) throws {
    let old = log
    // A killed program may have made the folder, and may not have synced its name.
    if old == nil { try disk.synchronize(hidden.root.descriptor) }
    log = nil
    let made: SaveLog
    do throws(SystemError) {
      made = try SaveLog.replace(
        old, adding: record, in: hidden.folder, of: hidden.packageStatus, on: disk, change)
    } catch {
      // The rename may have been carried out all the same.
      guard let isOld = try? isName(of: old), isOld else { throw isInDoubt(error, error) }
      throw error
    }
    do throws(SystemError) {
      try disk.synchronize(hidden.folder)
    } catch {
      guard old == nil else { throw isInDoubt(error, error) }
      // Without its name the new one does not count.
      do throws(SystemError) {
        try disk.removeFile(PackageLayout.log, in: hidden.folder)
        try disk.synchronize(hidden.folder)
      } catch let second {
        throw isInDoubt(error, second)
      }
      throw error
    }
    log = made
  }

  /// Returns whether that log, or none, has the name.
  private func isName(of old: SaveLog?) throws(SystemError) -> Bool {
    let now = try disk.statusIfPresent(of: PackageLayout.log, in: hidden.folder)
    guard let old, let now else { return old == nil && now == nil }
    return now.identity.isSameNode(as: old.identity)
  }

  // MARK: Publishing

  /// Publishes the record that waits; `finish()` does the rest.
  ///
  /// - Throws: `unpublished` if it will fail the next time, too.
  func publish(isRecovery: Bool, _ wait: LockWait) throws(FilePackageError) -> Publisher? {
    guard let record = live else { return nil }
    var publisher = publisher(of: record, isRecovery: isRecovery)
    if isRecovery { try synchronizeRecord() }
    do throws(FilePackageError) {
      try hidden.withoutReaders(wait) { () throws(FilePackageError) in try publisher.publish() }
    } catch var error {
      if error.isRefusal { error.code = .unpublished }
      throw error
    }
    published = publisher
    // A file that moved and the kept node of its old place are one file. The rename changes the status time of both
    // names, so it comes before any store notes the file's status. A file that has to wait goes with the rest.
    if record.changes.rows.contains(where: \.needsStaged) { _ = kept.keepReplaced(by: publisher) }
    return publisher
  }

  /// Publishes all changes of the record that waits but those that the file system refuses.
  ///
  /// The record stays in force: this is a part of its publishing, like one that was cut short.
  func publishAsFarAsPossible(_ wait: LockWait) throws(FilePackageError) -> Publisher? {
    guard let record = live else { return nil }
    var publisher = publisher(of: record, isRecovery: true)
    publisher.skipsRefused = true
    try synchronizeRecord()
    try hidden.withoutReaders(wait) { () throws(FilePackageError) in try publisher.publish() }
    return publisher
  }

  /// Syncs a record that another program left, and its log's name: that program may have died before either was
  /// durable (S3).
  private func synchronizeRecord() throws(FilePackageError) {
    try node.attempt(.save, "syncing its log") {
      try log?.checkpoint()
      try disk.synchronize(hidden.folder)
      try disk.synchronize(hidden.root.descriptor)
    }
  }

  private func publisher(of record: SaveRecord, isRecovery: Bool) -> Publisher {
    var publisher = Publisher(
      record, root: hidden.root, staging: hidden.staging, at: hidden.location, on: disk,
      isRecovery: isRecovery)
    publisher.versions = kept.unsynchronized
    if let log { publisher.isBound = log.header.isBound(to: hidden.packageStatus) }
    return publisher
  }

  /// Returns whether nothing of a record is left to do, as far as the session can tell.
  func isCarriedOut(_ record: SaveRecord) throws(FilePackageError) -> Bool {
    do throws(FilePackageError) {
      return try publisher(of: record, isRecovery: true).checkAll().isEmpty
    } catch {
      if error.code == .logDamaged { return false }
      throw error
    }
  }

  /// Marks the published record, since all touched folders are synced (P4), and removes its leftovers.
  ///
  /// After an error the log is found anew (J6).
  func finish() throws(FilePackageError) {
    guard let publisher = published else { return }
    published = nil
    // As the log has it: the made nodes may have other attributes, and the sums have those of the commit.
    let state = (live ?? publisher.record).state
    try node.attempt(.save, "recording the published children") { try log?.markApplied() }
    if let table, let state, table.revision == state.parent { table.apply(state) } else { table = nil }
    // A node that cannot be kept yet stays among the staged ones, and a later session keeps it (H2).
    guard kept.keepReplaced(by: publisher) else { return }
    publisher.removeLeftovers()
    prune()
  }
}

extension Error {
  /// Whether either of two logs may count.
  fileprivate var isIndeterminate: Bool { (self as? FilePackageError)?.code == .indeterminate }
}
