import Observation
import SwiftUI
import UniformTypeIdentifiers

/// A model that is read and written as snapshots.
// `@unchecked`: only the main actor changes it, and its reader and writer get copies.
@Observable
final class Notebook: ReadableDocument, WritableDocument, @unchecked Sendable {
  struct Snapshot: Sendable {
    var text: String
    var picture: Data
  }

  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.notebook", conformingTo: .package)]
  }

  private(set) var text = ""
  private(set) var picture: Data

  init(picture: Data = Data()) { self.picture = picture }

  func type(_ new: String, undoManager: UndoManager?) {
    let old = text
    text = new
    undoManager?.registerUndo(withTarget: self) { $0.type(old, undoManager: undoManager) }
  }

  func reader(
    configuration: sending ReadConfiguration
  ) -> sending FileWrapperDocumentReader<Snapshot> {
    FileWrapperDocumentReader(configuration) { wrapper in
      guard let children = wrapper.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
      return Snapshot(
        text: String(decoding: children["text"]?.regularFileContents ?? Data(), as: UTF8.self),
        picture: children["picture"]?.regularFileContents ?? Data())
    }
  }

  func apply(snapshot: sending Snapshot, previous: sending Snapshot?) async throws {
    text = snapshot.text
    picture = snapshot.picture
  }

  func writer(
    configuration: sending WriteConfiguration
  ) -> sending FileWrapperDocumentWriter<Snapshot> {
    FileWrapperDocumentWriter(configuration) { snapshot, existing in
      let package = existing ?? FileWrapper(directoryWithFileWrappers: [:])
      for (name, data) in ["text": Data(snapshot.text.utf8), "picture": snapshot.picture] {
        if let old = package.fileWrappers?[name] {
          if old.regularFileContents == data { continue }
          package.removeFileWrapper(old)
        }
        package.addRegularFile(withContents: data, preferredFilename: name)
      }
      return package
    }
  }

  func snapshot(contentType: UTType) async throws -> sending Snapshot {
    Snapshot(text: text, picture: picture)
  }
}
