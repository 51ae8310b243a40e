import Combine
import SwiftUI
import UniformTypeIdentifiers

/// A `ReferenceFileDocument` with published properties.
// `@unchecked`: only the main actor changes it, and `snapshot(contentType:)` copies it.
final class Sketchbook: ReferenceFileDocument, @unchecked Sendable {
  struct Snapshot {
    var title: String
    var picture: Data
  }

  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.sketchbook", conformingTo: .package)]
  }

  @Published var title = ""
  @Published private(set) var picture: Data

  init(picture: Data) { self.picture = picture }

  required init(configuration: ReadConfiguration) throws {
    guard let children = configuration.file.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
    title = String(data: children["title"]?.regularFileContents ?? Data(), encoding: .utf8) ?? ""
    picture = children["picture"]?.regularFileContents ?? Data()
  }

  func snapshot(contentType: UTType) throws -> Snapshot { Snapshot(title: title, picture: picture) }

  func fileWrapper(snapshot: Snapshot, configuration: WriteConfiguration) throws -> FileWrapper {
    let package = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    for (name, data) in ["title": Data(snapshot.title.utf8), "picture": snapshot.picture] {
      if let old = package.fileWrappers?[name] {
        if old.regularFileContents == data { continue }
        package.removeFileWrapper(old)
      }
      package.addRegularFile(withContents: data, preferredFilename: name)
    }
    return package
  }

  func rename(to new: String, undoManager: UndoManager?) {
    let old = title
    title = new
    undoManager?.registerUndo(withTarget: self) { $0.rename(to: old, undoManager: undoManager) }
    undoManager?.setActionName("Rename")
  }
}
