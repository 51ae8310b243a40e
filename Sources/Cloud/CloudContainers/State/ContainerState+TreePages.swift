package import FoundationEssentials
import GRDB
import PackageFormat

// Pages of trees.
extension ContainerState {
  /// Returns a page of a tree; nil if it is not here.
  func page(_ name: BlobName) async throws -> Data? {
    try await read { db in
      try Data.fetchOne(
        db.cachedStatement(sql: "SELECT bytes FROM blob WHERE name = ?"), arguments: [Data(name.hash.bytes)])
    }
  }

  /// The largest number of pages. A page has about 8 KiB.
  private static let maximumPages = 8_000

  /// Keeps pages. The first ones go.
  package func keep(_ pages: [BlobName: Data]) async throws {
    if pages.isEmpty { return }
    try await write { db in
      let keeping = try db.cachedStatement(sql: "INSERT OR REPLACE INTO blob VALUES (?, ?)")
      for (name, page) in pages { try keeping.execute(arguments: [Data(name.hash.bytes), page]) }
      try db.execute(
        sql: """
          DELETE FROM blob WHERE rowid <= (SELECT rowid FROM blob ORDER BY rowid DESC LIMIT 1 OFFSET ?)
          """, arguments: [Self.maximumPages])
    }
  }
}
