import DurableIO
import FilePackages

/// The text of a document in RTF, and the attachments in it.
///
/// Fonts, styles and other formatting are left out. Reads RTF 1.9 with Apple's `\NeXTGraphic`: Unicode escapes, bytes of
/// Windows-1252 and Mac Roman. Cost: O(bytes).
struct RTFText {
  /// One piece of the document, in its order.
  enum Piece: Equatable {
    case text(String)
    /// The name of an attachment's file.
    case attachment(String)
  }

  private static let maximumDepth = 1000

  /// The state that a group has for itself.
  private struct Group {
    enum Destination { case text, attachmentName, fontTable, none }

    var destination = Destination.text
    /// The number of characters that stand for one `\u` in programs without Unicode.
    var fallbackLength = 1
    /// The code page of the font; nil for the document's own.
    var codePage: CodePage?
    /// Whether an unknown destination, which comes next, is left out.
    var isIgnorable = false
  }

  private let bytes: [UInt8]
  private var position = 0
  private var groups: [Group] = []
  private var group = Group()
  private var codePage = CodePage.windows1252
  private var fonts: [Int: CodePage] = [:]
  /// The number of the font that the font table describes.
  private var describedFont = 0
  /// The number of characters to skip after a `\u`.
  private var skips = 0
  /// The first half of a character that `\u` gives in two halves.
  private var highSurrogate: UInt32?
  private var name = ""
  /// Whether the character that stands for an attachment follows.
  private var isBehindAttachment = false
  private var pieces: [Piece] = []
  private var current = ""

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the pieces of a document.
  ///
  /// - Throws: `InterchangeProblem` for bytes that are not RTF, are cut short, or have characters of another code page.
  static func pieces(of bytes: [UInt8]) throws(InterchangeProblem) -> [Piece] {
    guard bytes.starts(with: Array("{\\rtf".utf8)) else {
      throw InterchangeProblem(.damaged, "it is not RTF")
    }
    var reader = RTFText(bytes)
    try reader.read()
    reader.flush()
    return reader.pieces
  }

