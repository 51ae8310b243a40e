import FilePackages
import FoundationEssentials

/// Writes a folder with a text in Markdown and a folder of its images.
struct MarkdownWriter {
  private let document: InterchangeDocument
  private let layout: AssetLayout
  private let textName: String

  /// - Parameter name: the path or name of the document, whose last part names the text.
  init(_ document: InterchangeDocument, named name: String) throws {
    self.document = document
    layout = try AssetLayout(document)
    textName = Self.stem(of: name) + ".md"
  }

  func write() throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    let tree = try layout.tree()
    tree.addRegularFile(
      withContents: PlainText.encoded(layout.text + layout.endOfText), preferredFilename: textName)
    let back = try MarkdownReader(tree, nil).read().document
    let losses = InterchangeComparison(document, back).losses
    return (tree, layout.remarks + layout.remarksOnEnd + losses + [.notHeld(.identity, count: 1)])
  }

  /// The last name of a path without an extension of documents; `Text` if nothing is left.
  private static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let (base, pathExtension) = FreeName.split(name)
    let isDocument = InterchangeFormat(filename: name) != nil || pathExtension.lowercased() == "imagenotes"
    var stem = (isDocument ? base : name).filter { $0 != "\0" }
    while stem.utf8.count > 230 { stem.removeLast() }
    return stem.isEmpty || stem.hasPrefix(".") ? "Text" : stem
  }
}
