import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A model that is a class, as an exporter often is.
private final class Report: FileDocument {
  static var readableContentTypes: [UTType] { [.plainText] }
  private let lines: Mutex<String>

  var text: String {
    get { lines.withLock { $0 } }
    set { lines.withLock { $0 = newValue } }
  }

  init(_ text: String) { lines = Mutex(text) }

  init(configuration: ReadConfiguration) throws {
    lines = Mutex(String(decoding: try configuration.file.contents(), as: UTF8.self))
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(regularFileWithContents: Data(text.utf8))
  }
}

@Suite("A content that is a class", .temporaryDirectory)
struct ClassContentTests {
  private typealias Fixture = DocumentFixture<Report>

  @Test func `is made, edited, saved, reverted and opened, and has no undo`() async throws {
    let disk = try CrashDisk()
    let report = Report("one")
    let document = try await Fixture.create(report, on: disk)
    try await document.edit("Typing") { $0.text = "two" }
    #expect(report.text == "two")
    #expect(await document.hasUnsavedChanges)
    #expect(await !document.undoState.canUndo)
    #expect(try await !document.undo())
    try await document.save()
    #expect(try disk.text("Trip.pages", in: "/") == "two")
    #expect(await !document.hasUnsavedChanges)
    try await document.groupEdits("Group") { document in try document.edit { $0.text = "three" } }
    #expect(await !document.undoState.canUndo)
    // An edit outside the document counts if the program says so.
    report.text = "four"
    await document.updateChangeCount(.done)
    try await document.save()
    #expect(try disk.text("Trip.pages", in: "/") == "four")
    try await document.edit { $0.text = "five" }
    try await document.revert(toContentsOf: Fixture.url)
    let read = try await document.content
    #expect(read !== report && read.text == "four")
    try await document.close()
    #expect(try await Fixture.open(on: disk).content.text == "four")
  }

  @Test func `is saved again by a close if it changes while the close saves it`() async throws {
    let gate = FaultyDisk(try CrashDisk())
    let report = Report("one")
    let document = try await Fixture.create(report, on: gate.disk)
    try await document.edit { $0.text = "two" }
    gate.close(for: .synchronize)
    async let closed: Void = document.close()
    await gate.arrival()
    report.text = "three"
    await document.updateChangeCount(.done)
    gate.open()
    try await closed
    #expect(try gate.disk.text("Trip.pages", in: "/") == "three")
  }

  @Test func `counts as changed after an edit that fails`() async throws {
    let document = try await Fixture.create(Report("one"), on: try CrashDisk())
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await document.edit { report in
        report.text = "two"
        throw Refused()
      }
    }
    #expect(await document.hasUnsavedChanges)
    try await document.close()
  }

  @Test func `is in conflict with another program's change, and both sides last`() async throws {
    let disk = try CrashDisk()
    let document = try await Fixture.create(Report("one"), on: disk) { $0.merge = { $0.theirs } }
    try disk.overwrite("Trip.pages", "theirs", in: "/")
    try await document.edit { $0.text = "ours" }
    #expect(try await document.checkForExternalChanges() == .conflict)
    try await document.save()
    #expect(try disk.text("Trip.pages", in: "/") == "ours")
    #expect(try await document.conflictVersions().count == 1)
    #expect(try await document.resolveConflicts(with: .newest))
    #expect(await document.documentState == .normal)
    try await document.close()
  }

  @Test @MainActor func `is edited once by an observer`() async throws {
    let url = url("A.txt")
    let document = try await ObservableDocument.create(Report("one"), at: url, options: .quiet(nil))
    try document.edit { $0.text += "+" }
    await document.drain()
    #expect(document.content.text == "one+")
    try await document.close()
  }
}
