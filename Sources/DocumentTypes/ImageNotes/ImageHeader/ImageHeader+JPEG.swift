extension ImageHeader {
  /// Walks over the marker segments to the first frame header (ITU-T T.81, B.1 and B.2).
  ///
  /// If the height is 0, a DNL segment after the first scan has it. The reader refuses such rare files, because it
  /// would have to read the scan.
  static func jpeg(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    var orientation: Orientation?
    var offset: UInt64 = 2
    while true {
      let marker = try nextMarker(&reader, &offset)
      switch marker {
      case 0x01, 0xD0...0xD8:
        continue  // Markers without a segment.
      case 0xD9, 0xDA:
        throw .impossible(.jpeg, reason: "its picture begins or ends before a frame header")
      default:
        break
      }

      let length = try reader.number(at: offset, bytes: 2, .bigEndian, "the length of a segment")
      guard length >= 2 else { throw .impossible(.jpeg, reason: "a segment is shorter than its own length") }
      let segment = offset.adding(2)..<offset.adding(length)
      if describesFrame(marker) {
        return try jpegFrame(&reader, segment, orientation ?? .up)
      }
      if marker == 0xE1, orientation == nil {
        orientation = exifOrientation(&reader, segment)
      }
      offset = segment.upperBound
    }
  }

  /// Reads a marker and steps over it; any number of 0xFF may come before its second byte.
  private static func nextMarker(
    _ reader: inout ImageHeaderReader, _ offset: inout UInt64
  ) throws(ImageHeaderError) -> UInt64 {
    guard try reader.number(at: offset, bytes: 1, .bigEndian, "the frame header") == 0xFF else {
      throw .impossible(.jpeg, reason: "there is no marker after a segment")
    }
    while true {
      offset = offset.adding(1)
      let code = try reader.number(at: offset, bytes: 1, .bigEndian, "the frame header")
      guard code != 0 else { throw .impossible(.jpeg, reason: "there is no marker after a segment") }
      if code != 0xFF {
        offset = offset.adding(1)
        return code
      }
    }
  }

  /// Returns whether a marker is SOF0 to SOF15, or DHP, the frame header of a whole hierarchical picture.
  ///
  /// DHT, JPG and DAC have numbers between them.
  private static func describesFrame(_ marker: UInt64) -> Bool {
    switch marker {
    case 0xC4, 0xC8, 0xCC: false
    case 0xC0...0xCF, 0xDE: true
    default: false
    }
  }

  private static func jpegFrame(
    _ reader: inout ImageHeaderReader, _ segment: Range<UInt64>, _ orientation: Orientation
  ) throws(ImageHeaderError) -> ImageHeader {
    let start = segment.lowerBound
    guard segment.count >= 6 else { throw .impossible(.jpeg, reason: "its frame header is too short") }
    let depth = try reader.number(at: start, bytes: 1, .bigEndian, "the frame header")
    let height = try reader.number(at: start.adding(1), bytes: 2, .bigEndian, "the height")
    let width = try reader.number(at: start.adding(3), bytes: 2, .bigEndian, "the width")
    let components = try reader.number(at: start.adding(5), bytes: 1, .bigEndian, "the frame header")
    guard (2...16).contains(depth), components > 0, segment.count == 6 + 3 * Int(components) else {
      throw .impossible(.jpeg, reason: "its frame header does not fit its number of components")
    }
    guard height > 0 else {
      throw .impossible(.jpeg, reason: "its height is 0, or follows only after the first scan")
    }
    return try ImageHeader(format: .jpeg, width: width, height: height, orientation: orientation)
  }

  /// Returns the orientation in an APP1 segment: a TIFF file behind `Exif` and two zeros (Exif 2.32, 4.7.2).
  ///
  /// Damage in the segment is no reason to refuse the picture. The reader records an error of the source.
  private static func exifOrientation(
    _ reader: inout ImageHeaderReader, _ segment: Range<UInt64>
  ) -> Orientation? {
    let signature = Array("Exif\0\0".utf8)
    guard segment.count > signature.count,
      let bytes = try? reader.bytes(at: segment.lowerBound, count: signature.count, "Exif"),
      bytes.elementsEqual(signature)
    else { return nil }
    let start = segment.lowerBound.adding(UInt64(signature.count))
    return (try? TIFFDirectory(&reader, start..<segment.upperBound))?.orientation
  }
}
