import FilePackages
import FoundationEssentials

/// Reads the text and the images of a page of HTML.
///
/// Elements become plain text: blocks are paragraphs, headings and list items begin as in Markdown, links are Markdown's.
struct HTMLReader {
  private static let maximumSize: UInt64 = 256 << 20
  /// The most bytes of a tag that is no image with its bytes.
  private static let longestTag = 1 << 16

  private let pageName: String
  private let tree: FileWrapper
  private let page: FileWrapper
  private let isWholeFolder: Bool

  /// - Parameter pageName: the page in the folder; nil if it is the only one, or if `file` is the page.
  init(_ file: FileWrapper, _ pageName: String?) throws {
    isWholeFolder = file.isDirectory && pageName == nil
    if file.isDirectory {
      let name = try pageName ?? file.onlyText(of: .html)
      (tree, page) = (file, try file.regularFile(at: name))
      self.pageName = name
    } else {
      (tree, page) = (FileWrapper(directoryWithFileWrappers: [:]), file)
      self.pageName = pageName ?? HTMLWriter.pageName
    }
  }

  /// - Parameter isWhole: whether images count that the page does not show; by default those in a folder without the name
  ///   of a page.
  func read(isWhole: Bool? = nil) throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    let data = try page.contents(atMost: Self.maximumSize, pageName)
    guard let text = PlainText.decoded(data) else {
      throw InterchangeProblem(.damaged, file: pageName, "it is not a text in UTF-8")
    }
    var parser = HTMLPage(Array(text.utf8), AssetIntake(tree, assetsFolder: AssetLayout.folder))
    do {
      try parser.parse()
    } catch var problem as InterchangeProblem {
      problem.file = pageName
      throw problem
    }
    var intake = parser.intake
    if isWhole ?? isWholeFolder { try intake.takeFolder(besides: pageName) }
    intake.set(text: parser.text)
    // The title of a page of ours may be the beginning of its text.
    let isOwn = parser.isExact ? parser.hasOwnTitle : parser.title != intake.document.notes.displayName
    intake.set(title: isOwn ? parser.title : nil)
    return (intake.document, intake.remarks)
  }
}
