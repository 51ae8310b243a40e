extension ImageHeader {
  /// Reads the logical screen descriptor, which follows the signature (GIF89a, section 18).
  static func gif(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    try ImageHeader(
      format: .gif,
      width: reader.number(at: 6, bytes: 2, .littleEndian, "the width"),
      height: reader.number(at: 8, bytes: 2, .littleEndian, "the height"))
  }
}