  private mutating func read() throws(InterchangeProblem) {
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "{"):
        guard groups.count < Self.maximumDepth else {
          throw InterchangeProblem(.damaged, "more than \(Self.maximumDepth) groups are open")
        }
        skips = 0
        groups.append(group)
      case UInt8(ascii: "}"):
        skips = 0
        endGroup()
        if groups.isEmpty { return }
      case UInt8(ascii: "\\"): try readControl()
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0: break
      default: try take(byte: byte)
      }
    }
    throw InterchangeProblem(.damaged, "it is cut short")
  }

  private mutating func endGroup() {
    let outer = groups.removeLast()
    if group.destination == .attachmentName, outer.destination != .attachmentName {
      flush()
      pieces.append(.attachment(name.trimmed()))
      name = ""
      isBehindAttachment = true
    }
    group = outer
  }

  private mutating func flush() {
    endCodeUnits()
    if !current.isEmpty { pieces.append(.text(current)) }
    current = ""
  }

  // MARK: Text

  private mutating func take(byte: UInt8) throws(InterchangeProblem) {
    if skips > 0 {
      skips -= 1
      return
    }
    let page = group.codePage ?? codePage
    guard let character = page.character(byte) else {
      guard group.destination == .text || group.destination == .attachmentName else { return }
      guard case .other(let number) = page else { return }
      throw InterchangeProblem(.damaged, "its text is in the code page \(number), which is not read")
    }
    take(character)
  }

  private mutating func take(_ character: Unicode.Scalar) {
    endCodeUnits()
    switch group.destination {
    case .text:
      let isMark = isBehindAttachment && (character == "\u{AC}" || character == "\u{FFFC}")
      isBehindAttachment = false
      if !isMark { current.unicodeScalars.append(character) }
    case .attachmentName: name.unicodeScalars.append(character)
    case .fontTable, .none: break
    }
  }

  /// Ends a character if `\u` gave only its first half.
  private mutating func endCodeUnits() {
    guard highSurrogate != nil else { return }
    highSurrogate = nil
    take("\u{FFFD}")
  }

  private mutating func take(codeUnit number: Int) {
    // Numbers beyond Int16 are negative.
    let isInRange = (-0x8000...0xFFFF).contains(number) && number != 0
    let unit = isInRange ? UInt32(UInt16(truncatingIfNeeded: number)) : 0xFFFD
    if let high = highSurrogate, (0xDC00..<0xE000).contains(unit) {
      highSurrogate = nil
      take(Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00)) ?? "\u{FFFD}")
      return
    }
    endCodeUnits()
    if (0xD800..<0xDC00).contains(unit) {
      highSurrogate = unit
    } else {
      take(Unicode.Scalar(unit) ?? "\u{FFFD}")
    }
  }

  // MARK: Control words

  private mutating func readControl() throws(InterchangeProblem) {
    guard position < bytes.count else { return }
    let first = bytes[position]
    if isLetter(first) { return try readWord() }
    position += 1
    switch first {
    case UInt8(ascii: "'"): try readHexadecimal()
    case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"): try take(byte: first)
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      if first == UInt8(ascii: "\r"), position < bytes.count, bytes[position] == UInt8(ascii: "\n") {
        position += 1
      }
      takeSymbol("\n")
    case UInt8(ascii: "~"): takeSymbol("\u{A0}")
    case UInt8(ascii: "_"): takeSymbol("\u{2011}")
    case UInt8(ascii: "\t"): takeSymbol("\t")
    case UInt8(ascii: "*"): group.isIgnorable = true
    default: break
    }
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private mutating func takeSymbol(_ character: Unicode.Scalar) {
    if skips > 0 {
      skips -= 1
    } else {
      take(character)
    }
  }

  private mutating func readHexadecimal() throws(InterchangeProblem) {
    let digits = bytes[position...].prefix(2)
    guard digits.count == 2, let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
      return
    }
    position += 2
    try take(byte: byte)
  }

  private mutating func readWord() throws(InterchangeProblem) {
    let start = position
    while position < bytes.count, isLetter(bytes[position]), position - start < 32 { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    let isNegative = position < bytes.count && bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    var number: Int?
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
      number = min((number ?? 0) * 10 + Int(bytes[position] - 0x30), 1 << 31)
      position += 1
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
    if skips > 0, word != "bin" {
      skips -= 1
      return
    }
    let isIgnorable = group.isIgnorable
    group.isIgnorable = false
    carryOut(word, number.map { isNegative ? -$0 : $0 }, isIgnorable)
  }

  private mutating func carryOut(_ word: String, _ number: Int?, _ isIgnorable: Bool) {
    switch word {
    case "u":
      take(codeUnit: number ?? 0)
      skips = group.fallbackLength
    case "uc": group.fallbackLength = min(max(number ?? 1, 0), 255)
    case "ansi": codePage = .windows1252
    case "mac": codePage = .macRoman
    case "pc": codePage = .other(437)
    case "pca": codePage = .other(850)
    case "ansicpg": codePage = CodePage(number ?? 1252)
    case "bin": position = min(bytes.count, position + max(0, number ?? 0))
    case "fonttbl": group.destination = .fontTable
    case "f":
      if group.destination == .fontTable {
        describedFont = number ?? 0
      } else {
        group.codePage = fonts[number ?? 0]
      }
    case "fcharset" where group.destination == .fontTable:
      fonts[describedFont] = CodePage(characterSet: number ?? 0)
    case "plain": group.codePage = nil
    case "NeXTGraphic":
      group.destination = .attachmentName
      name = ""
    case _ where Self.leftOut.contains(word): group.destination = .none
    default:
      if isIgnorable {
        group.destination = .none
      } else if let character = Self.characters[word] {
        take(character)
      }
    }
  }

  /// Destinations whose text is no text of the document.
  private static let leftOut: Set<String> = [
    "colortbl", "stylesheet", "info", "header", "headerl", "headerr", "headerf", "footer", "footerl",
    "footerr",
    "footerf", "pict", "fldinst", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator",
    "themedata",
    "xmlnstbl", "objdata", "filetbl", "bkmkstart", "bkmkend", "private",
  ]

  private static let characters: [String: Unicode.Scalar] = [
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "cell": "\t", "tab": "\t",
    "emdash": "—",
    "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
    "emspace": "\u{2003}", "enspace": "\u{2002}", "qmspace": "\u{2005}", "zwj": "\u{200D}",
    "zwnj": "\u{200C}",
  ]
}
