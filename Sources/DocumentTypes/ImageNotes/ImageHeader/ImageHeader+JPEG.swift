extension ImageHeader {
  /// Walks over the marker segments to the first frame header (ITU-T T.81, B.1 and B.2).
  ///
  /// If the height is 0, a DNL segment after the first scan has it. The reader refuses such rare files, because it
  /// would have to read the scan.
  static func jpeg(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    var isOnItsSide: Bool?
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
        return try jpegFrame(&reader, segment, isOnItsSide: isOnItsSide ?? false)
      }
      if marker == 0xE1, isOnItsSide == nil {
        // Damage in the segment is no reason to refuse the picture. The reader records an error of the source.
        isOnItsSide = try? exifTurn(&reader, segment)
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
    _ reader: inout ImageHeaderReader, _ segment: Range<UInt64>, isOnItsSide: Bool
  ) throws(ImageHeaderError) -> ImageHeader {
    let start = segment.lowerBound
    guard segment.count >= 6 else { throw .impossible(.jpeg, reason: "its frame header is too short") }
    let height = try reader.number(at: start.adding(1), bytes: 2, .bigEndian, "the height")
    let width = try reader.number(at: start.adding(3), bytes: 2, .bigEndian, "the width")
    guard height > 0 else {
      throw .impossible(.jpeg, reason: "its height is 0, or follows only after the first scan")
    }
    return isOnItsSide
      ? try ImageHeader(format: .jpeg, width: height, height: width)
      : try ImageHeader(format: .jpeg, width: width, height: height)
  }

  /// Returns whether an APP1 segment turns the picture on its side, as in an upright photograph of a phone. Nil if the
  /// segment has no orientation.
  ///
  /// Behind `Exif` and two zeros, it is a TIFF file (Exif 2.32, 4.7.2). The orientations 5 to 8 of its first directory
  /// exchange rows and columns.
  private static func exifTurn(
    _ reader: inout ImageHeaderReader, _ segment: Range<UInt64>
  ) throws(ImageHeaderError) -> Bool? {
    guard segment.count >= 14,
      try reader.bytes(at: segment.lowerBound, count: 6, "Exif").elementsEqual("Exif\0\0".utf8)
    else { return nil }
    let file = segment.lowerBound.adding(6)
    let isLittle = try reader.number(at: file, bytes: 2, .bigEndian, "Exif") == 0x4949
    let order: ImageHeaderReader.ByteOrder = isLittle ? .littleEndian : .bigEndian
    let directory = file.adding(try reader.number(at: file.adding(4), bytes: 4, order, "Exif"))
    guard directory.adding(2) <= segment.upperBound else { return nil }
    var entry = directory.adding(2)
    for _ in 0..<(try reader.number(at: directory, bytes: 2, order, "Exif"))
    where entry.adding(12) <= segment.upperBound {
      if try reader.number(at: entry, bytes: 2, order, "Exif") == 274 {
        return (5...8).contains(try reader.number(at: entry.adding(8), bytes: 2, order, "Exif"))
      }
      entry = entry.adding(12)
    }
    return nil
  }
}
