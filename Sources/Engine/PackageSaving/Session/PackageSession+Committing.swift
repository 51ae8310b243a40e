import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension PackageSession {
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
    do {
      if record.changes.rows.contains(where: \.needsStaged) {
        try synchronizeStaging()
        // If the log's name were durable and the staging folder's were not, a power cut would leave damage.
        if log == nil { try disk.synchronize(hidden.folder) }
      }
      guard let log, log.header.isBound(to: hidden.packageStatus) || log.live != nil,
        !log.isCut
      else { return try rewrite(adding: record) }
      if log.mustBeReplaced(for: record, capacity: logCapacity) {
        do {
          return try rewrite(adding: record)
        } catch {
          if (error as? FilePackageError)?.code == .indeterminate { throw error }
          // Without room for a new one the record goes to the long one.
          self.log = log
        }
      }
      try append(&record, to: log)
    } catch {
      throw FilePackageError(any: error, .save, node, activity: "writing the log")
    }
  }

  private func append(_ record: inout SaveRecord, to log: SaveLog) throws {
    // The program that made the package may not have synced the log's name.
    if !log.hasRecords { try disk.synchronize(hidden.folder) }
    do {
      try log.commit(&record, capacity: logCapacity)
    } catch {
      try giveUp(log, for: record, because: error)
    }
  }

  /// Gives up a log that could not be synced for a new one with the record (S2).
  private func giveUp(
    _ log: SaveLog, for record: SaveRecord, because first: SystemError
  ) throws {
    do {
      try rewrite(adding: record)
    } catch {
      if (error as? FilePackageError)?.code == .indeterminate { throw error }
      do throws(SystemError) {
        try log.erase()
      } catch {
        throw isInDoubt(first, error)
      }
      throw first
    }
  }

  private func isInDoubt(_ first: SystemError, _ second: SystemError) -> FilePackageError {
    FilePackageError(
      .indeterminate, .save, node, activity: "writing the log",
      reason: "\(first.reason), and then \(second.reason)")
  }

  /// Syncs the staging folder. A name that is gone from it must first be durable in the folder of kept files.
  private func synchronizeStaging() throws(SystemError) {
    try kept.synchronize()
    try disk.synchronize(hidden.staging.descriptor)
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
      if hidden.isNew { try disk.synchronize(hidden.root.descriptor) }
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
    hidden.isNew = false
    log = made
  }

  /// Returns whether that log, or none, has the name.
  private func isName(of old: SaveLog?) throws(SystemError) -> Bool {
    let now = try disk.statusIfPresent(of: PackageLayout.log, in: hidden.folder)
    guard let old, let now else { return old == nil && now == nil }
    return now.identity.isSameNode(as: old.identity)
  }
}
