extension ImageHeader {
  /// Reads the first chunk: one of the two bitstreams, or the extended header (RFC 9649, 2.5 to 2.7).
  static func webP(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    switch try reader.code(at: 12, "the first chunk") {
    case "VP8 ":
      // A key frame (RFC 6386, 9.1): the two highest bits of each side are a scaling hint.
      guard try reader.number(at: 23, bytes: 3, .bigEndian, "the frame header") == 0x9D_01_2A else {
        throw .impossible(.webP, reason: "its VP8 chunk does not begin with a key frame")
      }
      return try ImageHeader(
        format: .webP,
        width: reader.number(at: 26, bytes: 2, .littleEndian, "the width") & 0x3FFF,
        height: reader.number(at: 28, bytes: 2, .littleEndian, "the height") & 0x3FFF)
    case "VP8L":
      // 14 bits a side, each one less (RFC 9649, 3.4).
      guard try reader.number(at: 20, bytes: 1, .littleEndian, "the lossless header") == 0x2F else {
        throw .impossible(.webP, reason: "its VP8L chunk has a wrong signature")
      }
      let fields = try reader.number(at: 21, bytes: 4, .littleEndian, "the lossless header")
      return try ImageHeader(
        format: .webP, width: (fields & 0x3FFF) + 1, height: (fields >> 14 & 0x3FFF) + 1)
    case "VP8X":
      // 24 bits a side, each one less (RFC 9649, 2.7).
      return try ImageHeader(
        format: .webP,
        width: reader.number(at: 24, bytes: 3, .littleEndian, "the canvas width") + 1,
        height: reader.number(at: 27, bytes: 3, .littleEndian, "the canvas height") + 1)
    default:
      throw .impossible(.webP, reason: "its first chunk is none of VP8, VP8L and VP8X")
    }
  }
}
