import FilePackages
import FoundationEssentials
import GRDB

// MV1 A version is kept in the transaction of the save that replaces it, at no flush of its own.
// MV2 The versions of a chain have all changes from the first one to the present state, or to the chain's snapshot. A
//    chain with a gap has no versions.
// MV3 A chain ends with a snapshot of the database, durable before a migration changes the schema.

/// Keeps versions, in the database of the document.
///
/// A version has the changes from its state to that of the next one. They are changesets as SQLite's sessions record
/// them and its change groups combine them. SQLite inverts a changeset while it applies it.
enum DatabaseVersions {
  /// Keeps the last saved state as a version, if the document keeps any (MV1).
  ///
  /// Cost: by the changes since that save, for any number of versions.
  ///
  /// - Parameters:
  ///   - metadata: the metadata of the last save.
  ///   - head: the position before the next save is marked.
  static func keep(_ metadata: SavedMetadata, before head: DocumentHead, in db: Database) throws {
    guard var history = try DocumentHistory(of: db) else { return }
    if let changeset = try connectedChanges(&history, head, in: db) {
      history.bytes += try KeptVersion.add(metadata, changeset, to: head.state, chain: history.chain, in: db)
      (history.count, history.added) = (history.count + 1, history.added + 1)
    }
    try history.write(to: db)
  }

  /// Returns the changes since the last save, as one changeset.
  ///
  /// If they are not known, or do not follow the last version, the chain has a gap. It loses its versions (MV2).
  private static func connectedChanges(
    _ history: inout DocumentHistory, _ head: DocumentHead, in db: Database
  ) throws -> Changeset? {
    let changeset = try changesSinceSave(head, in: db)
    let last = try KeptVersion.last(of: history.chain, in: db)
    if changeset == nil || last.map({ $0.nextState != head.savedState }) ?? false {
      try removeChain(&history, in: db)
    }
    return changeset
  }

  /// Returns the changes of all open documents since the last save; nil if an edit was not recorded.
  static func changesSinceSave(_ head: DocumentHead, in db: Database) throws -> Changeset? {
    try changesetsSinceSave(head, in: db).map(ChangeGroup.concatenate)
  }

