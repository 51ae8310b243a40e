import Documents
import Foundation
import TestSupport
import Testing

// This target is built in Swift 5 mode, and continuous integration takes its warnings for errors.

/// A class that is not `Sendable`, as models of the Swift 5 mode have in their values.
private class Style {
  var name: String

  init(_ name: String) { self.name = name }
}

private struct Letter: FileDocument {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.letter", conformingTo: .package)]
  }
  var style: Style
  var format: () -> String = { "plain" }

  init(_ style: String) { self.style = Style(style) }

  init(configuration: ReadConfiguration) throws {
    guard let data = configuration.file.fileWrappers?["style"]?.regularFileContents else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.init(String(decoding: data, as: UTF8.self))
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(directoryWithFileWrappers: [
      "style": FileWrapper(regularFileWithContents: Data(style.name.utf8))
    ])
  }
}

/// The same on the main actor.
@MainActor private struct Poster: DocumentContent {
  nonisolated static var readableContentTypes: [UTType] { Letter.readableContentTypes }
  var style: Style

  init(_ style: String) { self.style = Style(style) }

  init(configuration: ReadConfiguration) throws {
    style = try Letter(configuration: configuration).style
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    try Letter(style.name).fileWrapper(configuration: configuration)
  }
}

/// The same as on Apple's systems: every member belongs to the main actor.
@MainActor private struct Flyer: @preconcurrency FileDocument {
  static var readableContentTypes: [UTType] {
    MainActor.assertIsolated()
    return Letter.readableContentTypes
  }
  var style: Style

  init(_ style: String) { self.style = Style(style) }

  init(configuration: ReadConfiguration) throws {
    MainActor.assertIsolated()
    style = try Letter(configuration: configuration).style
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    MainActor.assertIsolated()
    return try Letter(style.name).fileWrapper(configuration: configuration)
  }
}

@Suite("A model of the Swift 5 mode", .temporaryDirectory)
struct Swift5ModelTests {
  @Test func `conforms as it is, and is saved and read again`() async throws {
    let url = url("A.letter")
    let document = try await Document.create(Letter("one"), at: url)
    try await document.edit { $0 = Letter("two") }
    try await document.close()
    let again = try await Document<Letter>.open(at: url)
    #expect(try await again.content.style.name == "two")
    try await again.close()
  }

  @Test @MainActor func `may belong to the main actor with all its members`() async throws {
    let url = url("A.letter")
    let document = try await Document.create(Flyer("one"), at: url)
    let two = Flyer("two")
    try await document.edit { $0 = two }
    try await document.close()
    let again = try await Document<Flyer>.open(at: url)
    #expect(try await again.content.style.name == "two")
    try await again.close()
  }

  @Test @MainActor func `may belong to the main actor`() async throws {
    let url = url("A.poster")
    let document = try await Document.create(Poster("one"), at: url)
    let two = Poster("two")
    try await document.edit { $0 = two }
    try await document.close()
    let again = try await Document<Poster>.open(at: url)
    #expect(try await again.content.style.name == "two")
    try await again.close()
  }
}
