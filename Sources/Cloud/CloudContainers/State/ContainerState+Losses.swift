import FilePackages
import FoundationEssentials
import GRDB

/// A version that the store lost, and whose content is not here.
struct UnsavedVersion: Sendable {
  var version: CloudVersion
  /// The bytes of the last version that the store has; nil if it has none.
  var head: Data?
}

extension ContainerState {
  // The content here counts as a change of the last version that this machine and the store have both. So it goes to
  // the store again, as a merge if another device was first.

  /// Takes back what documents have of versions that the store lost; returns their names.
  static func rebaseLost(_ db: Database) throws -> [String] {
    let lost = try Row.fetchAll(
      db,
      sql: """
        SELECT o.document AS id, o.bytes AS bytes FROM old AS o
        WHERE o.number = (SELECT max(number) FROM old WHERE document = o.document)
          AND NOT EXISTS (SELECT 1 FROM version WHERE document = o.document AND number = o.number AND bytes = o.bytes)
          AND NOT (
            NOT EXISTS (SELECT 1 FROM version WHERE document = o.document AND number = o.number)
            AND EXISTS (SELECT 1 FROM version WHERE document = o.document AND number > o.number))
        """)
    var names: [String] = []
    for row in lost {
      guard var record = try DocumentRecord.fetchOne(db, key: row["id"] as String) else { continue }
      let (lost, head) = (
        try CloudVersion(decoding: row["bytes"], isChecked: true),
        try record.head.map { try CloudVersion(decoding: $0, isChecked: true) }
      )
      names.append(record.name)
      let common = try common(of: record, db)
      record.shownConflicts = record.shownConflicts.split(separator: " ").filter { name in
        head?.conflicts.contains { "\($0.id)" == name } ?? false
      }.joined(separator: " ")
      if let base = record.base {
        let isLive = head.map { !$0.isDeleted } ?? false
        record.base = isLive ? common.map { Data($0.root.bytes) } : nil
        record.baseName = isLive ? common?.name : nil
        if record.base != base {
          try db.execute(sql: "DELETE FROM page WHERE document = ?", arguments: [record.id])
        }
      } else if !lost.isDeleted, try common?.encoded() == record.head {
        try db.execute(
          sql: "INSERT OR REPLACE INTO lost VALUES (?, ?, ?)",
          arguments: [record.id, row["bytes"] as Data, record.head])
      }
      try save(record, setsWanted: false, db)
    }
    return names.sorted()
  }

  /// Returns the last version of a document that was known and that the store has. If the document is here, it is not
  /// newer than the content.
  private static func common(of record: DocumentRecord, _ db: Database) throws -> CloudVersion? {
    var limit = Int.max
    if let base = record.base {
      let old = try Data.fetchAll(
        db, sql: "SELECT bytes FROM old WHERE document = ? ORDER BY number DESC", arguments: [record.id])
      limit = 0
      for bytes in old {
        let version = try CloudVersion(decoding: bytes, isChecked: true)
        if Data(version.root.bytes) == base {
          limit = version.sequence
          break
        }
      }
    }
    let bytes = try Data.fetchOne(
      db,
      sql: """
        SELECT version.bytes FROM version JOIN old USING (document, number)
        WHERE document = ? AND version.bytes = old.bytes AND number <= ? ORDER BY number DESC LIMIT 1
        """, arguments: [record.id, limit])
    return try bytes.map { try CloudVersion(decoding: $0, isChecked: true) }
  }

  /// Returns the lost versions whose content is not here.
  func unsaved() async throws -> [UnsavedVersion] {
    try await read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM lost ORDER BY document").map { row in
        UnsavedVersion(
          version: try CloudVersion(decoding: row["bytes"], isChecked: true), head: row["head"])
      }
    }
  }

  func forgetUnsaved(_ document: CloudDocumentID) async throws {
    try await write {
      try $0.execute(sql: "DELETE FROM lost WHERE document = ?", arguments: [document.string])
    }
  }
}
