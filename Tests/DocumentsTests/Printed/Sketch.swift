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
    if let old = try tree.child(named: "Strokes") {
      if try old.contents() == strokes { return tree }  // the same wrapper: not written again
      tree.removeFileWrapper(old)
    }
    tree.addRegularFile(withContents: strokes, preferredFilename: "Strokes")
    return tree
  }
}
