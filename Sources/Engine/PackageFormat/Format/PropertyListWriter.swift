import FoundationEssentials
import Glibc

/// A writer of property lists as XML, byte for byte as `PropertyListEncoder` does, but without its reflection.
///
/// Every save writes a property list, and the reflection took a sixth of a commit. The writer supports only the kinds
/// in metadata; `encoded` lets the encoder write the others, such as real numbers.
struct PropertyListWriter: ~Copyable {
  typealias Field = (key: String, value: PropertyListValue)

  private var writer = ByteWriter(capacity: 2048)

  /// The lines before the outermost value.
  static let start: StaticString = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """
  /// The line after it.
  package static let end: StaticString = "</plist>\n"

  /// The error of a text that no XML property list can hold. The encoder would leave it out.
  struct Unwritable: Error, CustomStringConvertible {
    var description: String { "a text has a NUL character" }
  }

  /// Returns a property list as XML.
  ///
  /// - Parameter fields: its keys, in order, and their values.
  /// - Throws: `Unwritable`; the error of `PropertyListEncoder`.
  static func encoded(_ fields: [Field]) throws -> [UInt8] {
    var writer = Self()
    writer.append(start)
    if writer.write(fields, 0) {
      writer.append(end)
      return writer.writer.bytes
    }
    let values = Dictionary(uniqueKeysWithValues: fields)
    if hasNUL(.dictionary(values)) { throw Unwritable() }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return Array(try encoder.encode(values))
  }

  private static func hasNUL(_ value: PropertyListValue) -> Bool {
    switch value {
    case .string(let text): text.utf8.contains(0)
    case .array(let values): values.contains(where: hasNUL)
    case .dictionary(let values): values.contains { $0.utf8.contains(0) || hasNUL($1) }
    default: false
    }
  }

  /// Returns false if the encoder must write the value.
  private mutating func write(_ value: PropertyListValue, depth: Int) -> Bool {
    indent(depth)
    switch value {
    case .boolean(let value): append(value ? "<true/>\n" : "<false/>\n")
    case .integer(let value): writeInteger(value)
    case .unsigned(let value): writeInteger(value)
    case .string(let value): return write(value, "<string>", "</string>\n")
    case .date(let value): return write(value)
    case .array(let values): return write(values, depth)
    case .dictionary(let values): return write(values.sorted { $0.key < $1.key }, depth)
    case .real, .data: return false
    }
    return true
  }

  private mutating func write(_ values: [PropertyListValue], _ depth: Int) -> Bool {
    guard !values.isEmpty else {
      append("<array/>\n")
      return true
    }
    append("<array>\n")
    for value in values where !write(value, depth: depth + 1) { return false }
    indent(depth)
    append("</array>\n")
    return true
  }

  private mutating func write(_ fields: [Field], _ depth: Int) -> Bool {
    guard !fields.isEmpty else {
      append("<dict/>\n")
      return true
    }
    append("<dict>\n")
    for (key, value) in fields {
      indent(depth + 1)
      guard write(key, "<key>", "</key>\n"), write(value, depth: depth + 1) else { return false }
    }
    indent(depth)
    append("</dict>\n")
    return true
  }

  private mutating func writeInteger(_ value: some BinaryInteger) {
    append("<integer>")
    if let small = UInt32(exactly: value) {
      writeDecimal(small)
    } else {
      writer.write(String(value))
    }
    append("</integer>\n")
  }

  private mutating func writeDecimal(_ value: UInt32) {
    if value >= 10 { writeDecimal(value / 10) }
    writer.write(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  private mutating func write(_ string: String, _ start: StaticString, _ end: StaticString) -> Bool {
    append(start)
    var string = string
    let isWritten = string.withUTF8 { writeText($0) }
    append(end)
    return isWritten
  }

  private mutating func writeText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // Without a way out of the loop, the compiler looks at many bytes at once.
    var special: UInt8 = 0
    for byte in text { special |= Self.isPlain(byte) ? 0 : 1 }
    if special == 0 {
      writer.write(UnsafeRawBufferPointer(text))
      return true
    }
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): append("&amp;")
      case UInt8(ascii: "<"): append("&lt;")
      case UInt8(ascii: ">"): append("&gt;")
      case UInt8(ascii: "\n"), UInt8(ascii: "\t"): writer.write(byte)
      // XML cannot represent these characters.
      case ..<0x20: return false
      default: writer.write(byte)
      }
    }
    return true
  }

  /// Whether XML has the byte as it is.
  static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "&") && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">")
  }

  /// Writes a date of the years from 1970 to 9999.
  private mutating func write(_ date: Date) -> Bool {
    let seconds = date.timeIntervalSince1970
    guard seconds >= 0, seconds < 253_402_300_800, seconds.rounded(.down) == seconds else { return false }
    var (time, parts) = (time_t(seconds), tm())
    guard gmtime_r(&time, &parts) != nil else { return false }
    append("<date>")
    number(Int(parts.tm_year) + 1900, 4)
    for (separator, value) in [
      ("-", parts.tm_mon + 1), ("-", parts.tm_mday), ("T", parts.tm_hour), (":", parts.tm_min),
      (":", parts.tm_sec),
    ] as [(StaticString, Int32)] {
      append(separator)
      number(Int(value), 2)
    }
    append("Z</date>\n")
    return true
  }

  private mutating func number(_ value: Int, _ digits: Int) {
    var place = 1
    for _ in 1..<digits { place *= 10 }
    while place > 0 {
      writer.write(UInt8(ascii: "0") + UInt8(value / place % 10))
      place /= 10
    }
  }

  private mutating func indent(_ depth: Int) {
    for _ in 0..<depth { writer.write(UInt8(ascii: "\t")) }
  }

  private mutating func append(_ text: StaticString) {
    writer.write(text)
  }
}
