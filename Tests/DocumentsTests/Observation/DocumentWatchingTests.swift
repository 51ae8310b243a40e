import Documents
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("An open document that other programs change", .temporaryDirectory)
struct DocumentWatchingTests {
  /// Makes a document on the disk of this machine.
  private static func document() async throws -> (Document<Pages>, URL) {
    let url = URL(filePath: folder.appending("Trip.pages").string, directoryHint: .isDirectory)
    let recovery = URL(filePath: folder.appending("Recovery").string, directoryHint: .isDirectory)
    let document = try await Document.create(
      Pages(["one.txt": "1", "two.txt": "2"]), at: url, options: .quiet(recovery))
    return (document, url)
  }

  @Test func `goes on where it was moved, and ends where it was removed`() async throws {
    let (document, url) = try await Self.document()
    let moved = url.deletingLastPathComponent().appending(path: "Tour.pages", directoryHint: .isDirectory)
    try FileManager.default.moveItem(at: url, to: moved)
    try await waitUntil("change") { await document.localizedName == "Tour" }
    try await document.edit { $0["one.txt"] = "mine" }
    try await document.saveAndPublish()
    #expect(try String(contentsOf: moved.appending(path: "one.txt"), encoding: .utf8) == "mine")
    #expect(!FileManager.default.fileExists(atPath: url.path))
    // The document may remove its own files meanwhile.
    while FileManager.default.fileExists(atPath: moved.path) {
      try? FileManager.default.removeItem(at: moved)
    }
    try await waitUntil("change") { await !document.isOpen }
    #expect(!FileManager.default.fileExists(atPath: moved.path))
  }

  @Test func `never takes its own saves for others'`() async throws {
    let (document, url) = try await Self.document()
    for number in 0..<20 {
      try await document.edit { $0["one.txt"] = "\(number)" }
      try await document.save()
    }
    try await document.synchronize()
    // The document also takes in a later change.
    try Data("theirs".utf8).write(to: url.appending(path: "two.txt"))
    try await waitUntil("change") { try await document.content["two.txt"] == "theirs" }
    #expect(try await document.content["one.txt"] == "19")
    #expect(await !document.documentState.contains(.inConflict))
    try await document.close()
  }
}
