import GRDB

/// A version that the store or its news have, and that this machine could not read.
struct UnreadVersion: Sendable, Hashable {
  var document: CloudDocumentID
  var sequence: Int
  /// The reason, in a sentence.
  var problem: String
}

extension ContainerState {
  /// Returns the versions that this machine could not read. A document may have got a later one since.
  func unread() async throws -> [UnreadVersion] {
    try await database.read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM unread ORDER BY document").compactMap { row in
        guard let document = CloudDocumentID(row["document"] as String) else { return nil }
        return UnreadVersion(document: document, sequence: row["sequence"], problem: row["problem"])
      }
    }
  }

  /// Notes the versions that this machine could not read, in place of those of the run before.
  func setUnread(_ versions: [UnreadVersion]) async throws {
    try await database.write { db in
      try db.execute(sql: "DELETE FROM unread")
      for version in versions {
        try db.execute(
          sql: "INSERT INTO unread VALUES (?, ?, ?)",
          arguments: [version.document.string, version.sequence, version.problem])
      }
    }
  }
}
