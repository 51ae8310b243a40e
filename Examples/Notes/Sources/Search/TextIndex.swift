import Foundation
import GRDB

/// The words of the documents of a library, in a table of SQLite's FTS5.
///
/// It is a cache: without its file, the documents are read again.
struct TextIndex: Sendable {
  /// The words of one document.
  struct Entry: Sendable {
    var id: DocumentID
    /// Another one for another content: `DocumentStamp`.
    var stamp: String
    var title: String
    var text: String
    var captions: String
  }

  private let database: DatabaseQueue

  /// Opens the file of an index, or makes it. A file that is damaged, or that another program made, is made anew.
  ///
  /// - Parameter file: nil for an index in memory. An index whose file cannot be made is in memory, too.
  init(at file: URL?) throws {
    if let file, let opened = Self.opened(file) {
      database = opened
    } else {
      database = try DatabaseQueue()
      try Self.makeTables(database)
    }
  }

  private static func opened(_ file: URL) -> DatabaseQueue? {
    do {
      return try open(file)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // Another server writes into the file, which is in order then.
      return nil
    } catch {
      // The file is damaged, or of another program.
    }
    for ending in ["", "-wal", "-shm"] {
      // The next attempt fails if a file cannot be removed.
      try? FileManager.default.removeItem(atPath: file.path + ending)
    }
    return try? open(file)
  }

  private static func open(_ file: URL) throws -> DatabaseQueue {
    let folder = file.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Only this user may read the words.
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    try makeTables(queue)
    return queue
  }

  private static func makeTables(_ queue: DatabaseQueue) throws {
    try queue.write { db in
      let version = 1
      let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      if found == version { return }
      try db.execute(
        sql: """
          DROP TABLE IF EXISTS document;
          DROP TABLE IF EXISTS content;
          CREATE TABLE document (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL);
          CREATE VIRTUAL TABLE content USING fts5(
            title, text, captions, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3');
          PRAGMA user_version = \(version);
          """)
    }
  }

  // MARK: Keeping it up to date

  /// The stamps of all documents in the index.
  func stamps() async throws -> [DocumentID: String] {
    try await database.read { db in
      var stamps: [DocumentID: String] = [:]
      for row in try Row.fetchAll(db, sql: "SELECT id, stamp FROM document") {
        if let id = DocumentID(row[0] as String) { stamps[id] = row[1] }
      }
      return stamps
    }
  }

  /// Puts documents in, in the place of their earlier entries.
  func put(_ entries: [Entry]) async throws {
    try await database.write { db in
      for entry in entries {
        try db.execute(
          sql: """
            INSERT INTO document (id, stamp) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp
            """, arguments: [entry.id.word, entry.stamp])
        let texts = [entry.title, entry.text, entry.captions].map(SearchWords.indexed)
        try db.execute(
          sql: """
            INSERT OR REPLACE INTO content (rowid, title, text, captions)
            SELECT number, ?, ?, ? FROM document WHERE id = ?
            """, arguments: [texts[0], texts[1], texts[2], entry.id.word])
      }
    }
  }

  /// Removes documents that the library has no more.
  func remove(_ ids: some Sequence<DocumentID> & Sendable) async throws {
    try await database.write { db in
      for id in ids {
        try db.execute(
          sql: "DELETE FROM content WHERE rowid = (SELECT number FROM document WHERE id = ?)",
          arguments: [id.word])
        try db.execute(sql: "DELETE FROM document WHERE id = ?", arguments: [id.word])
      }
    }
  }

  // MARK: Searching

  /// The documents that have all words.
  func documents(with words: SearchWords) async throws -> [String] {
    guard let expression = words.expression else { return [] }
    return try await database.read { db in
      try String.fetchAll(
        db, sql: "SELECT id FROM document WHERE number IN (SELECT rowid FROM content WHERE content MATCH ?)",
        arguments: [expression])
    }
  }

  /// The part of each document around the words; nothing for a document that has them in its title alone.
  func excerpts(of ids: [DocumentID], with words: SearchWords) async throws -> [String: String] {
    guard let expression = words.expression else { return [:] }
    return try await database.read { db in
      var excerpts: [String: String] = [:]
      for id in ids {
        let row = try Row.fetchOne(
          db,
          sql: """
            SELECT snippet(content, 1, char(1), '', '…', 24), snippet(content, 2, char(1), '', '…', 24)
            FROM content WHERE content MATCH ? AND rowid = (SELECT number FROM document WHERE id = ?)
            """, arguments: [expression, id.word])
        let parts = [row?[0] as String?, row?[1] as String?].compactMap { $0 }
        guard let part = parts.first(where: { $0.contains("\u{1}") }) else { continue }
        excerpts[id.word] = SearchWords.shown(part.replacing("\u{1}", with: ""))
      }
      return excerpts
    }
  }
}
