/// The references of a text in Markdown, in their order.
///
/// Knows inline images and links, reference definitions, wiki links, and the HTML tags that name a file. Code, fenced or in backticks,
/// and comments contain no references. Destinations with spaces, which many programs write, count too.
///
/// Cost: O(length of the text); a destination has at most 2,048 bytes.
struct MarkdownReferences {
  private static let longestDestination = 2048
  private static let longestLabel = 1000
  /// The most parentheses within each other in a destination.
  private static let mostParentheses = 32
  private static let longestBackticks = 64

  private let bytes: [UInt8]
  private var position = 0
  private var found: [TextReference] = []
  /// The brackets that are open: the place behind each, and whether it began an image.
  private var open: [(start: Int, isImage: Bool)] = []
  /// The words of images by label, as in `![words][label]`.
  private var imageLabels: [String: (words: String, uses: [Range<Int>])] = [:]
  private var definitions: [(label: String, index: Int)] = []
  /// For a number of backticks, the end of the part of the text that has no more such run.
  private var withoutBackticks: [Int: Int] = [:]
  private var withoutCommentEnd = false

  private init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Returns the references in a text.
  static func of(_ text: String) -> [TextReference] {
    var scanner = MarkdownReferences(text)
    scanner.scan()
    for (label, index) in scanner.definitions {
      // Of several definitions of a label the first one counts.
      guard let image = scanner.imageLabels.removeValue(forKey: label) else { continue }
      scanner.found[index].kind = .image
      scanner.found[index].words = image.words
      scanner.found[index].uses = image.uses
    }
    return scanner.found.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  // MARK: Lines

  private mutating func scan() {
    while position < bytes.count {
      beginLine()
      scanLine()
    }
  }

  /// Skips fenced code, notes a definition, and ends the brackets of the paragraph at a blank line.
  private mutating func beginLine() {
    while let (mark, count, content) = fence(at: position) {
      open = []
      position = lineEnd(content)
      while position < bytes.count {
        let line = position
        position = lineEnd(position)
        if let (other, length, rest) = fence(at: line), other == mark, length >= count, isBlank(rest) {
          break
        }
      }
    }
    if isBlank(position) { open = [] }
    scanDefinition()
  }

  private mutating func scanLine() {
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\n"): return
      case UInt8(ascii: "\\"):
        if position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
      case UInt8(ascii: "`"): skipCode()
      case UInt8(ascii: "<"): scanTag()
      case UInt8(ascii: "!") where at(position) == UInt8(ascii: "["):
        position += 1
        open.append((position, true))
      case UInt8(ascii: "["): open.append((position, false))
      case UInt8(ascii: "]"): closeBracket()
      default: break
      }
    }
  }

  /// The mark of a fence, its length and the place behind it, if a line begins with one.
  private func fence(at start: Int) -> (mark: UInt8, count: Int, rest: Int)? {
    var place = start
    // A fence may be in a list or in a quotation.
    while let byte = at(place),
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: ">")
    {
      place += 1
    }
    guard let mark = at(place), mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else { return nil }
    let begin = place
    while at(place) == mark { place += 1 }
    guard place - begin >= 3 else { return nil }
    // Backticks behind backticks are code within a line.
    if mark == UInt8(ascii: "`"), bytes[place..<lineEnd(place)].contains(mark) { return nil }
    return (mark, place - begin, place)
  }

  private func lineEnd(_ start: Int) -> Int {
    var place = start
    while place < bytes.count {
      place += 1
      if bytes[place - 1] == UInt8(ascii: "\n") { break }
    }
    return place
  }

  private func isBlank(_ start: Int) -> Bool {
    bytes[start..<lineEnd(start)].allSatisfy { $0 <= 0x20 }
  }

  private func at(_ place: Int) -> UInt8? {
    place < bytes.count ? bytes[place] : nil
  }

  private func skippingBlanks(_ start: Int) -> Int {
    var place = start
    while at(place) == UInt8(ascii: " ") || at(place) == UInt8(ascii: "\t") { place += 1 }
    return place
  }

  // MARK: Code and tags

  /// Skips code in backticks; the first one is read already.
  private mutating func skipCode() {
    let begin = position - 1
    while at(position) == UInt8(ascii: "`") { position += 1 }
    let count = position - begin
    guard count <= Self.longestBackticks, position >= withoutBackticks[count] ?? 0 else { return }
    var place = position
    while let byte = at(place) {
      guard byte == UInt8(ascii: "`") else {
        place += 1
        // A paragraph's end is the end of code.
        if byte == UInt8(ascii: "\n"), place < bytes.count, isBlank(place) { break }
        continue
      }
      let run = place
      while at(place) == UInt8(ascii: "`") { place += 1 }
      if place - run == count {
        position = place
        return
      }
    }
    withoutBackticks[count] = place
  }

  /// Skips a comment, or notes the destination of an image or link; `<` is read already.
  private mutating func scanTag() {
    let begin = position - 1
    if bytes[position...].starts(with: Array("!--".utf8)) { return skipComment() }
    let name = String(decoding: bytes[position...].prefix(7).prefix { $0 > 0x20 }, as: UTF8.self).lowercased()
    guard let attribute = Self.fileAttributes[name] else { return }
    let tag = HTMLTag(bytes, at: position, limit: 4 * Self.longestDestination)
    guard let tag else { return }
    position = tag.end
    guard let value = tag.attributes[attribute] else { return }
    let isImage = name == "img"
    found.append(
      TextReference(
        kind: isImage ? .image : .link, spelling: .html, range: value.range, whole: begin..<tag.end,
        destination: value.text,
        words: isImage ? tag.attributes["alt"]?.text ?? "" : ""))
  }

  /// The attribute that names a file, by the name of its tag.
  private static let fileAttributes = [
    "img": "src", "a": "href", "audio": "src", "embed": "src", "iframe": "src", "object": "data",
    "source": "src",
    "video": "src",
  ]

  private mutating func skipComment() {
    guard !withoutCommentEnd else { return }
    let end = Array("-->".utf8)
    var place = position
    while place + end.count <= bytes.count {
      if bytes[place] == end[0], bytes[place...].starts(with: end) {
        position = place + end.count
        return
      }
      place += 1
    }
    withoutCommentEnd = true
  }

  // MARK: Brackets

  private mutating func closeBracket() {
    guard let (start, isImage) = open.popLast() else { return }
    let inside = start..<(position - 1)
    let begin = start - (isImage ? 2 : 1)
    switch at(position) {
    case UInt8(ascii: "("):
      guard let (range, end) = destination(at: position + 1) else { return }
      note(isImage ? .image : .link, range, in: begin..<end, words: words(inside))
      position = end
    case UInt8(ascii: "["):
      guard let end = labelEnd(position + 1) else { return }
      let label = position + 1..<end
      if isImage { noteLabel(label.isEmpty ? inside : label, in: begin..<end + 1, words: inside) }
      position = end + 1
    default:
      if isImage { noteLabel(inside, in: begin..<position, words: inside) }
      guard inside.count <= Self.longestDestination, !bytes[inside].contains(UInt8(ascii: "["))
      else { return }
      if begin >= 1, bytes[begin - 1] == UInt8(ascii: "["), at(position) == UInt8(ascii: "]") {
        // A width or other words may follow the name.
        let name = bytes[inside].firstIndex(of: UInt8(ascii: "|")).map { inside.lowerBound..<$0 } ?? inside
        let isShown = begin >= 2 && bytes[begin - 2] == UInt8(ascii: "!")
        return isShown
          ? note(.embed, name, in: begin - 2..<position + 1, words: "")
          : note(.link, name, in: begin - 1..<position + 1, words: words(name))
      }
      guard bytes[inside].contains(UInt8(ascii: "/")) else { return }
      note(.brackets, inside, in: begin..<position, words: "")
    }
  }

  private mutating func note(
    _ kind: TextReference.Kind, _ range: Range<Int>, in whole: Range<Int>, words: String
  ) {
    guard !range.isEmpty else { return }
    let destination = String(decoding: bytes[range], as: UTF8.self)
    found.append(
      TextReference(kind: kind, range: range, whole: whole, destination: destination, words: words))
  }

  /// Notes the label of an image, whose destination is in a definition.
  private mutating func noteLabel(_ label: Range<Int>, in whole: Range<Int>, words range: Range<Int>) {
    guard label.count <= Self.longestLabel else { return }
    let words = words(range)
    imageLabels[Self.normal(bytes[label]), default: (words, [])].uses.append(whole)
  }

  private func labelEnd(_ start: Int) -> Int? {
    var place = start
    while let byte = at(place), place - start <= Self.longestLabel {
      if byte == UInt8(ascii: "]") { return place }
      if byte == UInt8(ascii: "[") { return nil }
      place += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// The range of the destination in `(destination "title")`, and the place behind the parenthesis.
  private func destination(at start: Int) -> (Range<Int>, end: Int)? {
    let begin = skippingBlanks(start)
    if at(begin) == UInt8(ascii: "<") {
      guard let range = angled(begin + 1), let end = closing(range.upperBound + 1) else { return nil }
      return (range, end)
    }
    if let end = bareEnd(begin, endsAtBlank: true), let close = closing(end) { return (begin..<end, close) }
    // A name with spaces: it ends at the parenthesis, or before the title.
    guard let close = bareEnd(begin, endsAtBlank: false) else { return nil }
    var end = close
    if let title = titleStart(begin..<close) { end = title }
    if let blank = bytes[begin..<end].lastIndex(of: 0x20), sizeEnd(blank + 1) == end { end = blank }
    while end > begin, bytes[end - 1] <= 0x20 { end -= 1 }
    return (begin..<end, close + 1)
  }

  private func angled(_ start: Int) -> Range<Int>? {
    var place = start
    while let byte = at(place), byte != UInt8(ascii: "\n"), place - start <= Self.longestDestination {
      if byte == UInt8(ascii: ">") { return start..<place }
      place += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// The end of a destination without angle brackets: before a blank, or before a parenthesis without a partner.
  private func bareEnd(_ start: Int, endsAtBlank: Bool) -> Int? {
    var (place, depth) = (start, 0)
    while let byte = at(place), byte != UInt8(ascii: "\n"), place - start <= Self.longestDestination {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if depth > Self.mostParentheses { return nil }
      if byte == UInt8(ascii: ")") {
        if depth == 0 { return place }
        depth -= 1
      }
      if endsAtBlank && byte <= 0x20 { return place }
      place += byte == UInt8(ascii: "\\") && place + 1 < bytes.count ? 2 : 1
    }
    return nil
  }

  /// The place behind an optional title, an optional size and the closing parenthesis.
  private func closing(_ start: Int) -> Int? {
    var place = skippingBlanks(start)
    if place > start, let mark = at(place), "\"'(".utf8.contains(mark) {
      let quote = mark == UInt8(ascii: "(") ? UInt8(ascii: ")") : mark
      let title = place + 1
      place = title
      while let byte = at(place), byte != quote, place - title <= Self.longestDestination {
        place += byte == UInt8(ascii: "\\") ? 2 : 1
      }
      guard at(place) == quote else { return nil }
      place = skippingBlanks(place + 1)
    }
    if place > start, let end = sizeEnd(place) { place = skippingBlanks(end) }
    return at(place) == UInt8(ascii: ")") ? place + 1 : nil
  }

  /// The place behind a size such as `=100x20`, which some programs write behind the name of an image.
  private func sizeEnd(_ start: Int) -> Int? {
    guard at(start) == UInt8(ascii: "=") else { return nil }
    let size = bytes[(start + 1)...].prefix { "0123456789x*%".utf8.contains($0) }
    return size.isEmpty ? nil : size.endIndex
  }

  /// The beginning of a title at the end of a destination with spaces.
  private func titleStart(_ range: Range<Int>) -> Int? {
    var last = range.upperBound - 1
    while last > range.lowerBound, bytes[last] <= 0x20 { last -= 1 }
    guard last > range.lowerBound, bytes[last] == UInt8(ascii: "\"") || bytes[last] == UInt8(ascii: "'")
    else {
      return nil
    }
    let quote = bytes[last]
    return range.dropFirst().first { bytes[$0] == quote && $0 < last && bytes[$0 - 1] <= 0x20 }
  }

  // MARK: Definitions

  /// Notes the destination in a line such as `[label]: destination "title"`.
  private mutating func scanDefinition() {
    let begin = skippingBlanks(position)
    guard begin - position <= 3, at(begin) == UInt8(ascii: "["), let close = labelEnd(begin + 1),
      close > begin + 1, at(close + 1) == UInt8(ascii: ":")
    else { return }
    let start = skippingBlanks(close + 2)
    var range: Range<Int>
    if at(start) == UInt8(ascii: "<") {
      guard let inside = angled(start + 1) else { return }
      range = inside
    } else {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      if let title = titleStart(start..<end) { end = title }
      while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
      range = start..<end
    }
    guard !range.isEmpty, range.count <= Self.longestDestination else { return }
    definitions.append((Self.normal(bytes[begin + 1..<close]), found.count))
    note(.link, range, in: position..<lineEnd(position), words: "")
    position = range.upperBound
  }

  /// A label in its comparable form: without regard to case and to the number of blanks.
  private static func normal(_ label: ArraySlice<UInt8>) -> String {
    label.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: " ")
  }

  /// Words between brackets, without the backslashes that escape.
  private func words(_ range: Range<Int>) -> String {
    range.count <= Self.longestDestination ? Self.unescaped(bytes[range]) : ""
  }

  /// Returns a text without the backslashes that escape.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    var rest = bytes
    while var byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let next = rest.first, isPunctuation(next) {
        byte = next
        rest.removeFirst()
      }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool {
    (0x21...0x2F).contains(byte) || (0x3A...0x40).contains(byte) || (0x5B...0x60).contains(byte)
      || (0x7B...0x7E).contains(byte)
  }
}
