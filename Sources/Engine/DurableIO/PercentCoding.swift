// The escapes of URLs (RFC 3986, section 2.1).

extension Sequence<UInt8> {
  /// Returns the bytes with an escape for each one but ASCII's letters and digits, `-`, `.`, `_`, `~` and `extra`.
  package func percentEncoded(keeping extra: String = "") -> String {
    let plain = Array("-._~\(extra)".utf8)
    return String(
      decoding: flatMap { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          [byte]
        default: plain.contains(byte) ? [byte] : byte.percentEscape
        }
      }, as: UTF8.self)
  }
}

extension UInt8 {
  /// `%` and two digits in upper case.
  package var percentEscape: [UInt8] {
    [
      UInt8(ascii: "%"), (self >> 4).hexadecimalDigit(isUpperCase: true),
      (self & 15).hexadecimalDigit(isUpperCase: true),
    ]
  }
}

extension Collection<UInt8> {
  /// The bytes with a byte for each escape, and whether two digits follow each `%`. A `%` without them stays.
  package var percentDecoded: (bytes: [UInt8], isWellFormed: Bool) {
    var (bytes, isWellFormed, rest) = ([UInt8](), true, self[...])
    while let byte = rest.popFirst() {
      let digits = byte == UInt8(ascii: "%") ? rest.prefix(2).compactMap(\.hexadecimalValue) : []
      if digits.count == 2 {
        bytes.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
        if byte == UInt8(ascii: "%") { isWellFormed = false }
      }
    }
    return (bytes, isWellFormed)
  }
}
