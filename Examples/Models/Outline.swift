import SwiftUI
import UniformTypeIdentifiers

extension UTType {
  static var outline: UTType { UTType(exportedAs: "org.example.outline", conformingTo: .package) }
}

/// A `FileDocument`, whose package is made anew for each save.
struct Outline: FileDocument {
  struct Item: Codable, Equatable {
    var title: String
  }

  static var readableContentTypes: [UTType] { [.outline] }

  var items: [Item] = []
  var picture: Data

  init(picture: Data) { self.picture = picture }

  init(configuration: ReadConfiguration) throws {
    guard let children = configuration.file.fileWrappers,
      let data = children["items.json"]?.regularFileContents
    else { throw CocoaError(.fileReadCorruptFile) }
    items = try JSONDecoder().decode([Item].self, from: data)
    picture = children["picture"]?.regularFileContents ?? Data()
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(directoryWithFileWrappers: [
      "items.json": FileWrapper(regularFileWithContents: try JSONEncoder().encode(items)),
      "picture": FileWrapper(regularFileWithContents: picture),
    ])
  }
}
