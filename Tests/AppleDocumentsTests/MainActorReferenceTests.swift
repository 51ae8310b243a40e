import AppleDocuments
import Documents
import TestSupport
import Testing

/// A value that is not `Sendable`.
private final class Words {
  let text: String
  init(_ text: String) { self.text = text }
}

/// A model of the main actor, as it is on Apple's systems. Its snapshot is not `Sendable`.
@MainActor private final class Essay: @preconcurrency ReferenceFileDocument {
  static var readableContentTypes: [UTType] {
    MainActor.assertIsolated()
    return [UTType(exportedAs: "org.example.essay", conformingTo: .package)]
  }

  @Published var text: String

  init(_ text: String) { self.text = text }

  init(configuration: ReadConfiguration) throws {
    MainActor.assertIsolated()
    let data = configuration.file.fileWrappers?["text"]?.regularFileContents
    text = String(decoding: data ?? Data(), as: UTF8.self)
  }

  func snapshot(contentType: UTType) throws -> Words {
    MainActor.assertIsolated()
    #expect(contentType == Self.readableContentTypes[0])
    return Words(text)
  }

  func fileWrapper(snapshot: Words, configuration: WriteConfiguration) throws -> FileWrapper {
    MainActor.assertIsolated()
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    if let old = tree.fileWrappers?["text"] { tree.removeFileWrapper(old) }
    tree.addRegularFile(withContents: Data(snapshot.text.utf8), preferredFilename: "text")
    return tree
  }

  func set(_ new: String, undoManager: UndoManager?) {
    let old = text
    text = new
    undoManager?.registerUndo(withTarget: self) { essay in
      MainActor.assumeIsolated { essay.set(old, undoManager: undoManager) }
    }
  }
}

@Suite("A class of the main actor", .temporaryDirectory)
@MainActor
struct MainActorReferenceTests {
  @Test func `is made, edited, saved, undone, reverted and opened there`() async throws {
    let url = url("A.essay")
    var quiet = DocumentOptions<ModelContent>()
    (quiet.autosave, quiet.recoveryFolder) = (nil, nil)
    let file = try await ReferenceDocument.create(Essay("one"), at: url, options: quiet)
    file.document.set("two", undoManager: file.undoManager)
    try await file.save()
    file.undoManager.undo()
    #expect(file.document.text == "one")
    try await file.revert()
    #expect(file.document.text == "two")
    file.document.set("three", undoManager: file.undoManager)
    try await file.close()
    let again = try await ReferenceDocument<Essay>.open(at: url, options: quiet)
    #expect(again.document.text == "three")
    try await again.close()
  }
}
