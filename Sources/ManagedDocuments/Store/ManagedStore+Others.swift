import GRDB

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
