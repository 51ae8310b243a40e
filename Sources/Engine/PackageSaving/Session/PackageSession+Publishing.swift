import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension PackageSession {
  /// Syncs a record that another program left, and its log's name (S3).
  ///
  /// That program may have died before either was durable.
  private func synchronizeRecord() throws(FilePackageError) {
    do {
      try log?.checkpoint()
      try disk.synchronize(hidden.folder)
      try disk.synchronize(hidden.root.descriptor)
    } catch {
      throw FilePackageError(error, .save, node, activity: "syncing its log")
    }
  }

  func publisher(of record: SaveRecord, isRecovery: Bool) -> Publisher {
    var publisher = Publisher(
      record, root: hidden.root, staging: hidden.staging, at: hidden.location, on: disk,
      isRecovery: isRecovery)
    publisher.versions = kept.unsynchronized
    if let log { publisher.isBound = log.header.isBound(to: hidden.packageStatus) }
    return publisher
  }

  /// Publishes the record that waits; `finish()` does the rest.
  func publish(isRecovery: Bool, _ wait: LockWait) throws(FilePackageError) -> Publisher? {
    guard let record = live else { return nil }
    var publisher = publisher(of: record, isRecovery: isRecovery)
    if isRecovery { try synchronizeRecord() }
    do {
      try hidden.withoutReaders(wait) { () throws(FilePackageError) in try publisher.publish() }
    } catch {
      throw error.ofPublishing
    }
    published = publisher
    // A file that moved and the kept node of its old place are one file. The rename changes the status time of both
    // names, so it comes before any store notes the file's status. What cannot be renamed yet goes with the rest.
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

  /// Marks the record as published, since all touched folders are synced (P4), and removes its leftovers.
  ///
  /// After an error the log is found anew (J6).
  func finish() throws(FilePackageError) {
    guard let publisher = published else { return }
    published = nil
    // As the log has it: the made nodes may have other attributes, and the sums have those of the commit.
    let state = (live ?? publisher.record).state
    do {
      try log?.markApplied()
    } catch {
      throw FilePackageError(error, .save, node, activity: "recording the published children")
    }
    noteTable(state)
    // A node that cannot be kept yet stays among the staged ones, and a later session keeps it (H2).
    guard kept.keepReplaced(by: publisher) else { return }
    publisher.removeLeftovers()
    prune()
  }

  /// Returns whether nothing of a record is left to do, as far as the session can tell.
  func isCarriedOut(_ record: SaveRecord) -> Bool {
    return (try? publisher(of: record, isRecovery: true).checkAll().isEmpty) ?? false
  }
}

extension FilePackageError {
  /// The error of a record whose publishing failed: `unpublished` if it will fail the next time, too.
  fileprivate var ofPublishing: FilePackageError {
    var error = self
    if isRefusal { error.code = .unpublished }
    return error
  }
}
