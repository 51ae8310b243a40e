/// One 512-byte header of a tar, in the forms of V7, ustar, pax and GNU.
struct TarHeader {
  static let size = 512
  private let bytes: ArraySlice<UInt8>

  /// - Throws: a finding if the checksum is wrong.
  init(_ bytes: ArraySlice<UInt8>) throws {
    guard Self.hasChecksum(bytes) else { throw ArchiveError.Finding(.damaged, "a header is damaged") }
    self.bytes = bytes
  }

  /// Returns whether 512 bytes have the checksum of a header. Some old programs add signed bytes.
  static func hasChecksum(_ bytes: ArraySlice<UInt8>) -> Bool {
    let start = bytes.startIndex
    guard bytes.count == size, let expected = number(bytes[start + 148..<start + 156]) else { return false }
    var (unsigned, signed): (UInt64, Int64) = (0, 0)
    for (offset, byte) in bytes.enumerated() {
      let byte = (148..<156).contains(offset) ? UInt8(ascii: " ") : byte
      unsigned += UInt64(byte)
      signed += Int64(Int8(bitPattern: byte))
    }
    return expected == unsigned || Int64(exactly: expected) == signed
  }

  private func field(_ range: Range<Int>) -> ArraySlice<UInt8> {
    bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
  }

  var type: UInt8 { bytes[bytes.startIndex + 156] }

  /// The number of bytes that follow the header; nil if the field is no number.
  var contentSize: UInt64? { Self.number(field(124..<136)) }

  /// Returns the name with ustar's prefix.
  func name() throws -> [UInt8] {
    let name = try Self.text(field(0..<100))
    let isPOSIX = field(257..<263).elementsEqual(Array("ustar\0".utf8))
    // star has a shorter prefix, with two dates behind it.
    let isStar = field(508..<512).elementsEqual(Array("tar\0".utf8))
    let prefix = isPOSIX ? try Self.text(field(345..<(isStar ? 476 : 500))) : []
    return prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
  }

  func linkName() throws -> [UInt8] {
    try Self.text(field(157..<257))
  }

  /// Whether the header of an old GNU sparse file continues in another block.
  var isExtended: Bool { bytes[bytes.startIndex + 482] != 0 }

  /// Returns the bytes before the first NUL.
  ///
  /// - Throws: a finding if the rest of the field is not all NUL.
  static func text(_ field: ArraySlice<UInt8>) throws -> [UInt8] {
    let text = Array(field.prefix { $0 != 0 })
    guard field.dropFirst(text.count).allSatisfy({ $0 == 0 }) else {
      throw ArchiveError.Finding(.unsafeName, entry: Array(field), "its name has a NUL character in it")
    }
    return text
  }

  /// Returns the value of octal digits between spaces or NULs, or of GNU's binary number.
  private static func number(_ field: ArraySlice<UInt8>) -> UInt64? {
    guard let first = field.first else { return nil }
    if first & 0x80 != 0 {
      guard first == 0x80, field.dropFirst().dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
      return field.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    let digits = field.drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    guard field.drop(while: { $0 == 0x20 }).dropFirst(digits.count).allSatisfy({ $0 == 0 || $0 == 0x20 })
    else {
      return nil
    }
    return digits.count > 21 ? nil : digits.reduce(0) { $0 << 3 | UInt64($1 - 0x30) }
  }
}
