import CSQLiteSession
import Documents
import FilePackages
import FoundationEssentials
import GRDB

extension ManagedStore {
  // MARK: Looking

  /// Returns the versions, the newest first.
  func versions() throws -> [KeptVersion] {
    try pool.read { db in
      let chains = try self.availableChains(in: db)
      return try KeptVersion.all(in: db).filter { chains.contains($0.chain) }.reversed()
    }
  }

  /// Returns the chains whose changes lead to the present state or to a snapshot that is there (MV2).
  ///
  /// A program with an earlier version of this library may have saved without keeping a version. A copy of the package
  /// may lack the hidden folder.
  private func availableChains(in db: Database) throws -> Set<Int64> {
    let copies = DatabaseCopies(location: location)
    let snapshots = try Row.fetchAll(db, sql: "SELECT chain, name FROM grdb_snapshots")
    var chains = try Set(snapshots.filter { try copies.hasSnapshot($0[1]) }.map { $0[0] as Int64 })
    if let history = try DocumentHistory(of: db), let last = try KeptVersion.last(of: history.chain, in: db),
      try last.nextState == DocumentHead(of: db).savedState
    {
      chains.insert(history.chain)
    }
    return chains
  }

  private func require(_ revision: UUID, in db: Database) throws -> KeptVersion {
    guard let version = try KeptVersion.of(revision, in: db),
      try availableChains(in: db).contains(version.chain)
    else { throw VersionProblem.noSuchVersion(revision) }
    return version
  }

  /// Returns the changesets from a version to the end of its chain, the oldest first.
  private func changesets(from version: KeptVersion, in db: Database) throws -> [Changeset] {
    var changesets = try version.numbersToEnd(in: db).map { try KeptVersion.changeset(of: $0, in: db) }
    if try DatabaseVersions.snapshotName(of: version.chain, in: db) == nil {
      guard let unsaved = try DatabaseVersions.changesetsSinceSave(DocumentHead(of: db), in: db) else {
        throw VersionProblem.noSuchVersion(version.revision)
      }
      changesets += unsaved
    }
    return changesets
  }

  // MARK: Reading

  /// Makes a copy of the database as it was in a version, or as it is now.
  ///
  /// Cost: the bytes of the database, and the changes since the version.
  func copy(of revision: UUID?) throws -> DatabaseCopies.Temporary {
    let configuration = Self.reversingConfiguration(options, StoreAccess(way: .writing))
    let copies = DatabaseCopies(location: location)
    return try pool.read { db in
      guard let revision else { return try copies.temporary(of: db, configuration) }
      let version = try self.require(revision, in: db)
      let snapshot = try DatabaseVersions.snapshotName(of: version.chain, in: db)
      let copy =
        try snapshot.map { try copies.temporary(ofSnapshot: $0, configuration) }
        ?? copies.temporary(of: db, configuration)
      let changesets = try self.changesets(from: version, in: db)
      try copy.queue.write { target in
        for changeset in changesets.reversed() { try ExactReversal.goBack(changeset, in: target) }
        if snapshot != nil { try Self.copyBytes(from: db, to: target) }
      }
      return copy
    }
  }

