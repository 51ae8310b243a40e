import Documents
import DurableIO
import FoundationEssentials
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("A document of text and images", .temporaryDirectory)
struct ImageNotesDocumentTests {
  private typealias Trip = DocumentFixture<ImageNotes>

  /// The smallest GIF: a header and a size of one pixel.
  private static let image = Data(
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B])

  @Test func `does not lose a title with a character that its metadata cannot hold`() async throws {
    let url = url("Trip.imageNotes")
    let document = try await Document.create(ImageNotes(text: "one"), at: url, options: .quiet(nil))
    let before = try Data(contentsOf: url.appending(path: "Metadata.plist"))
    try await document.edit { $0.customName = "a\0b" }
    let error = await #expect(throws: DocumentError.self) { try await document.save() }
    #expect(error?.code == .content && "\(error?.cause as Any)".contains("NUL"), "\(error as Any)")
    #expect(try Data(contentsOf: url.appending(path: "Metadata.plist")) == before)
    #expect(try await document.content.customName == "a\0b")
    try await document.undo()
    try await document.close()
  }

  @Test func `has an image again when its removal is undone after it was saved`() async throws {
    let disk = try CrashDisk()
    try await Trip.create(ImageNotes(text: "Three valleys\n"), on: disk).close()
    let document = try await Trip.open(on: disk)
    try await document.edit("Add") { try $0.add(imageData: Self.image, originalFilename: "Dawn.gif") }
    try await document.save()
    try await document.undo()
    try await document.save()
    try await document.redo()
    try await document.close()
    let again = try await Trip.open(on: disk)
    #expect(try await again.content.images.map(\.name) == ["Dawn.gif"])
    try await again.edit("Remove") { try $0.remove(image: "Dawn.gif") }
    try await again.saveAndPublish()
    #expect(try !disk.holds("Dawn.gif", in: Trip.path.appending("Images")))
    try await again.undo()
    try await again.save()
    #expect(try await again.content.images.first?.header().format == .gif)
    try await again.close()
    let last = try await Trip.open(on: disk)
    #expect(try await last.content.images.first?.file().contents() == Self.image)
  }

  @Test func `has the lines that two programs edited`() async throws {
    let disk = try CrashDisk()
    try await Trip.create(ImageNotes(text: "one\ntwo\nthree\n"), on: disk).close()
    let document = try await Trip.open(on: disk)
    try await document.edit("Typing") { $0.text = "ONE\ntwo\nthree\n" }
    let other = try await Trip.open(on: disk)
    try await other.edit("Typing") { $0.text = "one\ntwo\nTHREE\n" }
    try await other.close()
    #expect(try await document.checkForExternalChanges() == .merged)
    #expect(try await document.content.text == "ONE\ntwo\nTHREE\n")
    // A change of the same line is a conflict, and no text is lost.
    try await document.saveAndPublish()
    let third = try await Trip.open(on: disk)
    try await third.edit("Typing") { $0.text = "ONE\ntheirs\nTHREE\n" }
    try await third.close()
    try await document.edit("Typing") { $0.text = "ONE\nours\nTHREE\n" }
    #expect(try await document.checkForExternalChanges() == .conflict)
    #expect(try await document.content.text == "ONE\nours\nTHREE\n")
    #expect(try await document.conflictVersions().count == 1)
    try await document.close()
  }

  /// Opens and edits a document of a text and an image, whose package is then removed.
  private func removed(reading: Bool, on disk: CrashDisk) async throws -> Document<ImageNotes> {
    var notes = ImageNotes(text: "Three valleys\n")
    try notes.add(imageData: Self.image, originalFilename: "Dawn.gif")
    try await Trip.create(notes, on: disk).close()
    let document = try await Trip.open(on: disk)
    if reading { #expect(try await document.content.images.first?.file().contents() == Self.image) }
    try await document.edit("Typing") { $0.text += "The hut at last.\n" }
    disk.removeEverything("Trip.pages", from: try disk.openDirectory(at: "/"))
    #expect(try await document.checkForExternalChanges() == .deleted)
    return document
  }

  @Test func `is not made again without the images that went with its package`() async throws {
    let disk = try CrashDisk()
    let document = try await removed(reading: false, on: disk)
    let error = await #expect(throws: DocumentError.self) {
      try await document.save(to: Trip.url, for: .forCreating)
    }
    #expect(error?.description.contains("Dawn.gif") == true, "\(error?.description ?? "none")")
    #expect(try !disk.holds("Trip.pages", in: "/"))
    // The text can be saved without the picture.
    var kept = try await document.content
    #expect(kept.text == "Three valleys\nThe hut at last.\n")
    try kept.remove(image: "Dawn.gif")
    try await Trip.create(kept, on: disk).close()
    #expect(try disk.text("Text.txt", in: Trip.path) == kept.text)
  }

  @Test func `is made again with the images that it has read`() async throws {
    let disk = try CrashDisk()
    let document = try await removed(reading: true, on: disk)
    try await document.save(to: Trip.url, for: .forCreating)
    try await document.close()
    let again = try await Trip.open(on: disk)
    #expect(try await again.content.images.first?.file().contents() == Self.image)
    try await again.close()
  }
}
