extension UInt8 {
  /// The hexadecimal digit of a value below 16.
  package func hexadecimalDigit(isUpperCase: Bool = false) -> UInt8 {
    self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: isUpperCase ? "A" : "a") + self - 10
  }

  /// The value of a hexadecimal digit in either case; nil for another byte.
  package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

extension Sequence<UInt8> {
  /// Two hexadecimal digits in lower case for each byte.
  package var hexadecimal: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      digits.append((byte >> 4).hexadecimalDigit())
      digits.append((byte & 15).hexadecimalDigit())
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Reads two hexadecimal digits in lower case for each byte; nil for any other text.
  package var hexadecimalDecoded: [UInt8]? {
    var bytes: [UInt8] = []
    var rest = makeIterator()
    while let high = rest.next() {
      guard let low = rest.next(), let upper = high.hexadecimalValue, let lower = low.hexadecimalValue,
        // Equal bytes have one name.
        upper.hexadecimalDigit() == high, lower.hexadecimalDigit() == low
      else { return nil }
      bytes.append(upper << 4 | lower)
    }
    return bytes
  }
}
