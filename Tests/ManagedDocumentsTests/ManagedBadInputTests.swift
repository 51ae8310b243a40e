import Documents
import FilePackages
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

/// One damage to a closed document with the recipes 1 and 2, and the answer to it.
struct BadInput: Sendable, CustomTestStringConvertible {
  var name: String
  var damage: @Sendable (BookFixture) async throws -> Void
  /// The end of the error of opening or reading; nil if the document opens with `titles`.
  var sentence: String?
  /// The error handler gets an error with this end from an opening that succeeds.
  var warning: String?
  var titles = ["Rösti", "Soup"]
  var testDescription: String { name }
}

@Suite("A document with a database and bad input", .temporaryDirectory)
struct ManagedBadInputTests {
  private static let beginning = "The document 'Recipes.recipebook' could not be "

  @Test(arguments: Self.inputs)
  func `gets one sentence, and stays as it is`(_ input: BadInput) async throws {
    let book = try await fixture.openRösti(picture: "golden")
    try await book.add(Recipe(id: 2, title: "Soup"))
    try await book.close()
    try await input.damage(fixture)
    let (before, rows) = (try fixture.bytes(), try fixture.rows())
    let errors = NoteList<DocumentError>()
    let failure = await documentError {
      let again = try await fixture.open { options in
        options.errorHandler = { errors.add($0) }
      }
      do {
        let titles = try await again.book.titles
        #expect(titles == input.titles)
      } catch {
        try await again.close()
        throw error
      }
      try await again.close()
    }
    print("| \(input.name) | \(failure?.description ?? errors.all.first?.description ?? "opens") |")
    #expect(failure?.description == input.sentence.map { Self.beginning + $0 })
    if failure == nil {
      #expect(errors.all.first?.description == input.warning.map { Self.beginning + $0 })
    } else if failure?.operation == .open {
      // A refused database keeps its rows, and a file that is none keeps its bytes.
      #expect(try fixture.rows() == rows)
      let after = try fixture.bytes()
      if rows == nil { #expect(before.allSatisfy { after[$0.key] == $0.value }) }
    }
  }

  static let inputs: [BadInput] = [
    BadInput(
      name: "the store is no database",
      damage: { try $0.write("no database, but a text of some length\n", 100) },
      sentence: "opened: it is no SQLite database (opening 'StoreContent/persistentStore')."),
    BadInput(
      name: "the store is empty", damage: { try $0.write("", 0) },
      sentence: "opened: it is empty, and so no database (opening 'StoreContent/persistentStore')."),
    BadInput(
      name: "the store is cut", damage: { try $0.cut($0.store, by: 50_000) },
      sentence: "opened: the database is damaged (opening 'StoreContent/persistentStore')."),
    BadInput(
      name: "the store is missing", damage: { try FileManager.default.removeItem(at: $0.store) },
      sentence: "opened: there is no such file (opening 'StoreContent/persistentStore')."),
    BadInput(
      name: "the store is a folder",
      damage: { fixture in
        try FileManager.default.removeItem(at: fixture.store)
        try FileManager.default.createDirectory(at: fixture.store, withIntermediateDirectories: false)
      },
      sentence: "opened: it is no file (opening 'StoreContent/persistentStore')."),
    BadInput(
      name: "StoreContent is a symbolic link",
      damage: { fixture in
        let folder = fixture.url.appending(path: "StoreContent")
        let elsewhere = URL(filePath: fixture.folder.appending("elsewhere").string)
        try FileManager.default.moveItem(at: folder, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: elsewhere)
      },
      sentence: "opened: it is no folder (opening 'StoreContent')."),
    BadInput(
      name: "StoreContent is missing",
      damage: { fixture in
        try FileManager.default.removeItem(at: fixture.url.appending(path: "StoreContent"))
      },
      sentence: "opened: there is no such file (opening 'StoreContent')."),
    BadInput(
      name: "the index of the log is a folder",
      damage: { fixture in
        try FileManager.default.createDirectory(at: fixture.file("-shm"), withIntermediateDirectories: false)
      },
      sentence: "opened: it is no file (opening 'StoreContent/persistentStore-shm')."),
    BadInput(
      name: "the log is of another database",
      damage: { fixture in
        let other = BookFixture(folder: fixture.folder, name: "Other.recipebook")
        try await other.makeLog { try await $0.add(Recipe(id: 7, title: "Foreign")) }
        try FileManager.default.copyItem(at: other.file("-wal"), to: fixture.file("-wal"))
      },
      sentence:
        "opened: the database is damaged, or the write-ahead log beside it is of another one; without the log, it is as its last checkpoint left it (opening 'StoreContent/persistentStore')."
    ),
    BadInput(
      name: "the log is text",
      damage: { fixture in
        try Data(String(repeating: "no log\n", count: 2000).utf8).write(to: fixture.file("-wal"))
      }),
    BadInput(
      name: "the log of a save is cut",
      damage: { fixture in
        try await fixture.makeLog { try await $0.add(Recipe(id: 3, title: "Bread")) }
        // The last frame is the save's.
        try fixture.cut(fixture.file("-wal"), by: 100)
      },
      warning:
        "opened: its database is older than its last save: another program put an old copy in its place. Open the document again.",
      titles: ["Rösti", "Soup", "Bread"]),
    BadInput(
      name: "the log of a save is torn",
      damage: { fixture in
        try await fixture.makeLog { try await $0.add(Recipe(id: 3, title: "Bread")) }
        try fixture.flip(fixture.file("-wal"), at: 60)
      },
      warning:
        "opened: its database is older than its last save: another program put an old copy in its place. Open the document again."
    ),
    BadInput(
      name: "a file is missing",
      damage: { fixture in
        try FileManager.default.removeItem(
          at: fixture.url.appending(path: "AdditionalContent/Pictures/1.jpeg"))
      },
      sentence:
        "read: another program removed it (reading 'AdditionalContent/Pictures/1.jpeg'). Open the document again."
    ),
    BadInput(
      name: "another program changed a file",
      damage: { fixture in
        try Data("brown".utf8).write(to: fixture.url.appending(path: "AdditionalContent/Pictures/1.jpeg"))
      },
      sentence:
        "read: another program changed it meanwhile (reading 'AdditionalContent/Pictures/1.jpeg'). Open the document again."
    ),
    BadInput(
      name: "a table has no primary key", damage: { try $0.execute("CREATE TABLE t(a)") },
      sentence:
        "opened: table 't' has no primary key, so its changes cannot be undone; declare one in the migrator (opening 'StoreContent/persistentStore')."
    ),
    BadInput(
      name: "a newer program made the private tables",
      damage: {
        try $0.execute("UPDATE grdb_document SET format = 9")
      },
      sentence:
        "opened: its private tables have format 9, and this program knows only formats up to 1 (opening 'StoreContent/persistentStore'). Use the newer program, or open a copy that this one made."
    ),
    BadInput(
      name: "the package is a file",
      damage: { fixture in
        try FileManager.default.removeItem(at: fixture.url)
        try Data("text".utf8).write(to: URL(filePath: fixture.url.path))
      },
      sentence: "opened: it is not a package, which is a directory."),
  ]
}

extension BookFixture {
  var store: URL { file("") }