  /// Returns the same as single changesets, the oldest first.
  static func changesetsSinceSave(_ head: DocumentHead, in db: Database) throws -> [Changeset]? {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT before, after, changeset FROM grdb_changes WHERE change > ? ORDER BY change"),
      arguments: [head.savedChange])
    // Each change begins with the state that the one before left. An edit that was not recorded leaves a gap.
    var state = head.savedState
    for row in rows {
      if row[0] as Int64 != state { return nil }
      state = row[1]
    }
    return state == head.state ? rows.map { Changeset(bytes: $0[2]) } : nil
  }

  /// Removes the versions of the present chain, which has no snapshot.
  static func removeChain(_ history: inout DocumentHistory, in db: Database) throws {
    for version in try KeptVersion.all(in: db) where version.chain == history.chain {
      try KeptVersion.remove(version.number, in: db)
      history.count -= 1
      history.bytes -= version.bytes
    }
  }

  // MARK: Chains

  /// Ends the present chain before a migration, with the present state as its last version (MV3).
  ///
  /// - Parameter snapshot: makes the snapshot of the database, durable; returns its name and its size.
  /// - Returns: false if there is nothing to keep, as after a migration that was killed.
  static func endChain(
    _ metadata: SavedMetadata, at head: DocumentHead, in db: Database,
    snapshot: () throws -> (name: String, bytes: Int64)
  ) throws -> Bool {
    guard var history = try DocumentHistory(of: db) else { return false }
    let isSnapshot =
      try snapshotName(of: history.chain - 1, in: db) != nil && head.state == history.startState
    if try isSnapshot && !head.hasUnsavedChanges && KeptVersion.last(of: history.chain, in: db) == nil {
      return false
    }
    guard let changeset = try connectedChanges(&history, head, in: db) else {
      try history.write(to: db)
      return false
    }
    let (name, bytes) = try snapshot()
    try db.execute(
      sql: "INSERT INTO grdb_snapshots(chain, name, bytes) VALUES (?, ?, ?)",
      arguments: [history.chain, name, bytes])
    let versionBytes = try KeptVersion.add(metadata, changeset, to: head.state, chain: history.chain, in: db)
    history.bytes += bytes + versionBytes
    (history.count, history.added) = (history.count + 1, history.added + 1)
    history.chain += 1
    try history.write(to: db)
    return true
  }

  /// Begins with the present schema, after a migration.
  static func beginChain(at head: DocumentHead, in db: Database) throws {
    guard var history = try DocumentHistory(of: db) else { return }
    history.startState = head.state
    history.tables = try RecordedTables.description(in: db)
    try history.write(to: db)
  }

  /// Removes the versions of the present chain if another program changed the tables: their changes hold no more (MV2).
  static func checkSchema(in db: Database) throws {
    guard var history = try DocumentHistory(of: db) else { return }
    let tables = try RecordedTables.description(in: db)
    if history.tables == tables { return }
    try removeChain(&history, in: db)
    history.tables = tables
    try history.write(to: db)
  }

  /// The snapshot at the end of a chain; nil for the present chain.
  static func snapshotName(of chain: Int64, in db: Database) throws -> String? {
    try String.fetchOne(db, sql: "SELECT name FROM grdb_snapshots WHERE chain = ?", arguments: [chain])
  }

  // MARK: Thinning

  /// Removes versions; the versions before them get their changes.
  static func remove(_ numbers: Set<Int64>, in db: Database) throws {
    var survivor: KeptVersion?
    var following: [KeptVersion] = []
    func mergeFollowing() throws {
      if let survivor { try KeptVersion.merge(survivor.number, with: following, in: db) }
      following = []
    }
    for version in try KeptVersion.all(in: db) {
      if survivor?.chain != version.chain {
        try mergeFollowing()
        survivor = nil
      }
      if !numbers.contains(version.number) {
        try mergeFollowing()
        survivor = version
      } else if survivor != nil {
        following.append(version)
      } else {
        try KeptVersion.remove(version.number, in: db)
      }
    }
    try mergeFollowing()
    try db.execute(
      sql: "DELETE FROM grdb_snapshots WHERE chain NOT IN (SELECT chain FROM grdb_versions)")
    try recount(in: db)
  }

  private static func recount(in db: Database) throws {
    guard var history = try DocumentHistory(of: db) else { return }
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT count(*), coalesce(sum(bytes), 0) + (SELECT coalesce(sum(bytes), 0) FROM grdb_snapshots)
        FROM grdb_versions
        """)
    (history.count, history.bytes, history.added) = (row?[0] ?? 0, row?[1] ?? 0, 0)
    try history.write(to: db)
  }

  /// Returns the versions that a policy drops.
  static func dropped(by policy: RetentionPolicy, now: Date, in db: Database) throws -> [KeptVersion] {
    let versions = try KeptVersion.all(in: db)
    let snapshots = try Row.fetchAll(db, sql: "SELECT chain, bytes FROM grdb_snapshots")
    // The snapshot goes with the last version of its chain.
    var snapshotBytes: [Int64: Int64] = [:]
    for row in snapshots {
      guard let last = versions.last(where: { $0.chain == row[0] as Int64 }) else { continue }
      snapshotBytes[last.number] = row[1]
    }
    let candidates = versions.map { version in
      RetentionPolicy.Candidate(
        revision: version.revision, date: Date(timeIntervalSince1970: version.date),
        bytes: UInt64(clamping: version.bytes + (snapshotBytes[version.number] ?? 0)),
        isDiscardable: version.isDiscardable)
    }
    var dropped = policy.outdated(of: candidates, now: now)
    dropped.formUnion(policy.beyondBudget(of: candidates.filter { !dropped.contains($0.revision) }))
    return versions.filter { dropped.contains($0.revision) }
  }
}
