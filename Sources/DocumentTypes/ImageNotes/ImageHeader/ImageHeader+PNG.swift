extension ImageHeader {
  /// Reads the IHDR chunk, which must come first (PNG third edition, 5.2, 5.3 and 11.2.1).
  static func png(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    let length = try reader.number(at: 8, bytes: 4, .bigEndian, "the IHDR chunk")
    guard try reader.code(at: 12, "the IHDR chunk") == "IHDR", length == 13 else {
      throw .impossible(.png, reason: "its first chunk is not an IHDR chunk of 13 bytes")
    }
    let chunk = Array(try reader.bytes(at: 12, count: 17, "the IHDR chunk"))
    let checksum = try reader.number(at: 29, bytes: 4, .bigEndian, "the checksum of the IHDR chunk")
    guard checksum == UInt64(crc32(chunk)) else {
      throw .impossible(.png, reason: "the checksum of its IHDR chunk is wrong")
    }

    let (depth, color) = (chunk[12], chunk[13])
    guard depths(ofColorType: color).contains(depth) else {
      throw .impossible(.png, reason: "colour type \(color) does not go with \(depth) bits a sample")
    }
    guard chunk[14] == 0, chunk[15] == 0, chunk[16] <= 1 else {
      throw .impossible(.png, reason: "its compression, filter or interlace method does not exist")
    }
    return try ImageHeader(
      format: .png,
      width: reader.number(at: 16, bytes: 4, .bigEndian, "the width"),
      height: reader.number(at: 20, bytes: 4, .bigEndian, "the height"))
  }

  /// Returns the bit depths that a colour type allows; none for an unknown type.
  private static func depths(ofColorType color: UInt8) -> [UInt8] {
    switch color {
    case 0: [1, 2, 4, 8, 16]
    case 3: [1, 2, 4, 8]
    case 2, 4, 6: [8, 16]
    default: []
    }
  }

  /// Returns the checksum of PNG (annex D), bit by bit, because there are only 17 bytes.
  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var remainder = UInt32.max
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
      }
    }
    return ~remainder
  }
}
