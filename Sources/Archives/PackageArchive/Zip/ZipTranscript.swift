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
    // The possible numbers of found characters. Several are possible because a second byte may look like one of
    // them.
    var seen: Set<Int> = [0]
    var escape = 0
    for (index, byte) in raw.enumerated() where byte < 0x80 {
      escape = escape > 1 ? escape - 1 : escapeLength(raw[index...])
      let isSecond = index > 0 && raw[index - 1] >= 0x80 && byte != slash
      let mayBeSkipped = isSecond || escape > 0 || "?_".utf8.contains(byte)
      seen = Set(
        seen.flatMap { count in
          (count < wanted.count && wanted[count] == byte ? [count + 1] : []) + (mayBeSkipped ? [count] : [])
        })
      if seen.isEmpty { return false }
    }
    return seen.contains(wanted.count)
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
