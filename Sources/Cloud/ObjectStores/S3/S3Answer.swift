import DurableIO
import FoundationEssentials

/// A text in XML as an S3 service sends it: elements with a text, without attributes that matter.
///
/// The reader takes no document type, no entity of its own, and at most 32 levels. So an answer cannot make more of
/// itself than it is.
struct S3Answer {
  /// An element: its name, its text and its elements.
  struct Element {
    var name: String
    var text = ""
    var elements: [Element] = []

    subscript(_ name: String) -> String? { elements.first { $0.name == name }?.text }
  }

  struct Problem: Error, Hashable { var reason: String }

  private var rest: Substring.UTF8View

  private init(_ text: Substring) { rest = text.utf8 }

  /// Reads the outermost element.
  static func element(of bytes: Data) throws(Problem) -> Element {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(reason: "it is not UTF-8")
    }
    var reader = S3Answer(text[...])
    try reader.skipProlog()
    let element = try reader.readElement(depth: 0)
    reader.skipSpace()
    guard reader.rest.isEmpty else { throw Problem(reason: "it goes on after its end") }
    return element
  }

  /// Returns a name of a listing, which the server encodes as in an address; nil if it is no UTF-8.
  static func decoded(_ text: String) -> String? {
    let (bytes, isWellFormed) = text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }.percentDecoded
    return isWellFormed ? String(validating: bytes, as: UTF8.self) : nil
  }

  private mutating func skipSpace() {
    while let byte = rest.first, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { rest.removeFirst() }
  }

  private mutating func skipProlog() throws(Problem) {
    skipSpace()
    if take("<?xml") { try skip(past: "?>") }
    skipSpace()
    if starts("<!") { throw Problem(reason: "it has a document type or a comment") }
  }

  private func starts(_ text: StaticString) -> Bool { Substring(rest).utf8.starts(with: "\(text)".utf8) }

  private mutating func take(_ text: StaticString) -> Bool {
    guard starts(text) else { return false }
    rest = rest.dropFirst(text.utf8CodeUnitCount)
    return true
  }

  private mutating func skip(past text: StaticString) throws(Problem) {
    while !rest.isEmpty {
      if take(text) { return }
      rest.removeFirst()
    }
    throw Problem(reason: "it ends too early")
  }

  private mutating func readName() throws(Problem) -> String {
    let name = rest.prefix { ![0x20, 0x09, 0x0A, 0x0D, 0x2F, 0x3E].contains($0) }
    guard !name.isEmpty, name.count <= 128, let text = String(name) else {
      throw Problem(reason: "a name is missing")
    }
    rest = rest.dropFirst(name.count)
    return text
  }

  private mutating func readElement(depth: Int) throws(Problem) -> Element {
    guard depth < 32 else { throw Problem(reason: "it has too many levels") }
    guard take("<") else { throw Problem(reason: "an element is missing") }
    var element = Element(name: try readName())
    // Attributes, such as the name of the format.
    while let byte = rest.first, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "/") {
      if byte == UInt8(ascii: "\"") {
        rest.removeFirst()
        try skip(past: "\"")
      } else {
        rest.removeFirst()
      }
    }
    if take("/>") { return element }
    guard take(">") else { throw Problem(reason: "an element has no end") }
    while true {
      if take("</") {
        guard try readName() == element.name else { throw Problem(reason: "an element ends as another one") }
        skipSpace()
        guard take(">") else { throw Problem(reason: "an element has no end") }
        return element
      }
      if starts("<!") { throw Problem(reason: "it has a comment or other markup") }
      if starts("<") {
        element.elements.append(try readElement(depth: depth + 1))
      } else {
        element.text += try readText()
      }
    }
  }

  private mutating func readText() throws(Problem) -> String {
    var bytes: [UInt8] = []
    while let byte = rest.first, byte != UInt8(ascii: "<") {
      rest.removeFirst()
      if byte == UInt8(ascii: "&") {
        bytes += Array(String(try readReference()).utf8)
      } else {
        bytes.append(byte)
      }
    }
    if rest.isEmpty { throw Problem(reason: "it ends too early") }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func readReference() throws(Problem) -> Character {
    let name = rest.prefix(10).prefix { $0 != UInt8(ascii: ";") }
    let text = String(Substring(name))
    rest = rest.dropFirst(name.count + 1)
    switch text {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let isHex = text.hasPrefix("#x")
      guard text.hasPrefix("#"), let number = UInt32(text.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
        let scalar = Unicode.Scalar(number)
      else { throw Problem(reason: "it has an unknown reference") }
      return Character(scalar)
    }
  }
}
