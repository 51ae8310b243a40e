import Dispatch
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import Synchronization

/// The open database of a document, with the additional content.
///
/// Two connections write. The pool's writer makes the edits and the saves. The other one takes changes back, with
/// triggers and foreign keys off: full-text tables and other caches then notice it as another program's transaction. It
/// runs only while the pool's writer waits for it.
final class ManagedStore: Sendable {
  let place: StoreLocation
  let objects: ContentObjects
  let access: StoreAccess
  let pool: DatabasePool
  /// The connection that takes changes back.
  let reverser: DatabaseQueue
  let log: ChangeLog
  let options: ManagedDocumentOptions
  /// Records the edits.
  private let recorder: ChangeRecorder
  /// Records what the other connection takes back.
  let reverserRecorder: ChangeRecorder
  /// The facts as the last edit or save left them, with the number of the database's state that they are of.
  let known = Mutex<(dataVersion: UInt32, base: EditBase)?>(nil)
  /// The transactions that the pool's observers know.
  let observed: ObservedTransactions

  /// - Parameter session: the number of this open document.
  init(
    _ place: StoreLocation, _ access: StoreAccess, _ pool: DatabasePool, _ recorder: ChangeRecorder,
    _ reverser: DatabaseQueue, _ observed: ObservedTransactions, session: Int64,
    _ options: ManagedDocumentOptions
  ) {
    (self.place, self.access, self.pool) = (place, access, pool)
    (self.reverser, self.options) = (reverser, options)
    self.observed = observed
    objects = ContentObjects(place.location)
    log = ChangeLog(session: session, policy: options.undo ?? UndoPolicy())
    self.recorder = recorder
    reverserRecorder = reverser.inDatabase { ChangeRecorder(on: $0) }
  }

  deinit {
    // The last reference may end on one of the two queues. Waiting for that queue there would be an error.
    DispatchQueue.global().async { [pool, recorder, reverser, reverserRecorder] in
      Self.release(pool, recorder, reverser, reverserRecorder)
    }
  }

  var location: Location { place.location }

  /// Closes the database. SQLite then brings the write-ahead log into the database's own file and removes it.
  func close() throws {
    Self.release(pool, recorder, reverser, reverserRecorder)
    // The pool closes its readers last, and a reader cannot write. So the last connection is the other one. It takes
    // part in the log only after it has read.
    try reverser.inDatabase { db in _ = try DocumentHead(of: db) }
    try pool.close()
    try reverser.close()
  }

  /// The recorders have statements, which SQLite wants gone before their connections.
  private static func release(
    _ pool: DatabasePool, _ recorder: ChangeRecorder, _ reverser: DatabaseQueue,
    _ reverserRecorder: ChangeRecorder
  ) {
    pool.writeWithoutTransaction { recorder.release(on: $0) }
    reverser.inDatabase { reverserRecorder.release(on: $0) }
  }

  func content(_ db: Database) throws(SystemError) -> AdditionalContent {
    do {
      try place.follow()
    } catch  where error.isAbsence {
      // A package that is gone has no files, and the look at a file tells that.
    }
    return AdditionalContent(db: db, objects: objects)
  }

  // MARK: Editing

  /// Makes one transaction of rows and files (MT1).
  ///
  /// - Parameter now: the time since the document was opened, in seconds.
  /// - Returns: the result of `body`, and the head; nil if nothing has changed.
  func edit<Result: Sendable>(
    _ name: String, at now: Double,
    _ body: @escaping @Sendable (Database, AdditionalContentEditor) throws -> Result
  ) async throws -> (Result, DocumentHead?) {
    try await pool.writeWithoutTransaction { db in
      var outcome: (result: Result, head: DocumentHead?, base: EditBase, version: UInt32)?
      try db.inTransaction(.immediate) {
        var base = try self.base(db)
        _ = base.head.next()
        let editor = AdditionalContentEditor(try self.content(db))
        defer { editor.end() }
        let countBefore = db.totalChangesCount
        let change = { () throws -> Result in
          let result = try body(db, editor)
          if try EditBase.schemaVersion(db) != base.schemaVersion { throw TablesProblem.schemaChanged }
          return result
        }
        let result: Result
        var changeset: Changeset?
        if self.options.undo != nil {
          (result, changeset) = try self.recorder.recording(db, base.schemaVersion, change)
        } else {
          result = try change()
        }
        let hasChanged =
          editor.restoresFile || (changeset.map { !$0.isEmpty } ?? (db.totalChangesCount != countBefore))
        if hasChanged { try self.note(name, changeset, editor.digests, at: now, &base, in: db) }
        let version = try EditBase.dataVersion(db) &+ 1
        outcome = (result, hasChanged ? base.head : nil, base, version)
        return .commit
      }
      guard let outcome else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      try self.remember(outcome.base, at: outcome.version, db)
      return (outcome.result, outcome.head)
    }
  }

  /// Keeps the facts as the transaction that has just ended left them.
  ///
  /// An observer may read on this connection after the commit, and so see another program's transaction, which the facts
  /// lack. The number of the database's state is larger then.
  ///
  /// - Parameter version: the number that the transaction left. A commit adds one.
  func remember(_ base: EditBase, at version: UInt32, _ db: Database) throws {
    let isPresent = try EditBase.dataVersion(db) == version
    known.withLock { $0 = isPresent ? (version, base) : nil }
  }

  /// Returns the facts of this moment, within a transaction.
  func base(_ db: Database) throws -> EditBase {
    let dataVersion = try EditBase.dataVersion(db)
    let known = known.withLock { $0 }
    if let known, known.dataVersion == dataVersion { return known.base }
    return try EditBase(of: db, log, earlier: known?.base)
  }

  /// Adds the edit to the change log, and gives the document a new state.
  private func note(
    _ name: String, _ changeset: Changeset?, _ digests: Set<Data>, at now: Double, _ base: inout EditBase,
    in db: Database
  ) throws {
    // No change of the log leads to this state, so that this edit needs no other one.
    if changeset == nil && base.isUnrecorded && base.head.hasUnsavedChanges { return }
    let before = base.head.state
    base.head.state = base.head.last
    base.isUnrecorded = false
    // The row of a change has the new state, too.
    guard let changeset else {
      base.isUnrecorded = true
      return try base.head.write(to: db)
    }
    let last = base.stack.last
    let isJoined =
      !name.isEmpty && last?.name == name && last?.after == before
      // The time of an earlier session is of another clock.
      && (last?.change ?? 0) > log.session
      && now - (last?.at ?? 0) <= log.policy.groupingInterval.seconds
    let entry = ChangeLog.Entry(
      change: base.head.state, step: isJoined ? last?.step : nil, name: name, before: before,
      after: base.head.state, at: now)
    try log.push(entry, changeset, on: &base.stack, in: db)
    try ChangeLog.refer(to: digests, from: entry.change, in: db)
  }

  // MARK: Looking

  func undoState() async throws -> UndoState {
    try await pool.read { db in
      var state = UndoState(levelsOfUndo: self.log.policy.levels)
      if let last = try self.log.last(.undo, in: db) {
        (state.canUndo, state.undoActionName) = (true, last.name)
        state.undoCount = try self.log.count(.undo, in: db)
      }
      if let last = try self.log.last(.redo, in: db) {
        (state.canRedo, state.redoActionName) = (true, last.name)
        state.redoCount = try self.log.count(.redo, in: db)
      }
      return state
    }
  }
}
