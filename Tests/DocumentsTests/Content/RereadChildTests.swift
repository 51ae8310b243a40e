import Documents
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A content that writes its text to a temporary file, and reads the child of the saved tree from there.
private struct RereadingContent: DocumentContent {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.rereading", conformingTo: .package)]
  }
  var text: String

  init(_ text: String) { self.text = text }

  init(configuration: ReadConfiguration) throws {
    text = String(decoding: try configuration.file.child(named: "text")?.contents() ?? Data(), as: UTF8.self)
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    guard let tree = configuration.existingFile, let child = try tree.child(named: "text") else {
      let tree = FileWrapper(directoryWithFileWrappers: [:])
      tree.addRegularFile(withContents: Data(text.utf8), preferredFilename: "text")
      return tree
    }
    let temporary = FileManager.default.temporaryDirectory.appending(path: "Reread-\(UUID())")
    try Data(text.utf8).write(to: temporary)
    defer { try? FileManager.default.removeItem(at: temporary) }
    try child.read(from: temporary, options: .immediate)
    return tree
  }
}

@Suite("A content that reads a child of the saved tree from another file", .temporaryDirectory)
struct RereadChildTests {
  @Test func `saves each edit, keeps undo, and finds another program's change`() async throws {
    let url = URL(filePath: folder.appending("Trip.rereading").string, directoryHint: .isDirectory)
    let recovery = URL(filePath: folder.appending("Recovery").string, directoryHint: .isDirectory)
    func text() throws -> String { try String(contentsOf: url.appending(path: "text"), encoding: .utf8) }
    let document = try await Document.create(RereadingContent("one"), at: url, options: .quiet(recovery))
    for text in ["two", "three"] {
      try await document.edit { $0.text = text }
      try await document.saveAndPublish()
    }
    #expect(try text() == "three")
    #expect(try await document.undo())
    #expect(try await document.undo())
    try await document.saveAndPublish()
    #expect(try text() == "one")
    try await document.edit { $0.text = "mine" }
    try Data("theirs".utf8).write(to: url.appending(path: "text"))
    try await document.saveAndPublish()
    #expect(try text() == "mine")
    let kept = try await document.conflictVersionURLs()
    let texts = try kept.map { try String(contentsOf: $0.appending(path: "text"), encoding: .utf8) }
    #expect(texts == ["theirs"])
    try await document.close()
  }
}
