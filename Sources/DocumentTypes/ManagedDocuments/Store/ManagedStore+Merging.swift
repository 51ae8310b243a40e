import FilePackages
import FoundationEssentials
import GRDB
import Synchronization
import SystemPackage

extension ManagedStore {
  /// Merges the rows and files of another document's database, in one transaction.
  ///
  /// The store serves for one merge: see `RowMerge`.
  ///
  /// - Parameters:
  ///   - theirs: the other document, a private copy without a write-ahead log.
  ///   - base: the database of the last state that both have seen, a private copy without a write-ahead log.
  ///   - now: the time since the document was opened, in seconds.
  ///   - date: the time of the merge.
  /// - Returns: the outcome, and the head; nil if nothing has changed.
  /// - Throws: `MergeProblem`; `DatabaseError`; `FilePackageError`.
  func merge(
    _ theirs: StoreReader, since base: FilePath, at now: Double, date: Date
  ) async throws -> (RowMergeOutcome, DocumentHead?) {
    let database = theirs.location.path.appending(theirs.database.string)
    try reverser.inDatabase { db in
      for (path, name) in [(base, "base_db"), (database, "theirs_db")] {
        try db.execute(
          sql: "ATTACH ? AS \(name)",
          arguments: [FolderVFS.usual.database(at: path.string, isImmutable: true)])
      }
    }
    let merged = Mutex(RowMergeOutcome())
    let head = try await reversing { db in
      let countBefore = db.totalChangesCount
      var outcome = RowMergeOutcome()
      let changeset = try self.recordingReversal(db) {
        outcome = try RowMerge.run(
          in: db, base: "base_db", theirs: "theirs_db", KeptPolicy.read(db) ?? .error, at: date)
      }
      merged.withLock { $0 = outcome }
      if db.totalChangesCount == countBefore { return nil }
      try MergedFiles(db: db, objects: self.objects, theirs: theirs).bring(outcome)
      var head = try DocumentHead(of: db)
      let before = head.state
      head.state = head.next()
      try PendingFile.touch(outcome.paths, in: db)
      // The changes so far name rows by keys that other rows have now.
      if !outcome.renumbered.isEmpty { try ChangeLog.forgetAll(in: db) }
      if !changeset.isEmpty {
        try self.log.add(
          .init(change: head.state, name: "", before: before, after: head.state, at: now), changeset, .none,
          above: nil, in: db)
        try ChangeLog.refer(to: changeset.digests(), from: head.state, in: db)
      }
      try head.write(to: db)
      return (head, try changeset.extent())
    }
    return (merged.withLock { $0 }, head)
  }
}
