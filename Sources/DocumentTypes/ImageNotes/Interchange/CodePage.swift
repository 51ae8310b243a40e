/// The characters of bytes from 0x80 in a text of one byte a character.
enum CodePage: Hashable {
  case windows1252
  case macRoman
  /// Another one, by its number; its characters are not known here.
  case other(Int)

  /// - Parameter number: the number that Windows gives the code page.
  init(_ number: Int) {
    switch number {
    case 0, 1, 1252: self = .windows1252
    case 10000: self = .macRoman
    default: self = .other(number)
    }
  }

  /// The code page of a font's character set; nil if the document's own counts.
  init?(characterSet number: Int) {
    switch number {
    case 0, 1, 2: return nil
    case 77: self = .macRoman
    case 128: self = .other(932)
    case 129: self = .other(949)
    case 134: self = .other(936)
    case 136: self = .other(950)
    case 161: self = .other(1253)
    case 162: self = .other(1254)
    case 163: self = .other(1258)
    case 177: self = .other(1255)
    case 178: self = .other(1256)
    case 186: self = .other(1257)
    case 204: self = .other(1251)
    case 222: self = .other(874)
    case 238: self = .other(1250)
    default: return nil
    }
  }

  /// Returns the character of a byte; nil if it is not known.
  func character(_ byte: UInt8) -> Unicode.Scalar? {
    if byte < 0x80 { return Unicode.Scalar(byte) }
    switch self {
    case .windows1252: return byte < 0xA0 ? Self.from0x80[Int(byte) - 0x80] : Unicode.Scalar(byte)
    case .macRoman: return Self.roman[Int(byte) - 0x80]
    case .other: return nil
    }
  }

  private static let from0x80 = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
  private static let roman = Array(
    ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰"
      + "ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars)
}
