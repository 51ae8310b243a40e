import DurableIO
import FoundationEssentials

/// A text in XML as an S3 service sends it: the elements in the order of their ends, without attributes.
///
/// The reader takes no document type, no comment, no entity of its own, and at most 32 levels. So an answer cannot make
/// more of itself than it is. It is ours because a library of XML would read much more than these few names.
struct S3Answer {
  /// The name and the text of each element. The outermost one is the last.
  private(set) var elements: [(name: String, text: String)] = []

  struct Problem: Error, Hashable { var reason: String }

  /// Reads a text.
  init(_ bytes: Data) throws(Problem) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(reason: "it is not UTF-8")
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    guard parts[0].allSatisfy(Self.isSpace) else { throw Problem(reason: "an element is missing") }
    var open: [(name: String, text: String)] = []
    for part in parts.dropFirst() {
      guard let end = part.firstIndex(of: UInt8(ascii: ">")) else {
        throw Problem(reason: "a tag has no end")
      }
      if open.isEmpty, !elements.isEmpty { throw Problem(reason: "it goes on after its end") }
      let name = String(Substring(part[..<end].prefix { !Self.isSpace($0) }))
      switch part.first {
      case UInt8(ascii: "?") where open.isEmpty: continue
      case UInt8(ascii: "!"), UInt8(ascii: "?"): throw Problem(reason: "it has other markup than elements")
      case UInt8(ascii: "/"):
        guard let element = open.popLast(), "/" + element.name == name else {
          throw Problem(reason: "an element ends as another one")
        }
        elements.append(element)
        if open.isEmpty, !part[end...].dropFirst().allSatisfy(Self.isSpace) {
          throw Problem(reason: "it goes on after its end")
        }
      default:
        guard open.count < 32 else { throw Problem(reason: "it has too many levels") }
        let isEmpty = part[..<end].last == UInt8(ascii: "/")
        let text = try Self.text(part[end...].dropFirst())
        if isEmpty {
          elements.append((name.hasSuffix("/") ? String(name.dropLast()) : name, ""))
        } else {
          open.append((name, text))
        }
      }
    }
    guard open.isEmpty, !elements.isEmpty else { throw Problem(reason: "it ends too early") }
  }

  /// The name of the outermost element.
  var name: String { elements.last?.name ?? "" }

  /// The text of the first element with a name.
  subscript(_ name: String) -> String? { elements.first { $0.name == name }?.text }

  /// Returns a name of a listing, which the server encodes as in an address; nil if it is no UTF-8.
  static func decoded(_ text: String) -> String? {
    let (bytes, isWellFormed) = text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }.percentDecoded
    return isWellFormed ? String(validating: bytes, as: UTF8.self) : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private static let names: [String: Character] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]

  /// Returns a text with the characters that its references stand for.
  private static func text(_ bytes: Substring.UTF8View) throws(Problem) -> String {
    let parts = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    var text = String(Substring(parts[0]))
    for part in parts.dropFirst() {
      let name = String(Substring(part.prefix { $0 != UInt8(ascii: ";") }))
      let digits = name.hasPrefix("#x") ? (name.dropFirst(2), 16) : (name.dropFirst(), 10)
      let number = name.hasPrefix("#") ? UInt32(digits.0, radix: digits.1) : nil
      guard let character = names[name] ?? number.flatMap(Unicode.Scalar.init).map(Character.init) else {
        throw Problem(reason: "it has an unknown reference")
      }
      text.append(character)
      text += String(Substring(part.dropFirst(name.utf8.count + 1)))
    }
    return text
  }
}
