import SwiftUI
import UniformTypeIdentifiers

/// A `FileDocument` of the main actor, as the models of a program whose code belongs to the main actor.
@MainActor
struct Score: @preconcurrency FileDocument {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.score", conformingTo: .package)]
  }

  var notes = ""
  var picture: Data

  init(picture: Data) { self.picture = picture }

  init(configuration: ReadConfiguration) throws {
    MainActor.assertIsolated()
    guard let children = configuration.file.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
    notes = String(decoding: children["notes"]?.regularFileContents ?? Data(), as: UTF8.self)
    picture = children["picture"]?.regularFileContents ?? Data()
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    MainActor.assertIsolated()
    return FileWrapper(directoryWithFileWrappers: [
      "notes": FileWrapper(regularFileWithContents: Data(notes.utf8)),
      "picture": FileWrapper(regularFileWithContents: picture),
    ])
  }
}