  /// A file beside the database.
  func file(_ suffix: String) -> URL { url.appending(path: "StoreContent/persistentStore\(suffix)") }

  /// The bytes of the files in `StoreContent`.
  fileprivate func bytes() throws -> [String: Data] {
    var bytes: [String: Data] = [:]
    for name in (try? names(in: "StoreContent")) ?? [] {
      // A folder has no bytes.
      bytes[name] = (try? Data(contentsOf: url.appending(path: "StoreContent/\(name)"))) ?? Data()
    }
    return bytes
  }

  /// The titles in a database without a log; nil if no program can read it.
  fileprivate func rows() throws -> [String]? {
    guard (try? names(in: "StoreContent")) == ["persistentStore"] else { return nil }
    var configuration = Configuration()
    configuration.readonly = true
    let path = "file://\(store.path)?immutable=1"
    return try? DatabaseQueue(path: path, configuration: configuration).read { db in
      try String.fetchAll(db, sql: "SELECT title FROM recipe ORDER BY id")
    }
  }

  fileprivate func write(_ text: String, _ count: Int) throws {
    try Data(String(repeating: text, count: count).utf8).write(to: store)
  }

  /// Takes bytes off the end of a file.
  fileprivate func cut(_ file: URL, by count: Int) throws {
    try Data(contentsOf: file).dropLast(count).write(to: file)
  }

  fileprivate func flip(_ file: URL, at position: Int) throws {
    var bytes = try Data(contentsOf: file)
    bytes[position] ^= 0xFF
    try bytes.write(to: file)
  }

  fileprivate func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: store.path)
    try queue.write { db in try db.execute(sql: sql) }
    try queue.close()
  }

  /// Edits and saves, and leaves the write-ahead log, as a copy by a synchronising program does.
  fileprivate func makeLog(_ edit: (ManagedDocument) async throws -> Void) async throws {
    let book = try await open()
    try await edit(book)
    try await book.saveAndPublish()
    let files = ["", "-wal"].map(file)
    let copies = try files.map { try Data(contentsOf: $0) }
    let metadata = try Data(contentsOf: url.appending(path: "Metadata.plist"))
    try await book.close()
    for (file, copy) in zip(files, copies) { try copy.write(to: file) }
    try metadata.write(to: url.appending(path: "Metadata.plist"))
  }
}
