import DurableIO
import FilePackages
import FoundationEssentials

/// The elements of a page, one after the other.
struct HTMLPage {
  private let bytes: [UInt8]
  private(set) var intake: AssetIntake
  private(set) var text = ""
  private(set) var title: String?
  private var position = 0
  /// Elements that are open and keep spaces and line ends.
  private var preserving: [String] = []
  /// The destinations of the links that are open; nil for one without a destination.
  private var links: [String?] = []
  /// Whether the element is open that has the images which the text does not name.
  private var isInUnnamed = false
  /// The path of the last image in that element, and the caption that belongs to it.
  private var lastUnnamed: String?
  private var caption: String?
  /// Whether the page is one that `HTMLWriter` wrote: its text is in one element, to the letter.
  private(set) var isExact = false
  /// Whether the title is one that a user gave a document of ours.
  private(set) var hasOwnTitle = false
  /// Whether the page ends within a tag.
  private var isCutShort = false

  init(_ bytes: [UInt8], _ intake: AssetIntake) {
    (self.bytes, self.intake) = (bytes, intake)
  }

  mutating func parse() throws {
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
      append(HTMLText.unescaped(String(decoding: bytes[start..<position], as: UTF8.self)))
      guard position < bytes.count else { break }
      try parseMarkup()
    }
    if !isExact { trimEnd() }
  }

  private mutating func parseMarkup() throws {
    let start = position + 1
    if bytes[start...].starts(with: Array("!--".utf8)) {
      position = end(of: "-->", from: start) ?? bytes.count
    } else if bytes[start...].first == UInt8(ascii: "!") || bytes[start...].first == UInt8(ascii: "?") {
      position = end(of: ">", from: start) ?? bytes.count
    } else if !isCutShort, let tag = HTMLTag(bytes, at: start, limit: bytes.count) {
      position = tag.end
      try take(tag)
    } else {
      let next = bytes[start...].first { $0 != UInt8(ascii: "/") } ?? 0x20
      if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next | 0x20) { isCutShort = true }
      append("<")
      position = start
    }
  }

  private func end(of mark: String, from start: Int) -> Int? {
    let mark = Array(mark.utf8)
    var place = start
    while place + mark.count <= bytes.count {
      if bytes[place] == mark[0], bytes[place...].starts(with: mark) { return place + mark.count }
      place += 1
    }
    return nil
  }

  // MARK: Elements

  private static let blocks: Set<String> = [
    "article", "aside", "blockquote", "body", "dd", "div", "dl", "dt", "figcaption", "figure", "footer", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table",
    "tr", "ul",
  ]
  /// Elements whose content is no text of the page.
  private static let skipped: Set<String> = ["script", "style", "noscript", "template", "title"]

  private mutating func take(_ tag: HTMLTag) throws {
    let name = tag.name
    if name == "title" && title == nil { hasOwnTitle = tag.attributes[HTMLWriter.titleAttribute] != nil }
    if Self.skipped.contains(name) { return skip(name) }
    switch name {
    case "br": appendLineEnd()
    case "img": try takeImage(tag)
    case "a": try beginLink(tag)
    case "/a": endLink()
    case "section" where tag.attributes[HTMLWriter.sectionAttribute] != nil: isInUnnamed = true
    case "/section": isInUnnamed = false
    case "figcaption" where isInUnnamed: caption = ""
    case "/figcaption" where isInUnnamed: endCaption()
    case _ where name.hasPrefix("/"):
      if preserving.last == String(name.dropFirst()) { preserving.removeLast() }
      if Self.blocks.contains(String(name.dropFirst())) { endParagraph(name) }
    case _ where Self.blocks.contains(name): beginBlock(tag)
    case "td", "th": if !text.isEmpty && !text.hasSuffix("\n") { text += "\t" }
    default: break
    }
  }

  private mutating func beginBlock(_ tag: HTMLTag) {
    endParagraph(tag.name)
    let style = tag.attributes["style"]?.text.filter { $0 != " " } ?? ""
    if tag.name == "pre" || style.contains("white-space:pre") {
      preserving.append(tag.name)
      isExact = isExact || tag.attributes[HTMLWriter.textAttribute] != nil
    } else if !preserving.isEmpty && tag.name == preserving.last {
      preserving.append(tag.name)
    }
    if tag.name == "li" { text += "- " }
    if tag.name.first == "h", let level = tag.name.dropFirst().first?.wholeNumberValue {
      text += String(repeating: "#", count: level) + " "
    }
  }

  /// Ends a paragraph: a blank line follows it, and a line end follows an item of a list or a row.
  private mutating func endParagraph(_ name: String) {
    guard preserving.isEmpty, !isInUnnamed, !isExact, !text.isEmpty else { return }
    trimEnd()
    guard !text.isEmpty else { return }
    text += ["li", "/li", "tr", "/tr", "dt", "dd"].contains(name) ? "\n" : "\n\n"
  }

  private mutating func trimEnd() {
    while let last = text.unicodeScalars.last, last == " " || last == "\n" || last == "\t" {
      text.unicodeScalars.removeLast()
    }
  }

  private mutating func skip(_ name: String) {
    let start = position
    var end = bytes.count
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "<"), bytes[position...].dropFirst().first == UInt8(ascii: "/"),
        let tag = HTMLTag(bytes, at: position + 1, limit: 256), tag.name == "/" + name
      {
        end = position
        position = tag.end
        break
      }
      position += 1
    }
    if name == "title" && title == nil {
      let words = HTMLText.unescaped(String(decoding: bytes[start..<end], as: UTF8.self)).trimmed()
      title = words.isEmpty ? nil : words
    }
  }

  // MARK: Text

  private mutating func append(_ string: String) {
    if isInUnnamed {
      caption?.append(string)
      return
    }
    // Other programs' text is no Markdown.
    let string = isExact ? string : text.escaping(string)
    if !preserving.isEmpty {
      text += string
      return
    }
    // Around the element with the text there is only space.
    if isExact { return }
    for scalar in string.unicodeScalars {
      guard scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      let last = text.unicodeScalars.last
      if let last, last != " ", last != "\n", last != "\t" { text += " " }
    }
  }

  private mutating func appendLineEnd() {
    guard !isExact || !preserving.isEmpty else { return }
    if preserving.isEmpty, text.hasSuffix(" ") { text.unicodeScalars.removeLast() }
    text += "\n"
  }

  // MARK: Links and images

  private mutating func beginLink(_ tag: HTMLTag) throws {
    guard !isInUnnamed, let destination = tag.attributes["href"]?.text, !destination.hasPrefix("#") else {
      links.append(nil)
      return
    }
    var place = destination
    if let data = try Self.data(of: destination) {
      place = RelativePath.encoded(
        try intake.take(
          data, at: tag.attributes[HTMLWriter.nameAttribute]?.text, else: "File", caption: ""))
    } else if case .file(let path) = RelativePath(destination), InterchangeFormat(filename: path) == nil,
      let taken = try intake.take(fileAt: path, caption: "", isShown: false)
    {
      place = RelativePath.encoded(taken)
    }
    links.append(place)
    append(reference: "[")
  }

  private mutating func endLink() {
    guard let place = links.popLast() ?? nil else { return }
    text += "](\(place))"
  }

  private mutating func takeImage(_ tag: HTMLTag) throws {
    guard let source = tag.attributes["src"]?.text, !source.isEmpty else { return }
    let words = tag.attributes["alt"]?.text ?? ""
    let caption = tag.attributes["title"]?.text ?? words
    var place: String?
    if let data = try Self.data(of: source) {
      place = try intake.take(
        data, at: tag.attributes[HTMLWriter.nameAttribute]?.text, else: "Image", caption: caption)
    } else {
      switch RelativePath(source) {
      case .elsewhere:
        intake.remark(.remoteImage(source))
      case .outside:
        throw InterchangeProblem(.outside, "the page shows '\(displayString(source))', which lies outside it")
      case .file(let path):
        place = try intake.take(fileAt: path, caption: caption, isShown: true)
        if place == nil {
          throw InterchangeProblem(
            .missingImage, "the page shows the image '\(displayString(source))', which is not there")
        }
      }
    }
    if isInUnnamed {
      lastUnnamed = place
    } else {
      let escaped = AssetLayout.escaped(words)
      append(reference: "![\(escaped)](\(place.map(RelativePath.encoded) ?? source))")
    }
  }

  /// Appends a reference. The text of our own pages is Markdown already.
  private mutating func append(reference: String) {
    if isExact { text += reference } else { text.append(reference: reference) }
  }

  private mutating func endCaption() {
    if let lastUnnamed, let caption { intake.setCaption(caption, at: lastUnnamed) }
    caption = nil
  }

  /// The bytes of a `data:` URL; nil for other URLs.
  private static func data(of url: String) throws -> Data? {
    guard url.prefix(5).lowercased() == "data:", let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")) else {
      return nil
    }
    let body = url[url.index(after: comma)...]
    guard url[..<comma].lowercased().hasSuffix(";base64") else {
      throw InterchangeProblem(.damaged, "a 'data:' URL of the page is not in base64")
    }
    guard let data = Data(base64Encoded: String(body.filter { !$0.isWhitespace })) else {
      throw InterchangeProblem(.damaged, "the base64 of a 'data:' URL is damaged")
    }
    return data
  }
}
