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
  /// How often the page has each file, by its path in the folder of the format.
  private var counts: [String: Int] = [:]
  private var remarks: [InterchangeRemark] = []

  /// Returns the page, or the folder with it.
  static func write(
    _ document: InterchangeDocument, isOneFile: Bool
  ) throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    var writer = try HTMLWriter(document, isOneFile: isOneFile)
    return try writer.write()
  }

  private init(_ document: InterchangeDocument, isOneFile: Bool) throws {
    (self.document, self.isOneFile) = (document, isOneFile)
    layout = try AssetLayout(document)
  }

  private mutating func write() throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    remarks = layout.remarks
    let page = FileWrapper(regularFileWithContents: Data(try self.page().utf8))
    page.preferredFilename = Self.pageName
    let file = isOneFile ? page : try layout.tree()
    if !isOneFile { file.addFileWrapper(page) }
    if isOneFile {
      for asset in layout.assets {
        switch (asset.image, counts[asset.path, default: 0]) {
        case (let image?, 2...): remarks.append(.repeated(image.name, count: counts[asset.path, default: 0]))
        case (nil, 0): remarks.append(.leftOut(asset.source, reason: "the text has no link to it"))
        default: break
        }
      }
    }
    let characters = document.notes.text.unicodeScalars.count(where: HTMLText.isForbidden)
    if characters > 0 { remarks.append(.notHeld(.controlCharacters, count: characters)) }
    let back = try HTMLReader(file, isOneFile ? nil : Self.pageName).read(isWhole: true).document
    return (file, remarks + InterchangeComparison(document, back).losses + [.notHeld(.identity, count: 1)])
  }

  private mutating func page() throws -> String {
    let title = HTMLText.escaped(document.notes.displayName)
    let text = try text()
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
      <div \(Self.textAttribute) style="white-space: pre-wrap">\(text)</div>

      """
    let unnamed = layout.assets.filter { $0.image != nil && counts[$0.path] == nil }
    if !unnamed.isEmpty { remarks.append(.imagesAtEnd(unnamed.count)) }
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
  private mutating func text() throws -> String {
    let text = document.notes.text
    let bytes = Array(text.utf8)
    // The line that defines a label is no text, and has no asset.
    var pieces: [(range: Range<Int>, asset: AssetLayout.Asset?, words: String, isLink: Bool)] = []
    for reference in MarkdownReferences.of(text) {
      guard let asset = layout.asset(for: reference) else { continue }
      if reference.kind != .link {
        if reference.uses != nil { pieces.append((reference.whole, nil, "", false)) }
        pieces += (reference.uses ?? [reference.whole]).map { ($0, asset, reference.words, false) }
      } else if asset.image == nil && !reference.words.isEmpty {
        pieces.append((reference.whole, asset, reference.words, true))
      }
    }
    var html = ""
    var position = 0
    for piece in pieces.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where piece.range.lowerBound >= position {
      html += HTMLText.escaped(String(decoding: bytes[position..<piece.range.lowerBound], as: UTF8.self))
      position = piece.range.upperBound
      guard let asset = piece.asset else { continue }
      counts[asset.path, default: 0] += 1
      html +=
        piece.isLink
        ? "<a href=\"\(try source(asset))\"\(name(asset))>\(HTMLText.escaped(piece.words))</a>"
        : try image(asset, words: piece.words)
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
    return "data:\(try asset.file.mediaType);base64,\(try asset.file.contents().base64EncodedString())"
  }
}

extension FileWrapper {
  /// The media type of the file's bytes: of a picture of a known format, or of any bytes.
  fileprivate var mediaType: String {
    get throws {
      do {
        return try ImageHeader(of: self).format.mediaType
      } catch is ImageHeaderError {
        return "application/octet-stream"
      }
    }
  }
}

extension ImageHeader.Format {
  /// The format's media type.
  fileprivate var mediaType: String {
    self == .webP ? "image/webp" : "image/\(rawValue)"
  }
}
