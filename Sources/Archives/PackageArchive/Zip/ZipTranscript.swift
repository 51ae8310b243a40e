/// The comparison of an entry's two names, one in UTF-8 and one in an unknown code page.
enum ZipTranscript {
  private static let maximumLength = 4096

  /// Returns whether a name in UTF-8 may be `raw`, a name in a code page.
  ///
  /// The ASCII characters of the first must stand in the second, in order. Beside them, the second may hold bytes
  /// beyond ASCII and the second byte of a character that such a byte begins. It may also hold the replacements
  /// that programs write for missing characters: `?`, `_`, `#U30BD`.
  static func `is`(_ unicode: [UInt8], of raw: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    guard raw.count <= maximumLength, unicode.count <= maximumLength,
      raw.contains(where: { $0 >= 0x80 || "?_#".utf8.contains($0) }),
      (raw.last == slash) == (unicode.last == slash),
      raw.filter({ $0 == slash }).count == unicode.filter({ $0 == slash }).count
    else { return false }
    let wanted = unicode.filter { $0 < 0x80 }
    let none = [UInt64](repeating: 0, count: wanted.count / 64 + 1)
    // The places of each character, one bit each.
    var places: [UInt8: [UInt64]] = [:]
    for (index, byte) in wanted.enumerated() {
      places[byte, default: none][index / 64] |= 1 << UInt64(index % 64)
    }
    // The possible numbers of found characters, one bit each. Several are possible because a second byte may look like
    // one of them. Bits keep a hostile name from taking seconds.
    var seen = none
    seen[0] = 1
    var escape = 0
    for (index, byte) in raw.enumerated() where byte < 0x80 {
      escape = escape > 1 ? escape - 1 : escapeLength(raw[index...])
      let isSecond = index > 0 && raw[index - 1] >= 0x80 && byte != slash
      let mayBeSkipped = isSecond || escape > 0 || "?_".utf8.contains(byte)
      let place = places[byte] ?? none
      var carry: UInt64 = 0
      for word in seen.indices {
        let found = seen[word] & place[word]
        seen[word] = found << 1 | carry | (mayBeSkipped ? seen[word] : 0)
        carry = found >> 63
      }
      if seen == none { return false }
    }
    return seen[wanted.count / 64] >> UInt64(wanted.count % 64) & 1 == 1
  }

  /// Returns the length of `#U` with four digits, or `#L` with six, at the beginning; 0 if there is none.
  private static func escapeLength(_ bytes: ArraySlice<UInt8>) -> Int {
    guard bytes.first == UInt8(ascii: "#"), let kind = bytes.dropFirst().first else { return 0 }
    let count = kind == UInt8(ascii: "U") ? 4 : kind == UInt8(ascii: "L") ? 6 : 0
    let digits = bytes.dropFirst(2).prefix(count)
    let isHex = digits.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
    return count > 0 && digits.count == count && isHex ? count + 2 : 0
  }
}
