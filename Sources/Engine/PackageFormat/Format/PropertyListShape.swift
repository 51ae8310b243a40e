package import FoundationEssentials

// Foundation (6.3) decodes nested values by recursion. A thousand nested arrays, 15 KB of XML, end the process, and so
// does an array in a binary list that contains itself. Foundation never finishes a list in which each array names the
// next one twice, thirty times over.

/// A check of whether Foundation can safely decode a property list from any source.
///
/// O(n); decodes nothing.
package enum PropertyListShape {
  /// The maximum nesting of arrays and dictionaries.
  package static let maximumDepth = 64
  /// The maximum number of values of a binary list, each counted once per reference.
  package static let maximumCount = 1 << 17

  /// The maximum length in bytes of a tag that the check reads as a whole; it reads each tag once.
  private static let maximumTagLength = 512

  /// Returns whether the data is XML in UTF-8, or a binary list, and is not nested deeper than `maximumDepth`.
  ///
  /// Refuses anything else: lists in the old style, other encodings, CDATA, declarations within the document, and more
  /// than one document type.
  package static func isBounded(_ data: Data) -> Bool {
    let bytes = Array(data)
    return bytes.starts(with: "bplist".utf8) ? isBoundedBinary(bytes) : isBoundedXML(bytes)
  }

  // MARK: XML

  private static func isBoundedXML(_ bytes: [UInt8]) -> Bool {
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

  // MARK: Binary

  private static func isBoundedBinary(_ bytes: [UInt8]) -> Bool {
    guard let list = BinaryPropertyList(bytes) else { return false }
    var waiting: [(object: Int, depth: Int)] = [(list.top, 0)]
    var count = 0
    while let (object, depth) = waiting.popLast() {
      count += 1
      guard count + waiting.count <= maximumCount, depth <= maximumDepth,
        let children = list.children(of: object)
      else { return false }
      for child in children { waiting.append((child, depth + 1)) }
    }
    return true
  }
}

/// The objects of a binary property list that contain other objects.
private struct BinaryPropertyList {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let table: Int
  let top: Int

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 + 32 else { return nil }
    let trailer = bytes.count - 32
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
      let table = Self.number(bytes, trailer + 24, 8), count <= bytes.count, top < count,
      table <= trailer, count * offsetSize <= trailer - table
    else { return nil }
    (self.count, self.top, self.table) = (count, top, table)
  }

  /// Returns a big-endian number; nil if it is out of bounds, or greater than any length here.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int? {
    guard offset >= 0, size > 0, size <= 16, offset <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for byte in bytes[offset..<(offset + size)] {
      guard value < 1 << 40 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return Int(exactly: value)
  }

  /// Returns the objects that an object contains; nil if the object is damaged.
  func children(of object: Int) -> [Int]? {
    guard object < count, var offset = Self.number(bytes, table + object * offsetSize, offsetSize),
      offset < table
    else { return nil }
    let marker = bytes[offset]
    let isDictionary = marker >> 4 == 0xD
    guard isDictionary || marker >> 4 == 0xA || marker >> 4 == 0xB || marker >> 4 == 0xC else { return [] }
    offset += 1
    var length = Int(marker & 0xF)
    if length == 0xF {
      guard offset < table, bytes[offset] >> 4 == 1, bytes[offset] & 0xF <= 3 else { return nil }
      let size = 1 << Int(bytes[offset] & 0xF)
      guard let long = Self.number(bytes, offset + 1, size) else { return nil }
      (length, offset) = (long, offset + 1 + size)
    }
    guard length <= bytes.count else { return nil }
    let references = isDictionary ? length * 2 : length
    guard references * referenceSize <= table - offset else { return nil }
    var children: [Int] = []
    children.reserveCapacity(references)
    for position in 0..<references {
      guard let child = Self.number(bytes, offset + position * referenceSize, referenceSize), child < count
      else { return nil }
      children.append(child)
    }
    return children
  }
}
