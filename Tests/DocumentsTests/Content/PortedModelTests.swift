import Documents
import Foundation
import TestSupport
import Testing

// An iOS model, with `import Documents` in place of `import SwiftUI`.
private struct Note: FileDocument {
  static var readableContentTypes: [UTType] { [.plainText] }
  static var writableContentTypes: [UTType] { [.plainText] }

  var text: String

  init(text: String = "") {
    self.text = text
  }

  init(configuration: ReadConfiguration) throws {
    guard let data = configuration.file.regularFileContents,
      let string = String(data: data, encoding: .utf8)
    else {
      throw CocoaError(.fileReadCorruptFile)
    }
    text = string
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let data = text.data(using: .utf8) ?? Data()
    return .init(regularFileWithContents: data)
  }
}

@Suite("A model that was written for SwiftUI", .temporaryDirectory)
struct PortedModelTests {
  @Test func `is a document's content as it is`() async throws {
    let url = url("Note.txt")
    let note = try await Document.create(Note(text: "Hello"), at: url)
    try await note.edit("Typing") { $0.text += ", world" }
    try await note.close()
    #expect(try String(contentsOf: url, encoding: .utf8) == "Hello, world")
    try Data([0xFF]).write(to: url)
    let error = await #expect(throws: DocumentError.self) { try await Document<Note>.open(at: url) }
    #expect(error?.code == .content)
    #expect((error?.cause as? CocoaError)?.code == .fileReadCorruptFile)
  }

  @Test func `is told of the file where it asks a file for children`() async throws {
    let url = url("Tree.sketch")
    try Data("flat".utf8).write(to: url)
    let error = await #expect(throws: DocumentError.self) { try await Document<Sketch>.open(at: url) }
    #expect(error?.fileError?.document.hasSuffix("/Tree.sketch") == true && error?.fileError?.child == nil)
    #expect(error?.description.contains("'Tree.sketch' could not be read") == true, "\(error as Any)")
  }
}
