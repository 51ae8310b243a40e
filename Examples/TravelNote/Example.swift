import Documents
import Foundation
import Synchronization

/// The controller's calls, one after the other, with a check of each result.
@main
struct Example {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "TravelNote-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "Trip.travelNote")
    let log = Log()

    // `save(to:for: .forCreating)` of a new document, with its content. `Document.create(_:at:)` does the same in one.
    let new = Document(fileURL: url, content: TravelNote(), options: TravelNote.options(log))
    try await new.save(to: url, for: .forCreating)
    try await new.edit("Add Photo") { $0.addPhoto(Data("a photo".utf8), named: "Hut.jpeg") }
    try await new.close()

    // [8] Opening throws its reason; there is no Boolean to look at.
    let note = try await Document<TravelNote>.open(at: url, options: TravelNote.options(log))
    check(try await note.content.photos.keys.sorted() == ["Hut.jpeg"], "the photo is saved")

    // [9] Versions in conflict are resolved by a resolver; this one keeps the newest, as the controller did.
    if await note.documentState.contains(.inConflict) {
      try await note.resolveConflicts(with: .newest)
    }

    // [10] Every change is an edit with a name. Typing within a second is one step for undo.
    try await note.edit("Typing") { $0.text = "Rain" }
    try await note.edit("Typing") { $0.text = "Rain, then sun" }
    let report = try await note.save()
    print(report)
    check(report.written.contains("Text.txt"), "the text is written")
    check(!report.written.contains("Photos/Hut.jpeg"), "the photo is not written again")

    // Undo goes back past a save, and brings back the photo's bytes after its file is gone.
    try await note.edit("Remove Photo") { try $0.removePhoto(named: "Hut.jpeg") }
    try await note.save()
    check(try await note.undo(), "removing the photo is undone")
    check(try await note.undo(), "typing is undone")
    check(try await note.content.text.isEmpty, "typing was one step")
    check(try await note.redo(), "typing is done again")

    // [11] If closing cannot save, it throws, and the document stays open with its edits.
    try await note.close()
    check(await note.documentState.contains(.closed), "the document is closed")
    check(log.notes.contains { $0.hasPrefix("state: ") }, "the handler got the states")
    check(!log.notes.contains { $0.hasPrefix("error: ") }, "nothing failed")

    let saved = try await Document<TravelNote>.open(at: url)
    let content = try await saved.content
    print(content.text, content.photos.keys.sorted())
    check(content.text == "Rain, then sun", "the text is saved")
    check(try content.photos["Hut.jpeg"]?.contents() == Data("a photo".utf8), "the photo is whole")
    try await saved.close()
  }

  /// Ends the program with status 1 if the port does not do what it says.
  static func check(_ isTrue: Bool, _ claim: String) {
    if isTrue { return }
    print("TravelNote: not true: \(claim)")
    exit(1)
  }
}

/// Lines that the document's handlers write, from any thread.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  var notes: [String] { lines.withLock { $0 } }

  func note(_ line: String) { lines.withLock { $0.append(line) } }
}
