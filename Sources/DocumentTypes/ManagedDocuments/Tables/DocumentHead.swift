import GRDB

/// The row that says in which state the document is.
///
/// A state has a number that no other state has. Undoing an edit gives the document the number from before again.
struct DocumentHead: Sendable, Hashable {
  /// The last number of a state, a change or a session.
  var last: Int64
  /// The present state.
  var state: Int64
  /// The state of the last save.
  var savedState: Int64
  /// The last change that the last save has.
  var savedChange: Int64

  var hasUnsavedChanges: Bool { state != savedState }

  /// Whether this is the row before the other one. Edits raise the first number, saves the second one.
  func isOlder(than other: DocumentHead) -> Bool {
    (last, savedChange) < (other.last, other.savedChange)
  }

  /// Reads the row, and the last change: an edit adds its change, and leaves the row as it is.
  init(of db: Database) throws {
    let statement = try db.cachedStatement(
      sql: "SELECT last, state, saved_state, saved_change FROM grdb_document")
    guard let row = try Row.fetchOne(statement) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    (last, state, savedState, savedChange) = (row[0], row[1], row[2], row[3])
    let changes = try db.cachedStatement(
      sql: "SELECT change, after FROM grdb_changes WHERE change > ? ORDER BY change DESC LIMIT 1")
    if let change = try Row.fetchOne(changes, arguments: [last]) { (last, state) = (change[0], change[1]) }
  }

  /// Returns a number that is new.
  mutating func next() -> Int64 {
    last += 1
    return last
  }

  /// Forgets that changes since the last save took each other back.
  mutating func rebase() { if !hasUnsavedChanges { savedChange = last } }

  func write(to db: Database) throws {
    try db.cachedStatement(
      sql: "UPDATE grdb_document SET last = ?, state = ?, saved_state = ?, saved_change = ?"
    ).execute(arguments: [last, state, savedState, savedChange])
  }

  /// Writes the row of a save.
  func write(to db: Database, with saved: SavedMetadata) throws {
    try db.cachedStatement(
      sql: "UPDATE grdb_document SET last = ?, state = ?, saved_state = ?, saved_change = ?, plist = ?"
    ).execute(arguments: [last, state, savedState, savedChange, saved.plist])
  }
}
