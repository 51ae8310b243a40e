import UIKit

/// A `UIDocument` that keeps the package which it was loaded from.
class Journal: UIDocument {
  private var package = FileWrapper(directoryWithFileWrappers: [:])
  private(set) var text = ""
  var picture = Data()

  func type(_ new: String) {
    let old = text
    undoManager.registerUndo(withTarget: self) { $0.type(old) }
    text = new
    if let child = package.fileWrappers?["text"] { package.removeFileWrapper(child) }
  }

  override func contents(forType typeName: String) throws -> Any {
    for (name, data) in ["text": Data(text.utf8), "picture": picture] where package.fileWrappers?[name] == nil
    {
      package.addRegularFile(withContents: data, preferredFilename: name)
    }
    return package
  }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    guard let wrapper = contents as? FileWrapper, let children = wrapper.fileWrappers else {
      throw NSError(domain: NSCocoaErrorDomain, code: NSFileReadCorruptFileError)
    }
    package = wrapper
    text = children["text"]?.regularFileContents.flatMap { String(data: $0, encoding: .utf8) } ?? ""
  }
}
