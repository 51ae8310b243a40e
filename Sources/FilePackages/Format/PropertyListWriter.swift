import FoundationEssentials

/// A writer of property lists as XML, byte for byte as `PropertyListEncoder` does, but without its reflection.
///
/// Every save writes a property list, and the reflection took a sixth of a commit. The writer supports only the kinds
/// in metadata; it returns `nil` for kinds that the encoder handles better, such as real numbers.
struct PropertyListWriter {
  private var text = ""

  /// The error of a text that no XML property list can hold. The encoder would leave it out.
  struct Unwritable: Error, CustomStringConvertible {
    var description: String { "a text has a NUL character" }
  }

  /// Returns a property list as XML, with its keys in order.
  ///
  /// - Throws: `Unwritable`; the error of `PropertyListEncoder`.
  static func data(_ values: [String: PropertyListValue]) throws -> Data {
    if let xml = xml(values) { return xml }
    if hasNUL(.dictionary(values)) { throw Unwritable() }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return try encoder.encode(values)
  }

  private static func hasNUL(_ value: PropertyListValue) -> Bool {
    switch value {
    case .string(let text): text.utf8.contains(0)
    case .array(let values): values.contains(where: hasNUL)
    case .dictionary(let values): values.contains { $0.utf8.contains(0) || hasNUL($1) }
    default: false
    }
  }

  static func xml(_ values: [String: PropertyListValue]) -> Data? {
    var writer = Self()
    writer.text.reserveCapacity(2048)
    writer.text += """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">

      """
    guard writer.write(.dictionary(values), depth: 0) else { return nil }
    writer.text += "</plist>\n"
    return Data(writer.text.utf8)
  }

  /// Returns false if the encoder must write the value.
  private mutating func write(_ value: PropertyListValue, depth: Int) -> Bool {
    indent(depth)
    switch value {
    case .boolean(let value): text += value ? "<true/>\n" : "<false/>\n"
    case .integer(let value): text += "<integer>\(value)</integer>\n"
    case .unsigned(let value): text += "<integer>\(value)</integer>\n"
    case .string(let value): return write(value, as: "string")
    case .date(let value): return write(value)
    case .array(let values): return write(values, depth)
    case .dictionary(let values): return write(values, depth)
    case .real, .data: return false
    }
    return true
  }

  private mutating func write(_ values: [PropertyListValue], _ depth: Int) -> Bool {
    guard !values.isEmpty else {
      text += "<array/>\n"
      return true
    }
    text += "<array>\n"
    for value in values where !write(value, depth: depth + 1) { return false }
    indent(depth)
    text += "</array>\n"
    return true
  }

  private mutating func write(_ values: [String: PropertyListValue], _ depth: Int) -> Bool {
    guard !values.isEmpty else {
      text += "<dict/>\n"
      return true
    }
    text += "<dict>\n"
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      indent(depth + 1)
      guard write(key, as: "key"), write(value, depth: depth + 1) else { return false }
    }
    indent(depth)
    text += "</dict>\n"
    return true
  }

  private mutating func write(_ string: String, as element: String) -> Bool {
    text += "<\(element)>"
    let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x26 && $0 != 0x3C && $0 != 0x3E }
    if isPlain {
      text += string
    } else {
      for scalar in string.unicodeScalars {
        switch scalar {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\n", "\t": text.unicodeScalars.append(scalar)
        // XML cannot represent these characters.
        case _ where scalar.value < 0x20: return false
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "</\(element)>\n"
    return true
  }

  /// Writes a date of the years from 1970 to 9999.
  private mutating func write(_ date: Date) -> Bool {
    let seconds = date.timeIntervalSince1970
    guard seconds >= 0, seconds < 253_402_300_800, seconds.rounded(.down) == seconds else { return false }
    let (days, second) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = Self.civil(days)
    text += "<date>"
    number(year, 4)
    for (separator, value) in [
      ("-", month), ("-", day), ("T", second / 3600), (":", second / 60 % 60), (":", second % 60),
    ] {
      text += separator
      number(value, 2)
    }
    text += "Z</date>\n"
    return true
  }

  /// Returns the Gregorian date of a day since 1970-01-01.
  ///
  /// Years begin in March, so that the leap day is the last day of a year.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    // Days since 0000-03-01, split into eras of 400 years, then by 100 years, 4 years and one year.
    let (eras, ofEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (eras * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }

  private mutating func number(_ value: Int, _ digits: Int) {
    let text = String(value)
    self.text += String(repeating: "0", count: digits - text.count) + text
  }

  private mutating func indent(_ depth: Int) {
    for _ in 0..<depth { text += "\t" }
  }
}
