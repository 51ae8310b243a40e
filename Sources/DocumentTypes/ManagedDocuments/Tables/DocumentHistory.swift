import FilePackages
import FoundationEssentials
import GRDB

/// The row of a document that keeps versions: its policy and its counts.
struct DocumentHistory: Sendable, Hashable {
  var policy: RetentionPolicy
  /// The number of the present chain. A migration begins a new one.
  var chain: Int64
  /// The state at which the present chain began.
  var startState: Int64
  /// The tables whose changes the present chain has.
  var tables: String
  /// The number of versions.
  var count: Int64
  /// The number of versions since the last thinning.
  var added: Int64
  /// The bytes of all versions.
  var bytes: Int64

  static let schema = """
    CREATE TABLE IF NOT EXISTS grdb_history(
      id INTEGER PRIMARY KEY CHECK (id = 1), keeps_all REAL NOT NULL, keeps_hourly REAL NOT NULL,
      keeps_daily REAL NOT NULL, byte_budget INTEGER NOT NULL, chain INTEGER NOT NULL, start_state INTEGER NOT NULL,
      tables TEXT NOT NULL, count INTEGER NOT NULL, added INTEGER NOT NULL, bytes INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS grdb_versions(
      version INTEGER PRIMARY KEY, chain INTEGER NOT NULL, revision TEXT NOT NULL UNIQUE, next_state INTEGER NOT NULL,
      date REAL NOT NULL, is_discardable INTEGER NOT NULL, bytes INTEGER NOT NULL, plist BLOB NOT NULL,
      changeset BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS grdb_snapshots(
      chain INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL);
    """

  /// Reads the row; nil if the document keeps no versions.
  init?(of db: Database) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT keeps_all, keeps_hourly, keeps_daily, byte_budget, chain, start_state, tables, count, added, bytes
        FROM grdb_history
        """)
    guard let row = try Row.fetchOne(statement) else { return nil }
    policy = RetentionPolicy(
      keepsAll: row[0], keepsHourly: row[1], keepsDaily: row[2],
      byteBudget: UInt64(clamping: row[3] as Int64))
    (chain, startState, tables, count, added, bytes) = (row[4], row[5], row[6], row[7], row[8], row[9])
  }

  /// Begins a history at the present state, if there is none.
  static func begin(in db: Database) throws {
    if try DocumentHistory(of: db) != nil { return }
    let policy = RetentionPolicy.standard
    try db.execute(
      sql: "INSERT INTO grdb_history VALUES (1, ?, ?, ?, ?, 1, ?, ?, 0, 0, 0)",
      arguments: [
        policy.keepsAll, policy.keepsHourly, policy.keepsDaily, Int64(clamping: policy.byteBudget),
        try DocumentHead(of: db).state, try RecordedTables.description(in: db),
      ])
  }

  func write(to db: Database) throws {
    try db.cachedStatement(
      sql: """
        UPDATE grdb_history SET keeps_all = ?, keeps_hourly = ?, keeps_daily = ?, byte_budget = ?, chain = ?,
          start_state = ?, tables = ?, count = ?, added = ?, bytes = ?
        """
    ).execute(arguments: [
      policy.keepsAll, policy.keepsHourly, policy.keepsDaily, Int64(clamping: policy.byteBudget), chain,
      startState, tables, count, added, bytes,
    ])
  }

  /// Whether thinning is due. Thinning reads the list of all versions, so it is due after a share of new ones.
  var isThinningDue: Bool {
    added >= max(64, count / 8) || added > 0 && UInt64(clamping: bytes) > policy.byteBudget
  }
}