  /// Gives a copy of a snapshot the places of the files' bytes, which are those of the document.
  private static func copyBytes(from db: Database, to target: Database) throws {
    for table in ["grdb_objects", "grdb_published"] {
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table)")
      while let row = try rows.next() {
        let values = Array(row.databaseValues)
        let places = values.map { _ in "?" }.joined(separator: ", ")
        try target.execute(
          sql: "INSERT OR REPLACE INTO \(table) VALUES (\(places))", arguments: StatementArguments(values))
      }
    }
  }

  /// Calls `body` with the database and the files of a version.
  func read<Result: Sendable>(
    _ revision: UUID, _ body: @escaping @Sendable (Database, AdditionalContent) throws -> Result
  ) throws -> Result {
    let copy = try copy(of: revision)
    return try copy.queue.read { db in try body(db, self.content(db)) }
  }

  // MARK: Restoring

  /// Brings rows and files back to a version, as one edit that can be undone.
  ///
  /// A version from before a migration is migrated in a copy, and the rows that differ change.
  func restore(_ revision: UUID, named name: String, at now: Double) async throws -> Position? {
    let isOfPresentChain = try await pool.read { db in
      try DatabaseVersions.snapshotName(of: self.require(revision, in: db).chain, in: db) == nil
    }
    if isOfPresentChain {
      return try await restoring(name, at: now) { db in
        // The newest changes go first.
        for changeset in try self.changesets(from: self.require(revision, in: db), in: db).reversed() {
          try ExactReversal.goBack(changeset, in: db)
        }
      }
    }
    let copy = try await BlockingThread().run { try self.migratedCopy(of: revision) }
    try await attach(copy.path)
    let outcome: Swift.Result<Position?, any Error>
    do {
      outcome = .success(
        try await restoring(name, at: now) { db in
          if try RecordedTables.description(of: Self.attached, in: db) != RecordedTables.description(in: db) {
            throw VersionProblem.otherTables
          }
          try ExactReversal.goBack(TableComparison.changeset(from: Self.attached, in: db), in: db)
        })
    } catch {
      outcome = .failure(error)
    }
    try await reverser.writeWithoutTransaction { db in try db.execute(sql: "DETACH \(Self.attached)") }
    return try outcome.get()
  }

  private static let attached = "grdb_version"

  private func attach(_ path: String) async throws {
    try await reverser.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ? AS \(Self.attached)", arguments: [path])
    }
  }

  private func migratedCopy(of revision: UUID) throws -> DatabaseCopies.Temporary {
    let copy = try copy(of: revision)
    try options.migrator?.migrate(copy.queue)
    return copy
  }

  private func restoring(
    _ name: String, at now: Double, _ goBack: @escaping @Sendable (Database) throws -> Void
  ) async throws -> Position? {
    try await reversing { db in
      var head = try DocumentHead(of: db)
      let changeset = try self.recordingReversal(db) { try goBack(db) }
      if changeset.isEmpty { return nil }
      // A program without this library may have made rows that refer to rows that are gone now.
      do {
        try ChangesetConflictHandler.checkForeignKeys(of: db)
      } catch let conflict as ChangeConflict {
        throw VersionProblem.conflict(conflict)
      }
      let extent = try changeset.extent()
      let before = head.state
      head.state = head.next()
      let entry = ChangeLog.Entry(
        change: head.state, name: name, before: before, after: head.state, at: now)
      try self.log.retireAll(.redo, in: db)
      let role: ChangeLog.Role = self.options.undo == nil ? .none : .undo
      try self.log.add(entry, changeset, role, above: self.log.last(role, in: db), in: db)
      try ChangeLog.refer(to: changeset.digests(), from: entry.change, in: db)
      try PendingFile.touch(extent.paths, in: db)
      try head.write(to: db)
      return (Position(head: head, hasChanged: true), extent)
    }
  }

  // MARK: Comparing

  /// Returns the differences between two versions; nil is the present state.
  func differences(from revision: UUID, to other: UUID?) throws -> ManagedDifferences {
    let known: ManagedDifferences? = try pool.read { db in
      let (old, new) = (try self.require(revision, in: db), try other.map { try self.require($0, in: db) })
      if let new, new.chain == old.chain {
        let isForward = old.number <= new.number
        let numbers = try (isForward ? old : new).numbersToEnd(in: db).prefix {
          $0 < max(old.number, new.number)
        }
        let changeset = try ChangeGroup.concatenate(numbers.map { try KeptVersion.changeset(of: $0, in: db) })
        let differences = try ManagedDifferences(changeset, in: db)
        return isForward ? differences : differences.inverted
      }
      guard new == nil, try DatabaseVersions.snapshotName(of: old.chain, in: db) == nil else { return nil }
      return try ManagedDifferences(ChangeGroup.concatenate(self.changesets(from: old, in: db)), in: db)
    }
    if let known { return known }
    let (old, new) = (try copy(of: revision), try copy(of: other))
    try new.queue.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ? AS \(Self.attached)", arguments: [old.path])
    }
    return try new.queue.read { db in try TableComparison.differences(from: Self.attached, in: db) }
  }

  // MARK: The history as a whole

  /// Calls `body` with the history of the document, in a transaction.
  private func changeHistory<Result: Sendable>(
    _ body: @escaping @Sendable (inout DocumentHistory, Database) throws -> Result
  ) throws -> Result {
    try pool.write { db in
      guard var history = try DocumentHistory(of: db) else { throw VersionProblem.noHistory }
      let result = try body(&history, db)
      try history.write(to: db)
      return result
    }
  }

  func keepsHistory() throws -> Bool { try pool.read { db in try DocumentHistory(of: db) != nil } }

  func startKeepingHistory() throws { try pool.write { db in try DocumentHistory.begin(in: db) } }

  /// Removes all versions, and keeps no more.
  func stopKeepingHistory() throws {
    try pool.write { db in
      try DatabaseVersions.remove(Set(KeptVersion.all(in: db).map(\.number)), in: db)
      try db.execute(sql: "DELETE FROM grdb_history")
    }
    try removeUnneededSnapshots()
  }

  func retentionPolicy() throws -> RetentionPolicy? {
    try pool.read { db in try DocumentHistory(of: db)?.policy }
  }

  func setRetentionPolicy(_ policy: RetentionPolicy) throws {
    try changeHistory { history, _ in history.policy = policy }
  }

  func setDiscardable(_ isDiscardable: Bool, _ revisions: Set<UUID>) throws {
    try changeHistory { _, db in
      for revision in revisions {
        let version = try self.require(revision, in: db)
        try db.execute(
          sql: "UPDATE grdb_versions SET is_discardable = ? WHERE version = ?",
          arguments: [isDiscardable, version.number])
      }
    }
  }

  func removeVersions(_ revisions: Set<UUID>) throws {
    try pool.write { db in
      try DatabaseVersions.remove(Set(revisions.map { try self.require($0, in: db).number }), in: db)
    }
    try removeUnneededSnapshots()
  }

  // MARK: Thinning

  /// Drops the versions that the policy does not keep.
  ///
  /// - Parameter policy: the new policy of the document; nil for the one that it has.
  func thinHistory(
    at date: Date, dryRun: Bool = false, under policy: RetentionPolicy? = nil
  ) throws -> ThinningReport {
    var report = ThinningReport(isDryRun: dryRun)
    try pool.write { db in
      guard var history = try DocumentHistory(of: db) else { return }
      if let policy { history.policy = policy }
      let dropped = try DatabaseVersions.dropped(by: history.policy, now: date, in: db)
      report.removed = dropped.map(\.revision)
      report.remaining = Int(history.count) - dropped.count
      if dryRun {
        report.bytes = UInt64(clamping: dropped.reduce(0) { $0 + $1.bytes })
        return
      }
      try history.write(to: db)
      try DatabaseVersions.remove(Set(dropped.map(\.number)), in: db)
      let left = try DocumentHistory(of: db)?.bytes ?? 0
      report.bytes = UInt64(clamping: history.bytes - left)
    }
    if !dryRun { try removeUnneededSnapshots() }
    return report
  }

  /// Drops versions if enough have come since the last time.
  func thinHistoryIfDue() throws {
    let isDue = try pool.read { db in try DocumentHistory(of: db)?.isThinningDue ?? false }
    if isDue { _ = try thinHistory(at: Environment.current.now().date) }
  }

  func removeUnneededSnapshots() throws {
    // Within a transaction, so that no other program ends a chain meanwhile.
    try pool.write { db in
      let needed = try String.fetchSet(db, sql: "SELECT name FROM grdb_snapshots")
      try DatabaseCopies(location: self.location).removeSnapshots(except: needed)
    }
  }
}

extension Changeset {
  /// The digests of the files before and after.
  func digests() throws -> Set<Data> {
    var digests: Set<Data> = []
    try forEachRow { row in
      guard row.table == PrivateTables.content else { return }
      for value in [row.old[1], row.new[1]] {
        if let digest = value.flatMap(Data.fromDatabaseValue) { digests.insert(digest) }
      }
    }
    return digests
  }
}
