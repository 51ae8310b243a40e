import FilePackages
import FoundationEssentials
import ImageNotes
import TestSupport
import Testing

/// Documents in other programs' formats, as literals of texts and pictures.
enum InterchangeFixture {
  /// A tree of files by path.
  static func tree(_ files: [String: Data]) throws -> FileWrapper {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for (path, data) in files.sorted(by: { $0.key < $1.key }) {
      try tree.setDescendant(FileWrapper(regularFileWithContents: data), at: path)
    }
    return tree
  }

  /// The files of a tree by path.
  static func files(of tree: FileWrapper) throws -> [String: Data] {
    if tree.isRegularFile { return ["": try tree.contents()] }
    var files: [String: Data] = [:]
    for path in try TreeChanges(everythingIn: tree).paths() {
      guard let child = try tree.descendant(at: path), child.isRegularFile else { continue }
      files[path] = try child.contents()
    }
    return files
  }

  /// A TextBundle of a text and other files, with these keys.
  static func textBundle(
    _ text: String, info: String = #"{"version": 2}"#, named name: String = "text.md",
    _ files: [String: Data] = [:]
  ) throws -> FileWrapper {
    try tree(files.merging([name: Data(text.utf8), "info.json": Data(info.utf8)]) { own, _ in own })
  }

  static func picture(_ name: String = "ridge.png") throws -> Data {
    Data(try ImageBytes.file("Images/\(name)"))
  }

  /// The folder with other programs' documents, beside the package; nil if it is absent.
  static let samples = FileManager.default.fileExists(atPath: sampleFolder.path) ? sampleFolder : nil

  static let samplesMessage: Comment = "the samples have to be in 'shared/samples' beside the package"
}

/// A document as plain values, for comparisons.
struct DocumentPicture: Equatable {
  struct Image: Equatable {
    var path: String
    var originalFilename: String
    var caption: String
    var bytes: Data
  }

  var text: String
  var title: String?
  var images: [Image]
  var attachments: [PackagePath: Data]

  init(_ document: InterchangeDocument) throws {
    text = document.notes.text
    title = document.notes.customName
    images = try document.notes.images.map {
      Image(
        path: $0.path, originalFilename: $0.originalFilename, caption: $0.caption,
        bytes: try $0.file().contents())
    }
    attachments = try document.attachments.mapValues { try $0.contents() }
  }
}
