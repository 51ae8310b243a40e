import Cocoa

/// An `NSDocument` that writes a package.
class Ledger: NSDocument {
  private(set) var entries: [String] = []
  var picture = Data()

  override init() { super.init() }

  override class var autosavesInPlace: Bool { true }

  func add(_ entry: String) {
    entries.append(entry)
    undoManager?.registerUndo(withTarget: self) { $0.removeLast() }
  }

  func removeLast() {
    let entry = entries.removeLast()
    undoManager?.registerUndo(withTarget: self) { $0.add(entry) }
  }

  override func fileWrapper(ofType typeName: String) throws -> FileWrapper {
    let list = try PropertyListEncoder().encode(entries)
    return FileWrapper(directoryWithFileWrappers: [
      "entries.plist": FileWrapper(regularFileWithContents: list),
      "picture": FileWrapper(regularFileWithContents: picture),
    ])
  }

  override func read(from fileWrapper: FileWrapper, ofType typeName: String) throws {
    guard let data = fileWrapper.fileWrappers?["entries.plist"]?.regularFileContents else {
      throw CocoaError(.fileReadCorruptFile)
    }
    entries = try PropertyListDecoder().decode([String].self, from: data)
    picture = fileWrapper.fileWrappers?["picture"]?.regularFileContents ?? Data()
  }
}
