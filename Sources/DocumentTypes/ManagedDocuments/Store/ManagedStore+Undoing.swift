import Documents
import FoundationEssentials
import GRDB

extension ManagedStore {
  /// Takes back the last step of the role; nil if there is none.
  func takeBack(_ role: ChangeLog.Role, at now: Double) async throws -> DocumentHead? {
    try await reversing { db in
      let entries = try self.log.lastStep(role, in: db)
      guard let newest = entries.first else { return nil }
      var head = try DocumentHead(of: db)
      let extent = try self.takeBack(entries, named: newest.name, at: now, &head, in: db) {
        changeset, entry in
        let opposite: ChangeLog.Role = role == .undo ? .redo : .undo
        try self.log.retire(entries, in: db)
        try self.log.add(entry, changeset, opposite, above: self.log.last(opposite, in: db), in: db)
        try self.log.copyReferences(of: entries, to: entry.change, in: db)
      }
      try head.write(to: db)
      return (head, extent)
    }
  }

  /// Takes back all changes of this session since the last save, and forgets what could be undone.
  func revertToSaved(at now: Double) async throws -> DocumentHead? {
    try await reversing { db in
      var head = try DocumentHead(of: db)
      let entries = try self.log.changes(after: head.savedChange, in: db)
      var extent = Changeset.Extent()
      if try head.hasUnsavedChanges && !self.log.knowsUnsavedChanges(head, in: db) {
        throw DocumentError.Reason("the changes since its last save are not known")
      }
      if head.hasUnsavedChanges && !entries.isEmpty {
        extent = try self.takeBack(entries, named: "", at: now, &head, in: db) { changeset, entry in
          try self.log.add(entry, changeset, .none, above: nil, in: db)
          try self.log.copyReferences(of: entries, to: entry.change, in: db)
        }
      }
      try self.log.retireAll(.undo, in: db)
      try self.log.retireAll(.redo, in: db)
      try head.write(to: db)
      return (head, extent)
    }
  }

  /// Takes back changes that follow each other, the newest first.
  ///
  /// - Parameter note: notes the changes that this makes, and their entry.
  /// - Returns: the changed tables.
  private func takeBack(
    _ entries: [ChangeLog.Entry], named name: String, at now: Double, _ head: inout DocumentHead,
    in db: Database, note: (Changeset, ChangeLog.Entry) throws -> Void
  ) throws -> Changeset.Extent {
    // No other change came between: every row is as the changes left it.
    let isExact =
      head.state == entries.first?.after
      && zip(entries, entries.dropFirst()).allSatisfy { $0.before == $1.after }
    let changeset = try recordingReversal(db) {
      var indexes = try IndexReversal(in: db)
      for entry in entries {
        let changeset = try ChangeLog.changeset(of: entry, in: db)
        try indexes.note(changeset)
        do {
          if isExact {
            try changeset.takeBack(on: db, &indexes)
            continue
          }
        } catch is ChangeConflict where options.mergePolicy != .error {
          // A program without this library changed the rows.
        }
        indexes.isStale = true
        var resolution = ChangesetConflictHandler(options.mergePolicy, indexes)
        try changeset.takeBack(on: db, &resolution)
        try resolution.updateColumns(in: db)
      }
      try indexes.end(in: db)
    }
    if !isExact { try ChangesetConflictHandler.checkForeignKeys(of: db) { try pool.read($0) } }
    let extent = try changeset.extent()
    try checkBytes(of: extent.paths, in: db)
    if extent.tables.contains(ConflictTable.name) { try ConflictTable.refer(in: db) }
    let change = head.next()
    let before = head.state
    head.state = isExact ? entries.last?.before ?? change : change
    try PendingFile.touch(extent.paths, in: db)
    try note(
      changeset, .init(change: change, name: name, before: before, after: head.state, at: now))
    return extent
  }

  /// Checks that the document has the bytes of the files, or had them under their names when they were published.
  private func checkBytes(of paths: [String], in db: Database) throws {
    let content = try content(db)
    for path in paths.map(ContentPath.init(stored:)) {
      guard let digest = try content.row(path.string)?.digest, try content.storedBytes(digest) == nil,
        try PublishedFile.at(path, in: db)?.digest != digest
      else { continue }
      if try content.storedFile(digest, at: [path]) == nil {
        throw ChangeConflict(kind: .lostBytes, table: ContentObjects.visiblePath(path))
      }
    }
  }

  /// Returns the changes that `body` makes on the connection that takes changes back.
  func recordingReversal(_ db: Database, _ body: () throws -> Void) throws -> Changeset {
    try reverserRecorder.recording(db, EditBase.schemaVersion(db), body).1
  }

  /// Runs a transaction on the connection that takes changes back, while the pool's writer waits. Then it tells the
  /// pool's observers.
  func reversing(
    _ body: @escaping @Sendable (Database) throws -> (DocumentHead, Changeset.Extent)?
  ) async throws -> DocumentHead? {
    // In a task of its own: if that of the caller is cancelled, the writer refuses what follows the commit.
    try await Task {
      try await self.pool.writeWithoutTransaction { writer in
        var outcome: (head: DocumentHead, extent: Changeset.Extent)?
        try self.reverser.inDatabase { db in
          var own: ObservedTransactions.OwnTransaction?
          try db.inTransaction(.immediate) {
            own = try self.observed.begin(on: db, writer)
            outcome = try body(db)
            return .commit
          }
          if let own { try self.observed.end(own, on: db, writer) }
        }
        guard let outcome else { return nil }
        try writer.inTransaction(.deferred) {
          for table in outcome.extent.tables { try writer.notifyChanges(in: Table(table)) }
          return .commit
        }
        return outcome.head
      }
    }.value
  }
}
