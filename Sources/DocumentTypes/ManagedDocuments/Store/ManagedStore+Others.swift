import DurableIO
import FilePackages
import GRDB
import SystemPackage

extension ManagedStore {
  /// Tells the observers if another program has committed since the last call.
  ///
  /// Cost: one statement on the pool's writer, if no other program has.
  ///
  /// - Returns: the head as the other program left it; nil if there was no such commit.
  func takeInOthers() async throws -> DocumentHead? {
    try await pool.writeWithoutTransaction { db in
      try self.observed.ifNew(on: db) {
        var head: DocumentHead?
        try db.inTransaction(.deferred) {
          try db.notifyChanges(in: .fullDatabase)
          head = try DocumentHead(of: db)
          return .commit
        }
        return head
      } ?? nil
    }
  }
}

// A document that cannot be written, and one whose package another program removed.
extension ManagedStore {
  var isWritable: Bool { access.refusal == nil }

  /// The error of an edit or a save of a document that cannot be written; nil for any other.
  var refusal: FilePackageError? {
    switch access.refusal {
    case .disk(let error):
      return FilePackageError(
        error.code == .permissionDenied ? .permissionDenied : .readOnly, .save,
        StoredNode(location: location, path: .root))
    case .newerSchema(let program):
      return FilePackageError(
        .newerFormat, .save, document: location.path.string,
        reason: "\(TablesProblem.newerSchema.reason): \(program.name) \(program.version) saved it last")
    case nil: return nil
    }
  }

  /// Reads from the one connection that is certain to be open: a new one finds no files any more.
  func readRemoved<Result: Sendable>(
    _ body: @escaping @Sendable (Database, AdditionalContent) throws -> Result
  ) async throws -> Result {
    try await pool.writeWithoutTransaction { db in
      var result: Result?
      try db.inTransaction(.deferred) {
        result = try body(db, try self.content(db))
        return .rollback
      }
      guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      return result
    }
  }
}
