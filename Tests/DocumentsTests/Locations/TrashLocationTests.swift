import Documents
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The trash of the desktop", .temporaryDirectory)
struct TrashLocationTests {
  private static func document(named name: String = "Trip.imageNotes") throws -> (TrashLocation, URL) {
    let trash = try #require(TrashLocation(url("Trash")))
    let document = url("Notes/\(name)")
    try FileManager.default.createDirectory(at: document, withIntermediateDirectories: true)
    try Data("rain".utf8).write(to: document.appending(path: "Text.txt"))
    return (trash, document)
  }

  @Test(arguments: ["Trip.imageNotes", "100 % née\n[x].imageNotes"])
  func `has a document with a note about its place, and gives it back`(_ name: String) async throws {
    let (trash, document) = try Self.document(named: name)
    let entry = try await trash.moveIn(document)
    let described = "\(displayString(entry.name)), deleted \(localTime(entry.deletionDate)) from "
    #expect("\(entry)" == described + displayString(document.path))
    #expect(entry.originalURL.path == document.path)
    #expect(!FileManager.default.fileExists(atPath: document.path))
    let note = try String(
      contentsOfFile: folder.appending("Trash/info").string + "/\(entry.name).trashinfo", encoding: .utf8)
    let lines = note.split(separator: "\n")
    #expect(lines.first == "[Trash Info]")
    // Other programs read the path with the escapes of a URL.
    let path = try #require(lines.first { $0.hasPrefix("Path=") }?.dropFirst(5))
    #expect(String(path).removingPercentEncoding == document.path)
    #expect(lines.contains { $0.wholeMatch(of: /DeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) != nil })

    let place = try await trash.restore(entry)
    #expect(place.path == document.path)
    #expect(try String(contentsOf: place.appending(path: "Text.txt"), encoding: .utf8) == "rain")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending("Trash/info").string) == [])
  }

  @Test func `moves no document whose place it cannot note`() async throws {
    let (trash, document) = try Self.document()
    try FileManager.default.createDirectory(at: trash.url, withIntermediateDirectories: true)
    try Data().write(to: trash.url.appending(path: "info"))
    await #expect(throws: FilePackageError.self) { try await trash.moveIn(document) }
    #expect(FileManager.default.fileExists(atPath: document.path))
  }

  @Test func `leaves no note of a document that did not move`() async throws {
    let (trash, document) = try Self.document()
    try FileManager.default.removeItem(at: document)
    await expect(\FilePackageError.code, .noSuchFile) { try await trash.moveIn(document) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending("Trash/info").string) == [])
  }

  @Test(arguments: ["files/Trip.imageNotes", "info/Trip.imageNotes.trashinfo"])
  func `gives each document its own name and note`(_ taken: String) async throws {
    let (trash, document) = try Self.document()
    let other = trash.url.appending(path: taken)
    try writeFile(Data("other".utf8), to: other)
    let entry = try await trash.moveIn(document)
    #expect(entry.name == "Trip 2.imageNotes")
    #expect(try String(contentsOf: other, encoding: .utf8) == "other")
    #expect(
      FileManager.default.fileExists(
        atPath: trash.url.appending(path: "info/Trip 2.imageNotes.trashinfo").path))
    #expect(try await trash.restore(entry).path == document.path)
  }

  @Test func `gives a document back beside one that has its name by now`() async throws {
    let (trash, document) = try Self.document()
    let entry = try await trash.moveIn(document)
    try FileManager.default.createDirectory(at: document, withIntermediateDirectories: true)
    let place = try await trash.restore(entry)
    #expect(place.path != document.path)
    #expect(try String(contentsOf: place.appending(path: "Text.txt"), encoding: .utf8) == "rain")
  }

  @Test func `says that a document is gone if the trash was emptied`() async throws {
    let (trash, document) = try Self.document()
    let entry = try await trash.moveIn(document)
    try FileManager.default.removeItem(at: trash.url)
    await expect(\FilePackageError.code, .noSuchFile) { try await trash.restore(entry) }
  }
}
