import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("A power cut of a document with a database", .tags(.crash), .temporaryDirectory)
struct ManagedPowerCutTests {
  /// A save is one flush of the write-ahead log (MS1), and it makes all edits before it durable (MD2).
  ///
  /// A power cut may lose any frame after the flush. SQLite then goes back to the last transaction that is whole.
  @Test func `leaves the last save, or a later moment, and never a mix`() async throws {
    // The save is not published yet: the clock of publishing stands.
    let book = try await fixture.open { $0.clock = ManualClock() }
    var moments: [Book] = []
    for number in 1...6 {
      try await book.edit { db, content in
        for id in 1...40 {
          try db.execute(
            sql: "INSERT OR REPLACE INTO recipe(id, title, notes, servings) VALUES (?, ?, ?, 1)",
            arguments: [id, "\(number)", String(repeating: "n", count: 100)])
        }
        try content.write("number", Data("\(number)".utf8))
      }
      moments.append(try await book.book)
      if number == 3 { break }
    }
    try await book.save()
    let durable = try fixture.log.count
    for number in 4...6 {
      try await book.edit { db, content in
        try db.execute(sql: "UPDATE recipe SET title = ?", arguments: ["\(number)"])
        try content.write("number", Data("\(number)".utf8))
      }
      moments.append(try await book.book)
    }
    let log = try fixture.log
    let frame = 24 + 4096
    var found: Set<Int> = []
    for end in stride(from: durable, through: log.count, by: frame) {
      // The log is cut there, or a frame is torn, or a frame is lost and later ones are not.
      let cut = log.prefix(end)
      let rest = log.dropFirst(end + frame)
      for state in [
        cut, cut + log[end...].prefix(2000), cut + Data(count: min(frame, log.count - end)) + rest,
      ] {
        let moment = try await content(of: fixture, with: Data(state))
        let number = moments.firstIndex(of: moment)
        #expect(number.map { $0 >= 2 } == true, "log of \(end) bytes")
        // Closing went back to the last save, and opening had published it.
        #expect(try copy(of: fixture).visibleFiles == ["number": "3"], "log of \(end) bytes")
        if let number { found.insert(number) }
      }
    }
    #expect(found == [2, 3, 4, 5])
    // The test can fail: bytes of the log that no flush has reached are not there after a cut.
    let lost = try await content(of: fixture, with: Data(log.prefix(32 + (durable - 32) / frame / 2 * frame)))
    #expect(lost != moments[2])
    try await book.close()
  }

  @Test func `leaves the bytes of an undo that an edit after the save gave up`() async throws {
    let keepsOne: @Sendable (inout ManagedDocumentOptions) -> Void = {
      $0.clock = ManualClock()
      ($0.undo, $0.keepsUndoAfterClosing) = (UndoPolicy(levels: 1), true)
    }
    let book = try await fixture.open(keepsOne)
    try await book.edit("Write") { _, content in try content.write("page", Data("old".utf8)) }
    try await book.saveAndPublish()
    try await book.edit("Change") { _, content in try content.write("page", Data("new".utf8)) }
    try await book.save()
    let durable = try fixture.log
    try await book.add(Recipe(id: 1, title: "Rösti"))
    try await book.synchronize()
    // The cut takes back all transactions after the save, and no removal of a file.
    let again = try await cut(fixture, to: durable).open(keepsOne)
    #expect(try await again.book.files == ["page": "new"])
    try await again.undo()
    #expect(try await again.book.files == ["page": "old"])
    try await again.close()
    try await book.close()
  }

  private func copy(of fixture: BookFixture) -> BookFixture {
    BookFixture(folder: fixture.folder.appending("cut"))
  }

  /// Opens a copy of the package that has this log.
  private func content(of fixture: BookFixture, with log: Data) async throws -> Book {
    let book = try await cut(fixture, to: log).open()
    let content = try await book.book
    try await book.close(discardingChanges: true)
    return content
  }

  /// Makes a copy of the package that has this log.
  private func cut(_ fixture: BookFixture, to log: Data) throws -> BookFixture {
    let copy = copy(of: fixture)
    let files = FileManager.default
    if files.fileExists(atPath: copy.folder.string) { try files.removeItem(atPath: copy.folder.string) }
    try files.createDirectory(atPath: copy.folder.string, withIntermediateDirectories: false)
    for name in ["AdditionalContent", "StoreContent", ".docpkg"] {
      try files.createDirectory(at: copy.url, withIntermediateDirectories: true)
      try files.copyItem(at: fixture.url.appending(path: name), to: copy.url.appending(path: name))
    }
    try files.copyItem(
      at: fixture.url.appending(path: "Metadata.plist"), to: copy.url.appending(path: "Metadata.plist"))
    // The shared memory is no file of the disk.
    try files.removeItem(at: copy.url.appending(path: "StoreContent/persistentStore-shm"))
    try log.write(to: copy.url.appending(path: "StoreContent/persistentStore-wal"))
    return copy
  }
}

extension BookFixture {
  /// The write-ahead log. Reading it takes no lock of SQLite's away: those are on the other two files.
  fileprivate var log: Data {
    get throws { try Data(contentsOf: url.appending(path: "StoreContent/persistentStore-wal")) }
  }
}
