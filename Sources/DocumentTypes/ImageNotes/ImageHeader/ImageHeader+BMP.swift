/// The headers that follow a bitmap's 14-byte file header.
enum BitmapHeader {
  /// Their sizes: OS/2 1 (12), OS/2 2 (16 and 64), Windows NT (40), Adobe's two (52 and 56), versions 4 and 5.
  static let sizes: [UInt8] = [12, 16, 40, 52, 56, 64, 108, 124]
}

extension ImageHeader {
  /// Reads the bitmap header: `BITMAPCOREHEADER`, `BITMAPINFOHEADER`, or a successor.
  ///
  /// A negative height means that the top row comes first; the header reports it without its sign.
  static func bmp(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    let headerSize = try reader.number(at: 14, bytes: 4, .littleEndian, "the bitmap header")
    let sideSize = headerSize == 12 ? 2 : 4
    let afterSides = 18 + 2 * UInt64(sideSize)
    let width = try reader.number(at: 18, bytes: sideSize, .littleEndian, "the width")
    var height = try reader.number(at: 18 + UInt64(sideSize), bytes: sideSize, .littleEndian, "the height")
    let planes = try reader.number(at: afterSides, bytes: 2, .littleEndian, "the number of planes")
    let depth = try reader.number(at: afterSides + 2, bytes: 2, .littleEndian, "the number of bits a pixel")

    guard planes == 1 else { throw .impossible(.bmp, reason: "it has \(planes) planes instead of one") }
    // Zero bits: the pixels are a JPEG or PNG stream. Two bits: Windows CE.
    guard [0, 1, 2, 4, 8, 16, 24, 32].contains(depth) else {
      throw .impossible(.bmp, reason: "\(depth) bits a pixel do not exist")
    }
    if sideSize == 4 { height = UInt64(Int32(truncatingIfNeeded: height).magnitude) }
    return try ImageHeader(format: .bmp, width: width, height: height)
  }
}
