package import FoundationEssentials
import GRDB
import PackageFormat

// The blobs that the store is known to have, and pages of trees.
extension ContainerState {
  /// Returns the last entry that this machine knew when it stored a blob; nil if it is not known.
  package func entryOfBlob(_ name: BlobName) async throws -> Int? {
    try await read { db in
      try Int.fetchOne(
        db.cachedStatement(sql: "SELECT entry FROM blob WHERE name = ?"), arguments: [Data(name.hash.bytes)])
    }
  }

  /// Returns a page of a tree; nil if it is not here.
  func page(_ name: BlobName) async throws -> Data? {
    try await read { db in
      try Data.fetchOne(
        db.cachedStatement(sql: "SELECT bytes FROM blob WHERE name = ? AND bytes IS NOT NULL"),
        arguments: [Data(name.hash.bytes)])
    }
  }

  /// Forgets which blobs the store has.
  func forgetBlobs() async throws { try await write(Self.forgetBlobs) }

  static func forgetBlobs(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM blob WHERE bytes IS NULL; UPDATE blob SET entry = NULL")
  }

  /// The largest number of pages. A page has about 8 KiB.
  private static let maximumPages = 8_000

  /// Notes blobs that the store has, with the last entry that was known before, and pages. The first pages go.
  package func note(_ names: [BlobName: Int], pages: [BlobName: Data]) async throws {
    if names.isEmpty, pages.isEmpty { return }
    try await write { db in
      let naming = try db.cachedStatement(
        sql: "INSERT INTO blob (name, entry) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET entry = ?2")
      for (name, entry) in names { try naming.execute(arguments: [Data(name.hash.bytes), entry]) }
      let keeping = try db.cachedStatement(
        sql: "INSERT INTO blob (name, bytes) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET bytes = ?2")
      for (name, page) in pages { try keeping.execute(arguments: [Data(name.hash.bytes), page]) }
      try db.execute(
        sql: """
          DELETE FROM blob WHERE bytes IS NOT NULL AND rowid <= (
            SELECT rowid FROM blob WHERE bytes IS NOT NULL ORDER BY rowid DESC LIMIT 1 OFFSET ?)
          """, arguments: [Self.maximumPages])
    }
  }
}
