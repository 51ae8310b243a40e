// Tags in Markdown are changed in their place, so that each value needs its range in the text. libxml2 gives a tree
// without ranges. A tokenizer of HTML with ranges, kept as well, could take the place of this file.

/// One tag of HTML: its name, its attributes, and its place in the text.
struct HTMLTag {
  struct Value {
    /// The place of the value, without its quotes.
    var range: Range<Int>
    /// The value, with characters in place of character references.
    var text: String
  }

  /// The name in lower case, with a slash before that of an end tag.
  private(set) var name = ""
  /// The attributes by name in lower case; of two with one name, the first.
  private(set) var attributes: [String: Value] = [:]
  /// The place behind `>`.
  private(set) var end: Int

  /// Reads the tag whose name, or the slash before it, is at `start`.
  ///
  /// As in Markdown, quotation marks and `<` in a name or a bare value make the tag plain text.
  ///
  /// - Parameter limit: the most bytes of a tag.
  /// - Returns: nil if there is no tag, or if it has no end.
  init?(_ bytes: [UInt8], at start: Int, limit: Int) {
    let last = min(bytes.count, start + limit)
    var place = start
    func skipBlanks() {
      while place < last, bytes[place] <= 0x20 || bytes[place] == UInt8(ascii: "/") { place += 1 }
    }
    func word(until stops: String) -> Range<Int> {
      let begin = place
      while place < last, bytes[place] > 0x20, !stops.utf8.contains(bytes[place]) { place += 1 }
      return begin..<place
    }
    func isPlainText(_ word: Range<Int>) -> Bool {
      bytes[word].contains { "<\"'".utf8.contains($0) }
    }

    if place < last, bytes[place] == UInt8(ascii: "/") { place += 1 }
    guard place < last, (bytes[place] | 0x20) >= UInt8(ascii: "a"), (bytes[place] | 0x20) <= UInt8(ascii: "z")
    else {
      return nil
    }
    _ = word(until: "/>")
    name = String(decoding: bytes[start..<place], as: UTF8.self).lowercased()
    while true {
      skipBlanks()
      guard place < last else { return nil }
      if bytes[place] == UInt8(ascii: ">") { break }
      let begin = place
      if bytes[place] == UInt8(ascii: "=") { place += 1 }
      _ = word(until: "=/>")
      if isPlainText(begin..<place) { return nil }
      let key = String(decoding: bytes[begin..<place], as: UTF8.self).lowercased()
      while place < last, bytes[place] <= 0x20 { place += 1 }
      guard place < last, bytes[place] == UInt8(ascii: "=") else {
        if attributes[key] == nil { attributes[key] = Value(range: place..<place, text: "") }
        continue
      }
      place += 1
      while place < last, bytes[place] <= 0x20 { place += 1 }
      guard place < last else { return nil }
      var range: Range<Int>
      let quote = bytes[place]
      if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        place += 1
        let begin = place
        while place < last, bytes[place] != quote { place += 1 }
        guard place < last else { return nil }
        range = begin..<place
        place += 1
      } else {
        range = word(until: ">")
        if isPlainText(range) { return nil }
      }
      if attributes[key] == nil {
        attributes[key] = Value(
          range: range, text: HTMLText.unescaped(String(decoding: bytes[range], as: UTF8.self)))
      }
    }
    end = place + 1
  }
}
