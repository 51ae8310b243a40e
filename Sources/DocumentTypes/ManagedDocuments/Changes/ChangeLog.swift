import Documents
import FoundationEssentials
import GRDB

/// The changes that a session can undo and redo, and all changes since the last save.
///
/// It is the table `grdb_changes`. Each transaction of an edit, an undo or a redo adds one row (MT1).
struct ChangeLog: Sendable {
  /// The part of a change in undoing.
  enum Role: Int64, Sendable {
    /// Only reverting needs the change.
    case none
    /// `undo()` takes it back.
    case undo
    /// `redo()` takes it back.
    case redo
  }

  /// One change, without its changeset.
  struct Entry: Sendable, Hashable {
    var change: Int64
    /// The first change of those that are undone together.
    var step: Int64
    var name: String
    /// The states before and after the change.
    var before: Int64
    var after: Int64
    /// The time, in seconds since the session began.
    var at: Double
    /// The number of steps and bytes up to this one, since the session began.
    var steps: Int64 = 0
    var bytes: Int64 = 0

    init(change: Int64, step: Int64? = nil, name: String, before: Int64, after: Int64, at: Double) {
      (self.change, self.step, self.name) = (change, step ?? change, name)
      (self.before, self.after, self.at) = (before, after, at)
    }

    fileprivate init(_ row: Row) {
      (change, step, name, before, after) = (row[0], row[1], row[2], row[3], row[4])
      (at, steps, bytes) = (row[5], row[6], row[7])
    }
  }

  /// The number of the open document that makes the changes.
  let session: Int64
  let policy: UndoPolicy

  private static let columns = "change, step, name, before, after, at, steps, bytes"
  private static let columnCount = 8

  /// The condition for a role, as the index of the other roles than `undo` needs it. An edit adds a row of that role:
  /// without an entry in an index, it writes one page less.
  private static func condition(_ role: Role) -> String {
    role == .undo ? "role = 1" : "role <> 1 AND role = \(role.rawValue)"
  }

  /// The changes that `undo()` and `redo()` can take back, as far as the next edit needs them.
  struct Stack: Sendable, Hashable {
    /// The last change that `undo()` takes back.
    var last: Entry?
    /// The first one, if an edit has needed it.
    var first: Entry?
    /// The number of bytes before the first one, since the session began.
    var bytesBefore: Int64 = 0
    /// No change before this one can be undone.
    var start: Int64 = 0
    /// Whether there are changes that `redo()` takes back.
    var hasRedo = false
  }

  /// - Parameter earlier: the stack of an earlier moment.
  func stack(in db: Database, earlier: Stack?) throws -> Stack {
    var stack = Stack(last: try last(.undo, in: db), hasRedo: try last(.redo, in: db) != nil)
    // A session adds changes at the end only.
    stack.start = earlier?.first?.change ?? earlier?.start ?? 0
    return stack
  }

