extension ImageHeader {
  /// Reads the IHDR chunk, which must come first (PNG third edition, 5.3 and 11.2.1).
  static func png(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    guard try reader.code(at: 12, "the IHDR chunk") == "IHDR" else {
      throw .impossible(.png, reason: "its first chunk is not an IHDR chunk")
    }
    return try ImageHeader(
      format: .png,
      width: reader.number(at: 16, bytes: 4, .bigEndian, "the width"),
      height: reader.number(at: 20, bytes: 4, .bigEndian, "the height"))
  }
}
