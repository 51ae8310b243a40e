import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

/// One damage to a closed document with the recipes 1 and 2, and the answer to it.
struct BadInput: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The end of the error of opening or reading; nil if the document opens with `titles`.
  let sentence: String?
  let code: FilePackageError.Code?
  /// The error handler gets an error with this end from an opening that succeeds.
  let warning: String?
  let titles: [String]
  let damage: @Sendable (BookFixture) async throws -> Void

  init(
    _ name: String, _ sentence: String?, code: FilePackageError.Code? = nil, warning: String? = nil,
    titles: [String] = ["Rösti", "Soup"], _ damage: @escaping @Sendable (BookFixture) async throws -> Void
  ) {
    (testDescription, self.sentence, self.code, self.warning) = (name, sentence, code, warning)
    (self.titles, self.damage) = (titles, damage)
  }
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
    #expect(failure?.description == input.sentence.map { Self.beginning + $0 })
    if let code = input.code { #expect(failure?.fileError?.code == code) }
    if failure == nil {
      #expect(errors.all.first?.description == input.warning.map { Self.beginning + $0 })
    } else if failure?.operation == .open {
      // A refused database keeps its rows, and a file that is none keeps its bytes.
      #expect(try fixture.rows() == rows)
      let after = try fixture.bytes()
      if rows == nil { #expect(before.allSatisfy { after[$0.key] == $0.value }) }
    }
  }

  private static let store = "(opening 'StoreContent/persistentStore')."
  private static let isOlder =
    "opened: its database is older than its last save: another program put an old copy in its place. Open the document again."

  static let inputs: [BadInput] = [
    BadInput(
      "the store is no database", "opened: it is no SQLite database \(store)", code: .invalidContent
    ) { try $0.write("no database, but a text of some length\n", 100) },
    BadInput("the store is empty", "opened: it is empty, and so no database \(store)") {
      try $0.write("", 0)
    },
    BadInput("the store is cut", "opened: the database is damaged \(store)") {
      try $0.cut($0.store, by: 50_000)
    },
    BadInput("the store is missing", "opened: there is no such file \(store)", code: .noSuchFile) {
      try FileManager.default.removeItem(at: $0.store)
    },
    BadInput("the store is a folder", "opened: it is no file \(store)") {
      try FileManager.default.removeItem(at: $0.store)
      try FileManager.default.createDirectory(at: $0.store, withIntermediateDirectories: false)
    },
    BadInput("StoreContent is a symbolic link", "opened: it is no folder (opening 'StoreContent').") {
      let folder = $0.url.appending(path: "StoreContent")
      let elsewhere = URL(filePath: $0.folder.appending("elsewhere").string)
      try FileManager.default.moveItem(at: folder, to: elsewhere)
      try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: elsewhere)
    },
    BadInput("StoreContent is missing", "opened: there is no such file (opening 'StoreContent').") {
      try FileManager.default.removeItem(at: $0.url.appending(path: "StoreContent"))
    },
    BadInput(
      "the index of the log is a folder",
      "opened: it is no file (opening 'StoreContent/persistentStore-shm')."
    ) { try FileManager.default.createDirectory(at: $0.file("-shm"), withIntermediateDirectories: false) },
    BadInput(
      "the log is of another database",
      "opened: the database is damaged, or the write-ahead log beside it is of another one; without the log, it is as its last checkpoint left it \(store)"
    ) { fixture in
      let other = BookFixture(folder: fixture.folder, name: "Other.recipebook")
      try await other.makeLog { try await $0.add(Recipe(id: 7, title: "Foreign")) }
      try FileManager.default.copyItem(at: other.file("-wal"), to: fixture.file("-wal"))
    },
    BadInput("the log is text", nil) {
      try Data(String(repeating: "no log\n", count: 2000).utf8).write(to: $0.file("-wal"))
    },
    BadInput(
      "the log of a save is cut", nil, warning: isOlder, titles: ["Rösti", "Soup", "Bread"]
    ) { fixture in
      try await fixture.makeLog { try await $0.add(Recipe(id: 3, title: "Bread")) }
      // The last frame is the save's.
      try fixture.cut(fixture.file("-wal"), by: 100)
    },
    BadInput("the log of a save is torn", nil, warning: isOlder) { fixture in
      try await fixture.makeLog { try await $0.add(Recipe(id: 3, title: "Bread")) }
      try fixture.flip(fixture.file("-wal"), at: 60)
    },
    BadInput(
      "a file is missing",
      "read: another program removed it (reading 'AdditionalContent/Pictures/1.jpeg'). Open the document again."
    ) { try FileManager.default.removeItem(at: $0.url.appending(path: "AdditionalContent/Pictures/1.jpeg")) },
    BadInput(
      "another program changed a file",
      "read: another program changed it meanwhile (reading 'AdditionalContent/Pictures/1.jpeg'). Open the document again."
    ) { try Data("brown".utf8).write(to: $0.url.appending(path: "AdditionalContent/Pictures/1.jpeg")) },
    BadInput(
      "a newer program made the private tables",
      "opened: its private tables have format 9, and this program knows only formats up to 1 \(store) Use the newer program, or open a copy that this one made."
    ) { try $0.execute("UPDATE grdb_document SET format = 9") },
    BadInput(
      "the package is a file", "opened: it is not a package, which is a directory.", code: .notAPackage
    ) {
      try FileManager.default.removeItem(at: $0.url)
      try Data("text".utf8).write(to: URL(filePath: $0.url.path))
    },
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
    let path = "file://\(store.path)?immutable=1"
    var configuration = Configuration()
    configuration.readonly = true
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