  private func readFirst(of stack: inout Stack, in db: Database) throws {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(Self.columns), bytes - length(changeset) FROM grdb_changes
          WHERE session = ? AND role = 1 AND change >= ? ORDER BY change LIMIT 1
          """), arguments: [session, stack.start])
    stack.first = row.map(Entry.init)
    stack.bytesBefore = row?[Self.columnCount] ?? 0
    stack.start = stack.first?.change ?? stack.start
  }

  /// Adds an edit that `undo()` takes back. It ends redoing, and the oldest steps beyond the policy go; the last step
  /// always stays.
  func push(_ entry: Entry, _ changeset: Changeset, on stack: inout Stack, in db: Database) throws {
    if stack.hasRedo { try retireAll(.redo, in: db) }
    stack.hasRedo = false
    let last = try add(entry, changeset, .undo, above: stack.last, in: db)
    stack.last = last
    // The numbers of all steps and bytes of the session are no smaller than those of the stack.
    guard last.bytes > policy.byteBudget || policy.levels > 0 && last.steps > policy.levels else { return }
    if stack.first == nil { try readFirst(of: &stack, in: db) }
    while let first = stack.first, first.step != last.step,
      last.bytes - stack.bytesBefore > policy.byteBudget
        || policy.levels > 0 && last.steps - first.steps >= policy.levels
    {
      try db.cachedStatement(
        sql: """
          UPDATE grdb_changes SET role = 0 WHERE session = ?1 AND role = 1 AND change >= ?2 AND change < (
            SELECT change FROM grdb_changes
            WHERE session = ?1 AND role = 1 AND change > ?2 AND step <> ?3 ORDER BY change LIMIT 1)
          """
      ).execute(arguments: [session, first.change, first.step])
      try readFirst(of: &stack, in: db)
    }
  }

  /// Returns the last change of the role; nil if there is none.
  func last(_ role: Role, in db: Database) throws -> Entry? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(Self.columns) FROM grdb_changes WHERE session = ? AND \(Self.condition(role))
          ORDER BY change DESC LIMIT 1
          """), arguments: [session]
    ).map(Entry.init)
  }

  /// Returns all changes of the last step of the role, the newest first.
  func lastStep(_ role: Role, in db: Database) throws -> [Entry] {
    guard let last = try last(role, in: db) else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(Self.columns) FROM grdb_changes
          WHERE session = ? AND \(Self.condition(role)) AND change >= ? AND step = ? ORDER BY change DESC
          """), arguments: [session, last.step, last.step]
    ).map(Entry.init)
  }

  /// Returns this session's changes after one, the newest first.
  func changes(after change: Int64, in db: Database) throws -> [Entry] {
    try Row.fetchAll(
      db,
      sql: "SELECT \(Self.columns) FROM grdb_changes WHERE session = ? AND change > ? ORDER BY change DESC",
      arguments: [session, change]
    ).map(Entry.init)
  }

  /// Returns whether the changes of all sessions lead from the saved state to the present one.
  func knowsUnsavedChanges(_ head: DocumentHead, in db: Database) throws -> Bool {
    var state = head.savedState
    let rows = try Row.fetchCursor(
      db, sql: "SELECT before, after FROM grdb_changes WHERE change > ? ORDER BY change",
      arguments: [head.savedChange])
    while let row = try rows.next() {
      if row[0] != state { return false }
      state = row[1]
    }
    return state == head.state
  }

  /// Reads the changeset of a change.
  static func changeset(of entry: Entry, in db: Database) throws -> Changeset {
    let bytes = try Data.fetchOne(
      db.cachedStatement(sql: "SELECT changeset FROM grdb_changes WHERE change = ?"),
      arguments: [entry.change])
    guard let bytes else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return Changeset(bytes: bytes)
  }

  /// Adds a change above the last one of its role.
  ///
  /// - Returns: the entry, with the numbers of steps and bytes.
  @discardableResult
  func add(
    _ entry: Entry, _ changeset: Changeset, _ role: Role, above last: Entry?, in db: Database
  ) throws -> Entry {
    var entry = entry
    entry.steps = (last?.steps ?? 0) + (entry.step != last?.step ? 1 : 0)
    entry.bytes = (last?.bytes ?? 0) + Int64(changeset.bytes.count)
    try db.cachedStatement(
      sql: """
        INSERT INTO grdb_changes(session, role, changeset, \(Self.columns))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      session, role.rawValue, changeset.bytes, entry.change, entry.step, entry.name, entry.before,
      entry.after, entry.at, entry.steps, entry.bytes,
    ])
    return entry
  }

  /// Leaves the changes to reverting, and nothing else.
  func retire(_ entries: [Entry], in db: Database) throws {
    for entry in entries {
      try db.cachedStatement(sql: "UPDATE grdb_changes SET role = 0 WHERE change = ?")
        .execute(arguments: [entry.change])
    }
  }

  /// Leaves all changes of the role to reverting.
  func retireAll(_ role: Role, in db: Database) throws {
    try db.cachedStatement(
      sql: "UPDATE grdb_changes SET role = 0 WHERE session = ? AND \(Self.condition(role))"
    ).execute(arguments: [session])
  }

  /// Forgets the changes of all sessions. They hold for one schema and for one set of keys.
  static func forgetAll(in db: Database) throws {
    try db.execute(sql: "DELETE FROM grdb_changes; DELETE FROM grdb_references WHERE change > 0")
  }

  /// Removes the changes that neither undoing nor reverting needs, with the digests that they alone refer to.
  static func removeUnneeded(upTo change: Int64, in db: Database) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM grdb_references
        WHERE change IN (SELECT change FROM grdb_changes WHERE \(condition(.none)) AND change <= ?)
        """
    ).execute(arguments: [change])
    try db.cachedStatement(sql: "DELETE FROM grdb_changes WHERE \(condition(.none)) AND change <= ?")
      .execute(arguments: [change])
  }

  /// Takes over the changes of documents that are not open any more.
  ///
  /// - Parameter keepsUndo: whether this session can undo them, too.
  func adoptAll(keepsUndo: Bool, savedChange: Int64, in db: Database) throws {
    try db.execute(
      sql: "UPDATE grdb_changes SET session = ?\(keepsUndo ? "" : ", role = 0") WHERE session <> ?",
      arguments: [session, session])
    try Self.removeUnneeded(upTo: savedChange, in: db)
  }

  /// Returns the number of steps of the role.
  func count(_ role: Role, in db: Database) throws -> Int {
    try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT count(DISTINCT step) FROM grdb_changes WHERE session = ? AND \(Self.condition(role))"),
      arguments: [session]) ?? 0
  }

  /// Notes that a change needs the bytes that these changes need.
  func copyReferences(of entries: [Entry], to change: Int64, in db: Database) throws {
    for entry in entries {
      try db.cachedStatement(
        sql: "INSERT OR IGNORE INTO grdb_references SELECT digest, ? FROM grdb_references WHERE change = ?"
      ).execute(arguments: [change, entry.change])
    }
  }

  /// Notes that a change needs the bytes of these digests.
  static func refer(to digests: some Sequence<Data>, from change: Int64, in db: Database) throws {
    for digest in digests {
      try db.cachedStatement(sql: "INSERT OR IGNORE INTO grdb_references(digest, change) VALUES (?, ?)")
        .execute(arguments: [digest, change])
    }
  }
}
