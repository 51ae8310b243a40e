import AppleDocuments
import Testing

/// A model's own type of this name meets no other one.
private struct Document: FileDocument {
  static var readableContentTypes: [UTType] { [.plainText] }
  var text = ""

  init() {}

  init(configuration: ReadConfiguration) throws {
    guard let data = configuration.file.regularFileContents else { throw CocoaError(.fileReadCorruptFile) }
    text = String(decoding: data, as: UTF8.self)
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(regularFileWithContents: Data(text.utf8))
  }
}

@Observable
private final class Model {
  var names: [FileWrapper: String] = [:]
}

@Suite("One import")
struct OneImportTests {
  @Test func `gives a model all names that it needs`() throws {
    var document = Document()
    document.text = "Hello"
    let file = try document.fileWrapper(configuration: .init(contentType: .plainText, existingFile: nil))
    #expect(try Document(configuration: .init(contentType: .plainText, file: file)).text == "Hello")
    #expect(UTType(filenameExtension: "txt") == .plainText)
    let missing = URL(filePath: "/none/Info.plist")
    #expect(throws: UTType.DeclarationError.self) { try UTType.declare(contentsOf: missing) }
  }

  @Test func `finds a file wrapper by its identity`() {
    let one = FileWrapper(regularFileWithContents: Data("same".utf8))
    let other = FileWrapper(regularFileWithContents: Data("same".utf8))
    let model = Model()
    model.names[one] = "one"
    model.names[other] = "other"
    #expect(model.names[one] == "one" && model.names.count == 2 && one != other)
    one.preferredFilename = "renamed"
    #expect(model.names[one] == "one")
  }
}
