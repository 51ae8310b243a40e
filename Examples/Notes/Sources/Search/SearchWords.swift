import Foundation

/// The words that a person searches for.
///
/// A document matches if each of them begins a word of it. Case and accents make no difference.
struct SearchWords: Sendable {
  /// The search as an expression of FTS5; nil if there is no word.
  let expression: String?

  init(_ text: String) {
    let words = text.prefix(500).split(whereSeparator: \.isWhitespace).filter { word in
      word.contains { $0.isLetter || $0.isNumber }
    }
    // Quotation marks make a phrase, and the star makes a prefix of its last word.
    let phrases = words.map { word in
      let plain = Self.indexed(String(word)).replacing("\"", with: " ").replacing("\0", with: " ")
      return "\"\(plain)\"*"
    }
    expression = phrases.isEmpty ? nil : phrases.joined(separator: " ")
  }

  /// Returns a text for FTS5. Accents are signs of their own, which FTS5 leaves out. Each sign of a script without
  /// spaces is a word.
  static func indexed(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      scalars.append(scalar)
      if hasNoSpaces(scalar) { scalars.append(separator) }
    }
    return String(scalars)
  }

  /// Takes back what `indexed(_:)` did.
  static func shown(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != separator }))
      .precomposedStringWithCanonicalMapping
  }

  /// A zero width space, which FTS5 takes for the end of a word.
  private static let separator: Unicode.Scalar = "\u{200B}"

  /// Thai, Lao, Burmese and Khmer, kana, and the signs of Chinese.
  private static func hasNoSpaces(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF,
      0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
