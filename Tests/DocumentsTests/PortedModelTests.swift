import Documents
import FilePackages
import Foundation
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

/// A folder whose children are all notes.
private struct Notebook: FileDocument {
  static var readableContentTypes: [UTType] { [.package] }
  var notes: [String: String]

  init(_ notes: [String: String]) { self.notes = notes }

  init(configuration: ReadConfiguration) throws {
    guard let children = configuration.file.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
    notes = [:]
    for (name, child) in children {
      guard name.hasSuffix(".txt"), let data = child.regularFileContents else {
        throw CocoaError(.fileReadCorruptFile)
      }
      notes[name] = String(decoding: data, as: UTF8.self)
    }
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(
      directoryWithFileWrappers: notes.mapValues { FileWrapper(regularFileWithContents: Data($0.utf8)) })
  }
}

@Suite("A model that was written for SwiftUI")
struct PortedModelTests {
  @Test func `is a document's content as it is`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ported-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("Note.txt")
    let note = try await Document.create(Note(text: "Hello"), at: url)
    try await note.edit("Typing") { $0.text += ", world" }
    try await note.close()
    #expect(try String(contentsOf: url, encoding: .utf8) == "Hello, world")
    try Data([0xFF]).write(to: url)
    let error = await #expect(throws: DocumentError.self) { try await Document<Note>.open(at: url) }
    #expect(error?.code == .content)
    #expect((error?.cause as? CocoaError)?.code == .fileReadCorruptFile)
  }

  @Test func `opens again what it saved, where it counts its children`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ported-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = DocumentOptions<Notebook>()
    options.writesMetadata = false
    let url = folder.appendingPathComponent("Notes.notebook")
    let document = try await Document.create(Notebook(["a.txt": "one"]), at: url, options: options)
    try await document.edit { $0.notes["b.txt"] = "two" }
    try await document.close()
    let again = try await Document<Notebook>.open(at: url, options: options)
    try await again.edit { $0.notes["a.txt"] = nil }
    let copy = folder.appendingPathComponent("Copy.notebook")
    try await again.save(to: copy, for: .forCreating)
    try await again.close()
    #expect(try await Document<Notebook>.open(at: url).content.notes == ["a.txt": "one", "b.txt": "two"])
    #expect(try await Document<Notebook>.open(at: copy).content.notes == ["b.txt": "two"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: copy.path) == ["b.txt"])
    // The store saves the content itself.
    let third = folder.appendingPathComponent("Third.notebook")
    let (store, _) = try await PackageStore.create(Notebook(["c.txt": "c"]), at: third, writesMetadata: false)
    try await store.save(Notebook(["c.txt": "c", "d.txt": "d"]))
    try await store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: third.path).sorted() == ["c.txt", "d.txt"])
  }

  @Test func `is told of the file where it asks a file for children`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ported-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("Tree.sketch")
    try Data("flat".utf8).write(to: url)
    let error = await #expect(throws: DocumentError.self) { try await Document<Sketch>.open(at: url) }
    #expect(error?.fileError?.document.hasSuffix("/Tree.sketch") == true && error?.fileError?.child == nil)
    #expect(error?.description.contains("'Tree.sketch' could not be read") == true, "\(error as Any)")
  }
}
