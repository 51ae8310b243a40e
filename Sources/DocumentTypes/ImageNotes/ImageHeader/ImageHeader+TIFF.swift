extension ImageHeader {
  /// Reads the first directory of the file, at any position; later directories are other pictures or smaller copies.
  static func tiff(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    let directory = try TIFFDirectory(&reader, 0..<reader.size)
    guard let width = directory.width, let height = directory.height else {
      throw .impossible(.tiff, reason: "its first directory has no usable width or height")
    }
    return try ImageHeader(
      format: .tiff, width: width, height: height, orientation: directory.orientation ?? .up)
  }
}
