/// Text in HTML: characters and the references that stand for them.
enum HTMLText {
  /// Returns a text for the content of an element, or for an attribute in double quotes.
  ///
  /// It leaves out control characters, which HTML forbids.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{A0}": result += "&nbsp;"
      // A carriage return is a line end in HTML, unless a character reference stands for it.
      case "\r": result += "&#13;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case _ where isForbidden(scalar): break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether HTML has no way to write the character.
  static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && scalar != "\t" && scalar != "\n" && scalar != "\r"
      || (0x7F...0x9F).contains(scalar.value)
      || scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
  }

  /// Returns a text with characters in place of the references `&amp;`, `&#228;`, `&#xE4;` and the usual names.
  ///
  /// Other references stay as they are.
  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      let name = rest.dropFirst().prefix(32).prefix { $0 != ";" }
      let end = name.endIndex
      if end < rest.endIndex, rest[end] == ";", let scalar = scalar(named: name) {
        result.unicodeScalars.append(scalar)
        rest = rest[rest.index(after: end)...]
      } else {
        result += "&"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  private static func scalar(named name: Substring) -> Unicode.Scalar? {
    if let known = names[String(name)] { return known }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let value =
      digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
  }

  private static let names: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ndash": "–", "mdash": "—",
    "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "bull": "•", "copy": "©",
    "reg": "®",
    "trade": "™", "times": "×", "laquo": "«", "raquo": "»", "shy": "\u{AD}",
  ]
}
