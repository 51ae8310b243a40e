extension ImageHeader {
  /// Reads the first chunk: one of the two bitstreams, or the extended header (RFC 9649, 2.5 to 2.7).
  static func webP(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    let chunk = try reader.code(at: 12, "the first chunk")
    let length = try reader.number(at: 16, bytes: 4, .littleEndian, "the first chunk")
    let needed: UInt64
    switch chunk {
    case "VP8 ", "VP8X": needed = 10
    case "VP8L": needed = 5
    default: throw .impossible(.webP, reason: "its first chunk is none of VP8, VP8L and VP8X")
    }
    guard length >= needed else {
      throw .impossible(.webP, reason: "its first chunk has no room for the size of the picture")
    }
    return switch chunk {
    case "VP8 ": try webPLossy(&reader)
    case "VP8L": try webPLossless(&reader)
    default: try webPExtended(&reader)
    }
  }

  /// A VP8 key frame (RFC 6386, 9.1): the two highest bits of each side are a scaling hint.
  private static func webPLossy(
    _ reader: inout ImageHeaderReader
  ) throws(ImageHeaderError) -> ImageHeader {
    let tag = try reader.number(at: 20, bytes: 3, .littleEndian, "the frame header")
    let startCode = try reader.number(at: 23, bytes: 3, .bigEndian, "the frame header")
    guard tag & 1 == 0, startCode == 0x9D_01_2A else {
      throw .impossible(.webP, reason: "its VP8 chunk does not begin with a key frame")
    }
    return try ImageHeader(
      format: .webP,
      width: reader.number(at: 26, bytes: 2, .littleEndian, "the width") & 0x3FFF,
      height: reader.number(at: 28, bytes: 2, .littleEndian, "the height") & 0x3FFF)
  }

  /// A lossless bitstream (RFC 9649, 3.4): 14 bits a side, each one less, an alpha hint and a version of 3 bits.
  private static func webPLossless(
    _ reader: inout ImageHeaderReader
  ) throws(ImageHeaderError) -> ImageHeader {
    let signature = try reader.number(at: 20, bytes: 1, .littleEndian, "the lossless header")
    let fields = try reader.number(at: 21, bytes: 4, .littleEndian, "the lossless header")
    guard signature == 0x2F, fields >> 29 == 0 else {
      throw .impossible(.webP, reason: "its VP8L chunk has a wrong signature or version")
    }
    return try ImageHeader(
      format: .webP, width: (fields & 0x3FFF) + 1, height: (fields >> 14 & 0x3FFF) + 1)
  }

  /// The extended header (RFC 9649, 2.7): 24 bits a side, each one less, at most 2³² − 1 pixels together.
  private static func webPExtended(
    _ reader: inout ImageHeaderReader
  ) throws(ImageHeaderError) -> ImageHeader {
    let width = try reader.number(at: 24, bytes: 3, .littleEndian, "the canvas width") + 1
    let height = try reader.number(at: 27, bytes: 3, .littleEndian, "the canvas height") + 1
    guard width * height <= UInt64(UInt32.max) else {
      throw .impossible(.webP, reason: "a canvas of \(width) × \(height) pixels is too large for the format")
    }
    return try ImageHeader(format: .webP, width: width, height: height)
  }
}
