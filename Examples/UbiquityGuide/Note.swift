import AppleCloud

/// A package with one text, as a `UIDocument` on iOS.
final class Note: UIDocument {
  static let type = UTType(
    exportedAs: "org.example.guide-note", conformingTo: .package, filenameExtension: "guidenote")

  private(set) var text = ""
  private var tree = FileWrapper(directoryWithFileWrappers: [:])

  func setText(_ new: String) {
    let old = text
    undoManager.registerUndo(withTarget: self) { $0.setText(old) }
    text = new
    if let child = tree.fileWrappers?["Text.txt"] { tree.removeFileWrapper(child) }
  }

  override func contents(forType typeName: String) throws -> Any {
    if tree.fileWrappers?["Text.txt"] == nil {
      tree.addRegularFile(withContents: Data(text.utf8), preferredFilename: "Text.txt")
    }
    return tree
  }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    guard let tree = contents as? FileWrapper, tree.isDirectory else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.tree = tree
    text = String(decoding: tree.fileWrappers?["Text.txt"]?.regularFileContents ?? Data(), as: UTF8.self)
  }
}
