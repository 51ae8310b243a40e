import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("The versions of a document whose schema has constraints")
struct ManagedHistorySchemaTests {
  private func rows(_ db: Database) throws -> [[DatabaseValue]] {
    try ["seat", "guest", "guest_search"].flatMap { table in
      try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1").map { Array($0.databaseValues) }
    }
  }

  /// Two rows swap a unique value over several saves. Without the saves between, no row can go first.
  @Test func `come back when unique values went round, with triggers, foreign keys and full text`()
    async throws
  {
    try await BookFixture.with { fixture in
      let book = try await fixture.open { options in
        options.keepsHistory = true
        options.migrator = DatabaseMigrator()
        options.migrator?.registerMigration("seats") { db in
          try db.execute(
            sql: """
              CREATE TABLE seat(name TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL UNIQUE);
              CREATE TABLE guest(id INTEGER PRIMARY KEY, name TEXT NOT NULL,
                seat TEXT NOT NULL REFERENCES seat(name) ON DELETE CASCADE ON UPDATE CASCADE);
              CREATE TRIGGER named AFTER INSERT ON guest WHEN new.name = '' BEGIN
                UPDATE guest SET name = 'guest ' || new.id WHERE id = new.id;
              END;
              """)
          try db.create(virtualTable: "guest_search", using: FTS5()) { table in
            table.synchronize(withTable: "guest")
            table.column("name")
          }
        }
      }
      var moments: [[[DatabaseValue]]] = [try await book.read { db, _ in try rows(db) }]
      for sql in [
        "INSERT INTO seat VALUES ('a', 1), ('b', 2); INSERT INTO guest VALUES (1, '', 'a'), (2, 'Ana', 'b')",
        "UPDATE seat SET number = 3 WHERE name = 'a'", "UPDATE seat SET number = 1 WHERE name = 'b'",
        "UPDATE seat SET number = 2 WHERE name = 'a'", "UPDATE seat SET name = 'c' WHERE name = 'a'",
        "DELETE FROM seat WHERE name = 'b'",
        "INSERT INTO seat VALUES ('b', 3); UPDATE guest SET name = 'Ben'",
      ] {
        try await book.edit { db, _ in try db.execute(sql: sql) }
        try await book.save()
        moments.append(try await book.read { db, _ in try rows(db) })
      }
      var versions = Array(try await book.versions().reversed())
      moments.removeLast()
      for (version, moment) in zip(versions, moments) {
        #expect(try await book.read(version.id) { db, _ in try rows(db) } == moment)
      }
      // The versions between go, so that the seats swap their numbers in one changeset.
      try await book.removeVersions([versions[2].id, versions[3].id])
      for index in [3, 2] {
        versions.remove(at: index)
        moments.remove(at: index)
      }
      for (version, moment) in zip(versions, moments) {
        #expect(try await book.read(version.id) { db, _ in try rows(db) } == moment)
      }
      for index in [1, 3, 2, 0] {
        try await book.restore(versions[index].id)
        #expect(try await book.read { db, _ in try rows(db) } == moments[index])
        try await book.edit { db, _ in
          try db.execute(sql: "INSERT INTO guest_search(guest_search) VALUES ('integrity-check')")
        }
      }
      try await book.close()
    }
  }
}
