import FilePackages
import GRDB

extension ContainerState {
  /// The last entry of the feed up to which this machine knows all news, and a later one that it made.
  func feedPositions() async throws -> (known: FeedPosition, own: FeedPosition?) {
    let known = try await text(.feed).flatMap { FeedPosition($0) } ?? .start
    let own = try await text(.ownEntry).flatMap { FeedPosition($0) }
    return (known, own.flatMap { $0.number > known.number ? $0 : nil })
  }

  /// Returns versions that the feed does not have yet.
  package func unannounced(upTo limit: Int = .max) async throws -> [FeedEntry.Version] {
    try await database.read { db in
      let sql = "SELECT * FROM unannounced ORDER BY document LIMIT ?"
      return try Row.fetchAll(db, sql: sql, arguments: [limit]).compactMap { row in
        guard let document = CloudDocumentID(row["document"] as String),
          let digest = VersionDigest(row["digest"] as String)
        else { return nil }
        return FeedEntry.Version(document, row["sequence"], digest)
      }
    }
  }

  /// Notes that the feed has versions.
  ///
  /// - Parameters:
  ///   - end: an entry of the feed.
  ///   - chain: `whole` if this machine knows all news up to it. `incomplete` if it made the entry after others that it
  ///     does not know. `rolledBack` if the store lost entries: then the state still has those, to notice it again.
  func noteAnnounced(
    _ versions: [FeedEntry.Version], upTo end: FeedPosition, _ chain: ContainerFeed.State
  ) async throws {
    try await database.write { db in
      let sql = "DELETE FROM unannounced WHERE document = ? AND sequence = ? AND digest = ?"
      let statement = try db.cachedStatement(sql: sql)
      for version in versions {
        try statement.execute(arguments: [version.document.string, version.sequence, "\(version.digest)"])
      }
      if chain == .rolledBack { return }
      if chain == .whole { try Self.set(.feed, to: end.text, db) }
      try Self.set(.ownEntry, to: (chain == .whole ? .start : end).text, db)
    }
  }

  /// Forgets a version of a document that the store has lost before the feed got it.
  func forgetUnannounced(_ id: String) async throws {
    try await database.write {
      try $0.execute(sql: "DELETE FROM unannounced WHERE document = ?", arguments: [id])
    }
  }
}
