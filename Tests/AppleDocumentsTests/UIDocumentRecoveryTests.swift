import AppleDocuments
import Documents
import SystemPackage
import TestSupport
import Testing

@Suite("A recovery copy of a UIDocument", .temporaryDirectory)
@MainActor
struct UIDocumentRecoveryTests {
  /// The text of a flat file, for a document that another process could have.
  private struct Line: DocumentContent {
    static let readableContentTypes: [UTType] = [.plainText]
    var text: String

    init(_ text: String) { self.text = text }

    init(configuration: ReadConfiguration) throws {
      text = String(decoding: try configuration.file.contents(), as: UTF8.self)
    }

    func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
      FileWrapper(regularFileWithContents: Data(text.utf8))
    }
  }

  /// Makes a document whose last edit could not be saved, because its folder was away, and opens it again.
  private func makeNote() async throws -> Note {
    let (place, away) = (url("Place"), url("Away"))
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    let url = place.appending(path: "Trip.txt")
    var options = DocumentOptions<Line>()
    (options.autosave, options.recoveryFolder, options.watchesDisk) = (nil, recovery, false)
    let earlier = try await Document<Line>.create(Line("saved"), at: url, options: options)
    try await earlier.edit { $0.text = "not saved" }
    try FileManager.default.moveItem(at: place, to: away)
    let error = await #expect(throws: DocumentError.self) { try await earlier.save() }
    #expect(error?.recoveryCopy != nil)
    try await earlier.close(discardingChanges: true)
    try FileManager.default.moveItem(at: away, to: place)

    let note = Note(fileURL: url)
    (note.autosavePolicy, note.recoveryFolder) = (nil, recovery)
    #expect(await note.recoveryCopies.isEmpty)
    #expect(await note.open() && note.text == "saved")
    return note
  }

  private var recovery: URL { url("Recovery") }

  private func copies() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: recovery.path).filter { $0.hasSuffix(".recovery") }
  }

  @Test func `is loaded as an unsaved change, and removed by the next save`() async throws {
    let note = try await makeNote()
    let copy = try #require(await note.recoveryCopies.first)
    #expect(await note.recover(copy))
    #expect(note.text == "not saved" && note.hasUnsavedChanges)
    #expect(try String(contentsOf: note.fileURL, encoding: .utf8) == "saved")
    #expect(try copies().count == 1)
    #expect(await note.close() && note.errors.isEmpty)
    #expect(try String(contentsOf: note.fileURL, encoding: .utf8) == "not saved")
    #expect(try copies().isEmpty)
  }

  @Test func `is removed if the user does not want it`() async throws {
    let note = try await makeNote()
    let copy = try #require(await note.recoveryCopies.first)
    #expect(await note.discard(copy))
    #expect(await note.recoveryCopies.isEmpty && note.text == "saved" && !note.hasUnsavedChanges)
    #expect(try copies().isEmpty)
    #expect(await note.close())
  }

  @Test func `that cannot be read leaves the document as it is`() async throws {
    let note = try await makeNote()
    let copy = try #require(await note.recoveryCopies.first)
    try FileManager.default.removeItem(at: copy.url)
    #expect(await !note.recover(copy))
    #expect(note.text == "saved" && note.errors.count == 1)
    #expect(await note.close())
    #expect(try String(contentsOf: note.fileURL, encoding: .utf8) == "saved")
  }

  @Test func `stays if the model refuses its edits, also after a save`() async throws {
    let note = try await makeNote()
    let copy = try #require(await note.recoveryCopies.first)
    note.refusesToLoad = true
    #expect(await !note.recover(copy))
    #expect(note.text == "saved" && note.errors.count == 1)
    note.refusesToLoad = false
    note.setText("another edit")
    #expect(await note.close())
    #expect(try String(contentsOf: note.fileURL, encoding: .utf8) == "another edit")
    #expect(try copies().count == 1)
    #expect(await note.open())
    let again = try #require(await note.recoveryCopies.first)
    #expect(await note.recover(again))
    #expect(note.text == "not saved")
    // The edit that was saved meanwhile is not lost, either.
    #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: note.fileURL)?.count == 1)
    #expect(await note.close())
  }
}
