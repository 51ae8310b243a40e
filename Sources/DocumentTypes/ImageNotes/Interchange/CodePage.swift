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
    let pages = [
      77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
      178: 1256,
      186: 1257, 204: 1251, 222: 874, 238: 1250,
    ]
    guard let page = pages[number] else { return nil }
    self.init(page)
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
