package import FoundationEssentials

// Foundation (6.3) decodes nested values by recursion. A thousand nested arrays, 15 KB of XML, end the process. A binary
// list can also contain itself.

/// A check of whether Foundation can safely decode a property list from any source.
///
/// O(n); decodes nothing.
package enum PropertyListShape {
  /// The maximum nesting of arrays and dictionaries.
  package static let maximumDepth = 64

  /// The maximum length in bytes of a tag that the check reads as a whole; it reads each tag once.
  private static let maximumTagLength = 512

  /// Returns whether the data is XML in UTF-8, and is not nested deeper than `maximumDepth`.
  ///
  /// Refuses anything else: binary lists and those in the old style, other encodings, CDATA, declarations within the
  /// document, and more than one document type.
  package static func isBounded(_ data: Data) -> Bool {
    let bytes = Array(data)
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let text = bytes.dropFirst(isMarked ? 3 : 0)
    guard text.first(where: { !space.contains($0) }) == UInt8(ascii: "<"), !bytes.contains(0),
      // Foundation ends the process if the text of a number is not UTF-8.
      String(validating: bytes, as: UTF8.self) != nil
    else {
      return false
    }
    var (depth, isInComment, instructions, declarations) = (0, false, 0, 0)
    var rest = text
    while let start = rest.firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "-") }) {
      rest = rest[start...]
      // An opening always counts; a closing counts only if it cannot be a part of another construct.
      if rest.starts(with: "-->".utf8) { isInComment = false }
      if rest.starts(with: "<!--".utf8) {
        isInComment = true
        rest = rest.dropFirst(4)
        continue
      }
      if rest.starts(with: "<!".utf8) {
        declarations += 1
        guard declarations == 1, depth == 0, let tag = tag(rest), tag.starts(with: "<!DOCTYPE".utf8),
          !tag.contains(UInt8(ascii: "["))
        else { return false }
      }
      if rest.starts(with: "<?".utf8) {
        instructions += 1
        guard instructions == 1, isInUTF8(rest) else { return false }
      }
      if opens(rest) {
        depth += 1
        if depth > maximumDepth { return false }
      } else if closes(rest) && !isInComment {
        depth = max(0, depth - 1)
      }
      rest = rest.dropFirst()
    }
    return true
  }

  /// Returns the tag that begins there, without its `>`; nil if the tag is too long.
  private static func tag(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let tag = bytes.prefix(maximumTagLength).prefix { $0 != UInt8(ascii: ">") }
    return tag.endIndex < bytes.endIndex && bytes[tag.endIndex] == UInt8(ascii: ">") ? tag : nil
  }

  private static func opens(_ bytes: ArraySlice<UInt8>) -> Bool {
    (bytes.starts(with: "<array".utf8) || bytes.starts(with: "<dict".utf8))
      && tag(bytes)?.last != UInt8(ascii: "/")
  }

  private static func closes(_ bytes: ArraySlice<UInt8>) -> Bool {
    for name in ["</array", "</dict"] where bytes.starts(with: name.utf8) {
      // Within an attribute it would not be a tag.
      return bytes.dropFirst(name.utf8.count).first { !space.contains($0) } == UInt8(ascii: ">")
    }
    return false
  }

  private static let space = Set(" \t\r\n".utf8)

  private static func isInUTF8(_ declaration: ArraySlice<UInt8>) -> Bool {
    guard let tag = tag(declaration) else { return false }
    let text = String(decoding: tag, as: UTF8.self).lowercased()
    return !text.contains("encoding") || text.contains("\"utf-8\"") || text.contains("'utf-8'")
  }
}
