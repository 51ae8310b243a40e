/// A reader of JSON from unknown programs: RFC 8259, with commas before a closing bracket, as Apple's reader takes them.
struct JSONReader {
  /// The reason why bytes are no JSON.
  struct Problem: Error, Equatable {
    /// The line, counted from 1.
    var line: Int
    var reason: String
  }

  private static let maximumDepth = 64

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads one value, with nothing but blanks around it. A byte order mark may come first.
  static func value(of bytes: [UInt8]) throws(Problem) -> JSONValue {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Problem(line: 1, reason: "it is not UTF-8")
    }
    var reader = JSONReader(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    let value = try reader.value()
    if reader.next() != nil { throw reader.problem("something follows the end") }
    return value
  }

  private func problem(_ reason: String) -> Problem {
    let line = bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
    return Problem(line: line, reason: reason)
  }

  /// The next byte that is no blank, not consumed; nil at the end.
  private mutating func next() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      case let byte: return byte
      }
    }
    return nil
  }

  private mutating func value() throws(Problem) -> JSONValue {
    guard let byte = next() else { throw problem("a value is missing") }
    switch byte {
    case UInt8(ascii: "{"): return try nested { reader throws(Problem) in try reader.object() }
    case UInt8(ascii: "["): return try nested { reader throws(Problem) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), 0x30...0x39: return try number()
    default:
      for (word, value) in [("true", JSONValue.boolean(true)), ("false", .boolean(false)), ("null", .null)]
      where bytes[position...].starts(with: word.utf8) {
        position += word.utf8.count
        return value
      }
      throw problem("a value is missing")
    }
  }

  private mutating func nested(
    _ body: (inout JSONReader) throws(Problem) -> JSONValue
  ) throws(Problem) -> JSONValue {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw problem("more than \(Self.maximumDepth) brackets are open")
    }
    position += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(Problem) -> JSONValue {
    var members: [JSONValue.Member] = []
    while true {
      guard let byte = next() else { throw problem("a '}' is missing") }
      if byte == UInt8(ascii: "}") { break }
      guard byte == UInt8(ascii: "\"") else { throw problem("a name is missing") }
      let name = try string()
      guard next() == UInt8(ascii: ":") else { throw problem("a ':' is missing") }
      position += 1
      members.append(JSONValue.Member(name: name, value: try value()))
      guard try continues(before: UInt8(ascii: "}")) else { break }
    }
    position += 1
    return .object(members)
  }

  private mutating func array() throws(Problem) -> JSONValue {
    var elements: [JSONValue] = []
    while true {
      guard let byte = next() else { throw problem("a ']' is missing") }
      if byte == UInt8(ascii: "]") { break }
      elements.append(try value())
      guard try continues(before: UInt8(ascii: "]")) else { break }
    }
    position += 1
    return .array(elements)
  }

  /// Returns whether a comma follows, which it reads, and not the closing bracket.
  private mutating func continues(before bracket: UInt8) throws(Problem) -> Bool {
    let byte = next()
    if byte == bracket { return false }
    guard byte == UInt8(ascii: ",") else {
      throw problem("a ',' or '\(Character(Unicode.Scalar(bracket)))' is missing")
    }
    position += 1
    return true
  }

  private mutating func number() throws(Problem) -> JSONValue {
    let start = position
    func digits(_ reader: inout JSONReader) -> Int {
      let begin = reader.position
      while reader.position < reader.bytes.count, (0x30...0x39).contains(reader.bytes[reader.position]) {
        reader.position += 1
      }
      return reader.position - begin
    }
    func take(_ reader: inout JSONReader, _ characters: String) -> Bool {
      guard reader.position < reader.bytes.count, characters.utf8.contains(reader.bytes[reader.position])
      else {
        return false
      }
      reader.position += 1
      return true
    }
    _ = take(&self, "-")
    let first = position
    let whole = digits(&self)
    guard whole == 1 || whole > 1 && bytes[first] != UInt8(ascii: "0") else {
      throw problem("a number is not valid")
    }
    if take(&self, "."), digits(&self) == 0 { throw problem("a number is not valid") }
    if take(&self, "eE") {
      _ = take(&self, "+-")
      if digits(&self) == 0 { throw problem("a number is not valid") }
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func string() throws(Problem) -> String {
    position += 1
    var units: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"): try appendEscape(to: &units)
      case ..<0x20: throw problem("a string has a control character")
      default: units.append(byte)
      }
    }
    throw problem("a string has no end")
  }

  private mutating func appendEscape(to units: inout [UInt8]) throws(Problem) {
    guard position < bytes.count else { throw problem("a string has no end") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(byte)
    case UInt8(ascii: "b"): units.append(0x08)
    case UInt8(ascii: "f"): units.append(0x0C)
    case UInt8(ascii: "n"): units.append(0x0A)
    case UInt8(ascii: "r"): units.append(0x0D)
    case UInt8(ascii: "t"): units.append(0x09)
    case UInt8(ascii: "u"):
      let high = try codeUnit()
      var scalar = Unicode.Scalar(high)
      if (0xD800..<0xDC00).contains(high), bytes[position...].starts(with: [0x5C, 0x75]) {
        position += 2
        let low = try codeUnit()
        guard (0xDC00..<0xE000).contains(low) else { throw problem("half a character is in a string") }
        scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
      }
      guard let scalar, let encoded = UTF8.encode(scalar) else {
        throw problem("half a character is in a string")
      }
      units += encoded
    default: throw problem("a string has an unknown escape")
    }
  }

  private mutating func codeUnit() throws(Problem) -> UInt32 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw problem("a string has an unknown escape") }
    position += 4
    return value
  }
}
