import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension PackageSession {
  /// Makes the files that a record holds before its commit, and flushes them.
  ///
  /// - Throws: the system's reason; no such file is left then.
  func stage(_ record: inout JournalRecord) throws(FilePackageError) {
    var publisher = publisher(of: record, isRecovery: false)
    try publisher.makeStaged()
    record.operations = publisher.record.operations
  }

  /// Commits a record: when it returns, the save is durable.
  func commit(_ record: inout JournalRecord) throws(FilePackageError) {
    do {
      try replaceForeignJournal()
      if record.operations.contains(where: \.needsStaged) {
        try synchronizeStaging()
        // If the journal's name were durable and the staging folder's were not, a power cut would leave damage.
        if journal == nil { try disk.synchronize(hidden.folder) }
      }
      if let journal {
        // If this is the session's only save, the journal stays short.
        let capacity = hasCommitted ? journalCapacity : min(journalCapacity, JournalFile.keptCapacity)
        if journal.mustRestart(for: record, capacity: capacity) {
          // Large saves start the journal again each time: only the first one of a session writes the manifest anew.
          try takeOver(journal, compacting: !hasCommitted)
          try journal.restart()
        }
        do {
          try journal.commit(&record, capacity: capacity)
          hasCommitted = true
          return
        } catch {
          if journal.live != nil { throw isInDoubt(because: error) }
          try giveUpJournal(error)
        }
      }
      try makeJournal(&record)
    } catch {
      throw FilePackageError(any: error, .save, node, activity: "writing the journal")
    }
  }

  /// Gives up a published journal that came with a copy of the package, so that the next commit makes another one.
  ///
  /// Its header names another directory, and publishing would ask this session's own records for proof.
  private func replaceForeignJournal() throws {
    guard let foreign = journal, foreign.live == nil, !foreign.header.isBound(to: hidden.packageStatus) else {
      return
    }
    try takeOver(foreign)
    journal = nil
  }

  /// Makes everything durable that a journal vouches for, before it goes, is emptied or starts again (H3).
  func takeOver(_ journal: JournalFile, compacting: Bool = true) throws(SystemError) {
    if !history.hasAll { try history.addVersions(of: journal) }
    let isNew = try manifest.end(in: hidden, compacting: compacting)
    try history.synchronize()
    if isNew { try disk.synchronize(hidden.folder) }
  }

  /// Syncs the staging folder. A name that is gone from it must first be durable in the folder of kept files.
  private func synchronizeStaging() throws(SystemError) {
    if let folder = history.unsynchronizedFolder { try disk.synchronize(folder.descriptor) }
    try disk.synchronize(hidden.staging.descriptor)
  }

  /// Keeps a journal with an acknowledged record, which the new one was to supersede (S1).
  ///
  /// The store finds out which of the two records the journal has when the disk answers again.
  private func isInDoubt(because error: SystemError) -> FilePackageError {
    journal = nil
    return FilePackageError(
      .indeterminate, .save, node, activity: "writing the journal", reason: error.reason)
  }

  private func makeJournal(_ record: inout JournalRecord) throws {
    do {
      let made = try JournalFile.make(&record, in: hidden.folder, of: hidden.packageStatus, on: disk)
      journal = made
      try disk.synchronize(hidden.folder)
      if hidden.isNew { try disk.synchronize(hidden.root.descriptor) }
      hidden.isNew = false
      hasCommitted = true
    } catch {
      try giveUpJournal(error)
      throw error
    }
  }

  /// Removes the name of a journal that could not be synced, durably (S2).
  ///
  /// If the versions that only the journal has cannot be made safe elsewhere, it stays (H3).
  private func giveUpJournal(_ first: any Error) throws(FilePackageError) {
    let given = journal
    journal = nil
    let reason = (first as? SystemError)?.reason ?? "\(first)"
    do {
      if let given, !history.hasAll { try history.addVersions(of: given) }
      try history.synchronize()
      if try disk.exists(PackageLayout.journal, in: hidden.folder) {
        try disk.removeFile(PackageLayout.journal, in: hidden.folder)
      }
      try disk.synchronize(hidden.folder)
    } catch {
      throw FilePackageError(
        .indeterminate, .save, node, activity: "writing the journal",
        reason: "\(reason), and then \(error.reason)")
    }
  }
}
