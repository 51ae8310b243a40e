import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("The error of a save")
struct SaveErrorTests {
  /// Returns the text of the error of a save on a full disk.
  private static func text(of document: Document<Pages>, on faulty: FaultyDisk, _ text: String) async throws
    -> String
  {
    try await document.edit { $0["a.txt"] = text }
    faulty.fail(.operation(.write), with: .noSpace)
    let error = await #expect(throws: DocumentError.self) { try await document.save() }
    faulty.stopFailing()
    return error?.description ?? ""
  }

  @Test func `names the state of the document on disk`() async throws {
    let faulty = FaultyDisk(try CrashDisk())
    try await Trip.create(Pages(["a.txt": "0", "b.txt": "0"]), on: faulty.disk).close()
    let document = try await Trip.open(on: faulty.disk)
    let opened = try await Self.text(of: document, on: faulty, "1")
    #expect(opened.contains("The document on disk is unchanged since it was opened. "), "\(opened)")

    try await document.saveAndPublish()
    let saved = try await Self.text(of: document, on: faulty, "2")
    let sentence = #/The document on disk is as after the save of (\d+-\d+-\d+ )?\d\d:\d\d\./#
    #expect(saved.contains(sentence), "\(saved)")

    try await document.saveAndPublish()
    let other = try await PackageStore.open(Trip.path, on: faulty.disk)
    let child = FileWrapper(regularFileWithContents: Data("theirs".utf8))
    try await other.tree.setDescendant(child, at: "b.txt")
    try await other.save()
    try await other.close()
    try await document.checkForExternalChanges()
    let theirs = try await Self.text(of: document, on: faulty, "3")
    #expect(theirs.contains("The document on disk is as another program left it. "), "\(theirs)")
    try await document.close()
  }
}
