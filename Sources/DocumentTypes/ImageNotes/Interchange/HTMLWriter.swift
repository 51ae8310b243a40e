import FilePackages
import FoundationEssentials

/// Writes a page of HTML: with its images in it, or in a folder beside it.
///
/// The text stands as it is typed, spaces and line ends included; a reader is not asked to know Markdown. An image is
/// where the text shows it; those that the text does not name come after it, with their captions.
struct HTMLWriter {
  static let pageName = "index.html"
  /// The attribute with the name of a file that is in the page.
  static let nameAttribute = "data-name"
  /// The attribute of a title that the user gave, which is not the beginning of the text.
  static let titleAttribute = "data-title"
  /// The attributes of the elements with the text, and with the images that the text does not name.
  static let (textAttribute, sectionAttribute) = ("data-text", "data-unnamed-images")

  private let document: InterchangeDocument
  private let layout: AssetLayout
  private let isOneFile: Bool

  init(_ document: InterchangeDocument, isOneFile: Bool) throws {
    (self.document, self.isOneFile) = (document, isOneFile)
    layout = try AssetLayout(document)
  }

  func write() throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    let page = FileWrapper(regularFileWithContents: Data(try self.page().utf8))
    page.preferredFilename = Self.pageName
    let file = isOneFile ? page : try layout.tree()
    if !isOneFile { file.addFileWrapper(page) }
    var remarks = layout.remarks
    if isOneFile {
      for asset in layout.assets where asset.count > 1 {
        if let image = asset.image { remarks.append(.repeated(image.name, count: asset.count)) }
      }
    }
    let characters = document.notes.text.unicodeScalars.count(where: HTMLText.isForbidden)
    if characters > 0 { remarks.append(.notHeld(.controlCharacters, count: characters)) }
    let back = try HTMLReader(file, isOneFile ? nil : Self.pageName).read(isWhole: true).document
    return (file, remarks + InterchangeComparison(document, back).losses + [.notHeld(.identity, count: 1)])
  }

  private func page() throws -> String {
    let title = HTMLText.escaped(document.notes.displayName)
    var page = """
      <!DOCTYPE html>
      <html>
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title\(document.notes.customName == nil ? "" : " \(Self.titleAttribute)")>\(title)</title>
      <style>
      body { max-width: 42em; margin: 2em auto; padding: 0 1em; font: 1em/1.5 sans-serif; }
      img { max-width: 100%; height: auto; }
      figure { margin: 1em 0; }
      figcaption { color: gray; }
      </style>
      </head>
      <body>
      <div \(Self.textAttribute) style="white-space: pre-wrap">\(try text())</div>

      """
    let unnamed = layout.unnamedImages
    if !unnamed.isEmpty {
      page += "<section \(Self.sectionAttribute)>\n"
      for asset in unnamed {
        let caption = HTMLText.escaped(asset.image?.caption ?? "")
        let figure =
          caption.isEmpty ? "" : "<figcaption style=\"white-space: pre-wrap\">\(caption)</figcaption>"
        page += "<figure>\(try image(asset, words: ""))\(figure)</figure>\n"
      }
      page += "</section>\n"
    }
    return page + "</body>\n</html>\n"
  }

  /// The text with images and links to attachments in it.
  private func text() throws -> String {
    let text = document.notes.text
    let bytes = Array(text.utf8)
    var pieces: [(range: Range<Int>, html: String)] = []
    for reference in MarkdownReferences.of(text) {
      guard let asset = layout.asset(for: reference) else { continue }
      switch reference.kind {
      case .image where reference.uses != nil:
        // The line that defines a label is no text.
        pieces.append((reference.whole, ""))
        for use in reference.uses ?? [] { pieces.append((use, try image(asset, words: reference.words))) }
      case .image, .brackets: pieces.append((reference.whole, try image(asset, words: reference.words)))
      case .link where asset.image == nil && !reference.words.isEmpty:
        let words = HTMLText.escaped(reference.words)
        pieces.append((reference.whole, "<a href=\"\(try source(asset))\"\(name(asset))>\(words)</a>"))
      case .link: break
      }
    }
    var html = ""
    var position = 0
    for (range, piece) in pieces.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where range.lowerBound >= position {
      html += HTMLText.escaped(String(decoding: bytes[position..<range.lowerBound], as: UTF8.self)) + piece
      position = range.upperBound
    }
    return html + HTMLText.escaped(String(decoding: bytes[position...], as: UTF8.self))
  }

  private func image(_ asset: AssetLayout.Asset, words: String) throws -> String {
    var html = "<img src=\"\(try source(asset))\" alt=\"\(HTMLText.escaped(words))\""
    html += name(asset)
    if let caption = asset.image?.caption, caption != words {
      html += " title=\"\(HTMLText.escaped(caption))\""
    }
    return html + ">"
  }

  private func name(_ asset: AssetLayout.Asset) -> String {
    isOneFile ? " \(Self.nameAttribute)=\"\(HTMLText.escaped(asset.name))\"" : ""
  }

  private func source(_ asset: AssetLayout.Asset) throws -> String {
    guard isOneFile else { return RelativePath.encoded(asset.path) }
    let type = try asset.image.map { try $0.header().format.mediaType } ?? "application/octet-stream"
    return "data:\(type);base64,\(try asset.file.contents().base64EncodedString())"
  }
}

extension ImageHeader.Format {
  /// The format's media type.
  fileprivate var mediaType: String {
    self == .webP ? "image/webp" : "image/\(rawValue)"
  }
}
