import Documents
import FilePackages
import FoundationEssentials

/// Writes a page of HTML with its images in it.
///
/// The text stands as it is typed, spaces and line ends included; a reader is not asked to know Markdown. An image is
/// where the text shows it; those that the text does not name come after it, with their captions.
struct HTMLWriter {
  /// The attribute with the name of a file that is in the page.
  private static let nameAttribute = "data-name"

  private let document: InterchangeDocument
  private let layout: AssetLayout
  /// The number of times that the page has each file, by its path in the package, in the order of the first time.
  private var counts: [PackagePath: Int] = [:]
  private var order: [PackagePath] = []
  private var remarks: [InterchangeRemark] = []

  private init(_ document: InterchangeDocument) throws {
    self.document = document
    layout = try AssetLayout(document)
  }

  static func write(
    _ document: InterchangeDocument
  ) throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    var writer = try HTMLWriter(document)
    return try writer.write()
  }

  private mutating func write() throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    remarks = layout.remarks
    let page = FileWrapper(regularFileWithContents: Data(try self.page().utf8))
    for asset in layout.assets {
      let count = counts[asset.source, default: 0]
      if let image = asset.image, count > 1 { remarks.append(.repeated(image.name, count: count)) }
      if asset.image == nil, count == 0 {
        remarks.append(.leftOut(asset.source.string, reason: "the text has no link to it"))
      }
    }
    func add(_ part: InterchangeRemark.Part, _ count: Int) {
      if count > 0 { remarks.append(.notHeld(part, count: count)) }
    }
    add(.controlCharacters, document.notes.text.unicodeScalars.count(where: HTMLText.isForbidden))
    let images = document.notes.images
    add(.originalFilenames, images.count { $0.originalFilename != $0.name })
    let paths = images.map(\.place)
    add(.order, order.filter(Set(paths).contains) == paths ? 0 : 1)
    add(.otherKeys, document.info?.hasOtherKeys == true ? 1 : 0)
    add(.identity, 1)
    return (page, remarks)
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
      <title>\(title)</title>
      <style>
      body { max-width: 42em; margin: 2em auto; padding: 0 1em; font: 1em/1.5 sans-serif; }
      img { max-width: 100%; height: auto; }
      figure { margin: 1em 0; }
      figcaption { color: gray; }
      </style>
      </head>
      <body>
      <div style="white-space: pre-wrap">\(text)</div>

      """
    let unnamed = layout.assets.filter { $0.image != nil && counts[$0.source] == nil }
    if !unnamed.isEmpty { remarks.append(.imagesAtEnd(unnamed.count)) }
    if !unnamed.isEmpty {
      page += "<section>\n"
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
      html +=
        piece.isLink
        ? "<a href=\"\(try source(of: asset))\"\(name(of: asset))>\(HTMLText.escaped(piece.words))</a>"
        : try image(asset, words: piece.words)
    }
    return html + HTMLText.escaped(String(decoding: bytes[position...], as: UTF8.self))
  }

  private mutating func image(_ asset: AssetLayout.Asset, words: String) throws -> String {
    var html = "<img src=\"\(try source(of: asset))\" alt=\"\(HTMLText.escaped(words))\"\(name(of: asset))"
    if let caption = asset.image?.caption, caption != words {
      html += " title=\"\(HTMLText.escaped(caption))\""
    }
    return html + ">"
  }

  private func name(of asset: AssetLayout.Asset) -> String {
    " \(Self.nameAttribute)=\"\(HTMLText.escaped(asset.name))\""
  }

  /// The bytes of a file as a URL. It counts the file.
  private mutating func source(of asset: AssetLayout.Asset) throws -> String {
    if counts[asset.source] == nil { order.append(asset.source) }
    counts[asset.source, default: 0] += 1
    let type = try asset.file.imageFormat?.contentType.preferredMIMEType ?? "application/octet-stream"
    return "data:\(type);base64,\(try asset.file.contents().base64EncodedString())"
  }
}
