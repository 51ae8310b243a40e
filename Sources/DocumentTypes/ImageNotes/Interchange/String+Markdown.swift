// A text in Markdown, made of other programs' plain text with references in it.

extension String {
  /// Returns plain text for the end of this Markdown: with a backslash in each `![`, which begins an image.
  func escaping(_ plain: String) -> String {
    let joins = utf8.last == UInt8(ascii: "!") && plain.utf8.first == UInt8(ascii: "[")
    return (joins ? "\\" : "") + plain.replacing("![", with: "!\\[")
  }

  /// Appends an image, or the beginning of a link.
  ///
  /// An exclamation mark before a link would make it an image, and a backslash would make a reference plain text. Both
  /// get a backslash.
  mutating func append(reference: String) {
    let isMark = utf8.last == UInt8(ascii: "!") && reference.utf8.first == UInt8(ascii: "[")
    let backslashes = utf8.dropLast(isMark ? 1 : 0).reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    if isMark == backslashes.isMultiple(of: 2) {
      insert("\\", at: isMark ? utf8.index(before: endIndex) : endIndex)
    }
    self += reference
  }
}
