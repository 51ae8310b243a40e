import Documents
import Foundation

struct Sketch: FileDocument {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.sketch", conformingTo: .package)]
  }
  var strokes: Data

  init(configuration: ReadConfiguration) throws {
    strokes = try configuration.file.child(named: "Strokes")?.contents() ?? Data()
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    // A file with the same bytes stays as it is, and is not written again.
    try tree.put(strokes, named: "Strokes")
    return tree
  }
}
