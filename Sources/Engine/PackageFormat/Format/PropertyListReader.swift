package import FoundationEssentials
import Glibc

/// A reader of property lists. It parses those that `PropertyListWriter` writes, and gives the rest to
/// `PropertyListDecoder`.
///
/// The first list that `PropertyListDecoder` decodes takes a short program more time than all of its other work.
package struct PropertyListReader {
  private let bytes: [UInt8]
  private var place = 0

  /// Returns the dictionary that the bytes are, in XML; nil for other bytes, or if their nesting is not bounded.
  package static func dictionary(_ data: Data) -> [String: PropertyListValue]? {
    written(data) ?? decoded(data)
  }

  /// Returns the dictionary, if the bytes are as `PropertyListWriter` writes them.
  package static func written(_ data: Data) -> [String: PropertyListValue]? {
    var reader = Self(bytes: Array(data))
    return reader.document()
  }

  package static func decoded(_ data: Data) -> [String: PropertyListValue]? {
    guard PropertyListShape.isBounded(data) else { return nil }
    return try? PropertyListDecoder().decode([String: PropertyListValue].self, from: data)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func document() -> [String: PropertyListValue]? {
    guard take(PropertyListWriter.start), case .dictionary(let fields) = value(depth: 0),
      take(PropertyListWriter.end), place == bytes.count
    else { return nil }
    return fields
  }

  /// Reads a value with the tabs before it and the line's end after it.
  private mutating func value(depth: Int) -> PropertyListValue? {
    guard depth < PropertyListShape.maximumDepth, indent(depth) else { return nil }
    if take("<string>") { return text("</string>\n").map { .string($0) } }
    if take("<integer>") { return integer().map { .integer($0) } }
    if take("<date>") { return date().map { .date($0) } }
    if take("<true/>\n") { return .boolean(true) }
    if take("<false/>\n") { return .boolean(false) }
    if take("<array/>\n") { return .array([]) }
    if take("<dict/>\n") { return .dictionary([:]) }
    if take("<array>\n") { return array(depth: depth) }
    if take("<dict>\n") { return dictionary(depth: depth) }
    return nil
  }

  private mutating func array(depth: Int) -> PropertyListValue? {
    var values: [PropertyListValue] = []
    while !ends("</array>\n", depth: depth) {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    }
    return .array(values)
  }

  private mutating func dictionary(depth: Int) -> PropertyListValue? {
    var fields: [String: PropertyListValue] = [:]
    while !ends("</dict>\n", depth: depth) {
      guard indent(depth + 1), take("<key>"), let key = text("</key>\n"),
        let value = value(depth: depth + 1), fields.updateValue(value, forKey: key) == nil
      else { return nil }
    }
    return .dictionary(fields)
  }

  /// Reads a text to its closing tag.
  private mutating func text(_ end: StaticString) -> String? {
    let start = place
    while place < bytes.count, PropertyListWriter.isPlain(bytes[place]) { place += 1 }
    if let text = String(validating: bytes[start..<place], as: UTF8.self), take(end) { return text }
    place = start
    return escapedText(end)
  }

  private mutating func escapedText(_ end: StaticString) -> String? {
    var text: [UInt8] = []
    while place < bytes.count, !take(end) {
      if take("&amp;") {
        text.append(UInt8(ascii: "&"))
      } else if take("&lt;") {
        text.append(UInt8(ascii: "<"))
      } else if take("&gt;") {
        text.append(UInt8(ascii: ">"))
      } else if PropertyListWriter.isPlain(bytes[place]) || bytes[place] == UInt8(ascii: "\n")
        || bytes[place] == UInt8(ascii: "\t")
      {
        text.append(bytes[place])
        place += 1
      } else {
        return nil
      }
    }
    return place < bytes.count ? String(validating: text, as: UTF8.self) : nil
  }

  /// Reads an integer that surely is an `Int64`.
  private mutating func integer() -> Int64? {
    let isNegative = take("-")
    guard let value = number(1...18), take("</integer>\n") else { return nil }
    return Int64(isNegative ? -value : value)
  }

  /// Reads a date of the years from 1970 to 9999.
  private mutating func date() -> Date? {
    guard let year = number(4...4), year >= 1970, take("-"), let month = number(2...2), take("-"),
      let day = number(2...2), take("T"), let hour = number(2...2), take(":"), let minute = number(2...2),
      take(":"), let second = number(2...2), take("Z</date>\n")
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
    // The system corrects the parts of a date that does not exist.
    let seconds = timegm(&parts)
    guard
      [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec].map(Int.init)
        == [month, day, hour, minute, second]
    else { return nil }
    return Date(timeIntervalSince1970: Double(seconds))
  }

  /// Reads a number of so many digits, without a zero before it if their count varies.
  private mutating func number(_ count: ClosedRange<Int>) -> Int? {
    let start = place
    var value = 0
    while place < bytes.count, place - start < count.upperBound,
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
    {
      value = value * 10 + Int(bytes[place] - UInt8(ascii: "0"))
      place += 1
    }
    let isPadded = place - start > 1 && bytes[start] == UInt8(ascii: "0")
    return count.contains(place - start) && !(isPadded && count.count > 1) ? value : nil
  }

  // MARK: Bytes

  private mutating func ends(_ tag: StaticString, depth: Int) -> Bool {
    let start = place
    if indent(depth), take(tag) { return true }
    place = start
    return false
  }

  private mutating func indent(_ depth: Int) -> Bool {
    for _ in 0..<depth where !take("\t") { return false }
    return true
  }

  /// Passes over these bytes if they are next.
  private mutating func take(_ text: StaticString) -> Bool {
    let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes.count - place >= expected.count else { return false }
    for index in expected.indices where bytes[place + index] != expected[index] { return false }
    place += expected.count
    return true
  }
}
