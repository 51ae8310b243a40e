import AppleDocuments

/// A text document for iOS, as it was: only `import UIKit` is another import now.
class Memo: UIDocument {
  private(set) var text = ""

  func setText(_ new: String) {
    let old = text
    undoManager.registerUndo(withTarget: self) { $0.setText(old) }
    undoManager.setActionName("Typing")
    text = new
  }

  override func contents(forType typeName: String) throws -> Any {
    return Data(text.utf8)
  }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
    text = String(decoding: data, as: UTF8.self)
  }
}
