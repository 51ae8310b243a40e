import FilePackages

/// Reads a text in Markdown, with the images beside it.
struct MarkdownReader {
  private let tree: FileWrapper
  private let textName: String?

  /// - Parameter textName: the path of the text in the folder; nil if it is the only one there.
  init(_ tree: FileWrapper, _ textName: String?) throws {
    guard tree.isDirectory else { throw InterchangeProblem(.notOfFormat, "it is a file without its folder") }
    (self.tree, self.textName) = (tree, textName)
  }

  func read() throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    let name = try textName ?? tree.onlyText()
    let folder = PackagePath(name).parent.string
    var intake = AssetIntake(tree, assetsFolder: AssetLayout.folder, textFolder: folder)
    let text = try tree.regularFile(at: name).text(name)
    // A link to another text is a link between documents.
    let isNoText = { (path: String) in InterchangeFormat(filename: path) == nil }
    try intake.take(text, from: name, links: isNoText)
    if textName == nil {
      try intake.takeUnnamed(in: tree, besides: name) { $0.hasPrefix(AssetLayout.folder + "/") }
    } else {
      try intake.remarkMentioned(in: text, where: isNoText)
    }
    return (intake.document, intake.remarks)
  }
}

extension FileWrapper {
  /// Returns the name of the only text in Markdown in a folder.
  ///
  /// - Throws: `InterchangeProblem` if there is none, or if there are several.
  fileprivate func onlyText() throws -> String {
    let names = try regularFileNames().filter {
      InterchangeFormat(filename: $0) == .markdown && !$0.hasPrefix(".")
    }
    if names.count == 1 { return names[0] }
    if names.isEmpty { throw InterchangeProblem(.missingPart, "the folder has no text in Markdown") }
    throw InterchangeProblem(
      .notOfFormat, "the folder has \(names.count) texts (\(names.firstNames)): name one of them")
  }
}
