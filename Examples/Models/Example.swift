import AppKit
import Documents
import SwiftUI
import UIKit

/// Makes, closes, opens, edits, saves, undoes, redoes, saves and reopens a document of each kind. Prints the bytes that
/// each save wrote, and checks that a save writes the picture once.
@main
struct Example {
  @MainActor
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Models-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    func place(_ name: String) -> URL { folder.appendingPathComponent(name) }

    try await run("FileDocument", place("Trip.outline")) { url, isNew in
      if isNew {
        let new = try await Documents.Document.create(Outline(picture: picture), at: url)
        return try await OutlineSession(new)
      }
      return try await OutlineSession(try await Documents.Document<Outline>.open(at: url))
    }
    try await run("FileDocument of the main actor", place("Trip.score")) { url, isNew in
      if isNew {
        return try await ScoreSession(try await Documents.Document.create(Score(picture: picture), at: url))
      }
      return try await ScoreSession(try await Documents.Document<Score>.open(at: url))
    }
    try await run("ReferenceFileDocument", place("Trip.sketchbook")) { url, isNew in
      if isNew { return SketchbookSession(try await .create(Sketchbook(picture: picture), at: url)) }
      return SketchbookSession(try await .open(at: url))
    }
    try await run("UIDocument", place("Trip.journal")) { url, isNew in
      let journal = Journal(fileURL: url)
      if isNew { journal.picture = picture }
      let isOpen = isNew ? await journal.save(to: url, for: .forCreating) : await journal.open()
      check(isOpen, "the journal is open")
      return JournalSession(journal)
    }
    try await run("NSDocument", place("Trip.ledger")) { url, isNew in
      if !isNew { return LedgerSession(try Ledger(contentsOf: url, ofType: "org.example.ledger"), url) }
      let ledger = Ledger()
      ledger.picture = picture
      try await ledger.save(to: url, ofType: "org.example.ledger", for: .saveAsOperation)
      return LedgerSession(ledger, url)
    }
    try await run("FileWrapper", place("Trip.archive")) { url, isNew in
      if !isNew { return ArchiveSession(try Archive(contentsOf: url), url) }
      let archive = Archive()
      archive.set("text", Data())
      archive.set("picture", picture)
      try archive.write(to: url)
      return ArchiveSession(archive, url)
    }
    try await run("ReadableDocument", place("Trip.notebook")) { url, isNew in
      if isNew {
        return NotebookSession(try await .create(at: url) { _, _ in Notebook(picture: picture) })
      }
      return NotebookSession(try await .open(at: url) { _, _ in Notebook() })
    }
  }

  @MainActor
  private static func run(
    _ kind: String, _ url: URL, _ open: (_ url: URL, _ isNew: Bool) async throws -> any Session
  ) async throws {
    var bytes: [Int] = []
    var files: [String: FileState] = [:]
    func note() async throws {
      // A coordinated reader sees each save that has returned.
      let now = try await FileCoordinator().coordinate(readingItemAt: url) { try FileState.all(in: $0) }
      bytes.append(now.filter { files[$0.key] != $0.value }.values.reduce(0) { $0 + $1.size })
      files = now
    }
    let new = try await open(url, true)
    try await note()
    try await new.close()

    let session = try await open(url, false)
    check(session.text == "", "\(kind): a new document is empty")
    try await session.edit("Rain")
    try await session.save()
    try await note()
    try await session.undo()
    check(session.text == "", "\(kind): the edit is undone")
    try await session.redo()
    check(session.text == "Rain", "\(kind): the edit is done again")
    try await session.edit("Rain, then sun")
    try await session.save()
    try await note()
    try await session.close()

    let again = try await open(url, false)
    check(again.text == "Rain, then sun", "\(kind): the text is saved")
    try await again.close()
    let saved = try Data(contentsOf: url.appendingPathComponent("picture"))
    check(saved.count == 100_000, "\(kind): the picture is whole")
    print("\(kind): wrote \(bytes.map { "\($0) bytes" }.joined(separator: ", "))")
    check(
      bytes[0] >= 100_000 && bytes[1...].allSatisfy { $0 > 0 && $0 < 1000 }, "\(kind): saves are incremental")
  }

  /// Ends the program with status 1 if an example does not do what it says.
  @MainActor
  static func check(_ isTrue: Bool, _ claim: String) {
    if isTrue { return }
    print("Models: not true: \(claim)")
    exit(1)
  }
}

/// The identity of a file's contents on disk.
struct FileState: Equatable {
  var number: Int
  var date: Date?
  var size: Int

  /// Returns the files of a package, without hidden ones and the metadata.
  static func all(in url: URL) throws -> [String: FileState] {
    var files: [String: FileState] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      if name.hasPrefix(".") || name == "Metadata.plist" { continue }
      let attributes = try FileManager.default.attributesOfItem(
        atPath: url.appendingPathComponent(name).path)
      files[name] = FileState(
        number: (attributes[.systemFileNumber] as? NSNumber)?.intValue ?? 0,
        date: attributes[.modificationDate] as? Date, size: (attributes[.size] as? NSNumber)?.intValue ?? 0)
    }
    return files
  }
}
