import DurableIO

extension FileName {
  /// Whether a path that begins with this name is absolute on Windows, as `C:/x` and `C:x` are.
  var hasDriveLetter: Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return bytes.count >= 2 && bytes[1] == UInt8(ascii: ":") && letters.contains(bytes[0] | 0x20)
  }
}
