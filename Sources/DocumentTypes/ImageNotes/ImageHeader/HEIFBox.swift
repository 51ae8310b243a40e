import FilePackages

/// A box of a HEIF file (ISO/IEC 14496-12, 4.2): a type of four characters and the bytes behind its header.
struct HEIFBox {
  let type: String
  let body: Range<UInt64>
}

extension ImageHeaderReader {
  /// Reads the header of a box, which must not end after its parent.
  ///
  /// A size of 0 means up to the end of the parent; 1 means that the size follows in 64 bits.
  mutating func box(at offset: UInt64, before end: UInt64) throws(ImageHeaderError) -> HEIFBox {
    var size = try number(at: offset, bytes: 4, .bigEndian, "the header of a box")
    let type = try code(at: offset.adding(4), "the header of a box")
    var headerSize: UInt64 = 8
    if size == 1 {
      size = try number(at: offset.adding(8), bytes: 8, .bigEndian, "the header of a box")
      headerSize = 16
    } else if size == 0 {
      size = end - offset
    }
    guard size >= headerSize else {
      throw .impossible(format, reason: "one of its boxes is smaller than its own header")
    }
    let boxEnd = offset.adding(size)
    guard boxEnd <= end else {
      if end == self.size { throw .truncated(format, missing: "a part of the '\(displayString(type))' box") }
      throw .impossible(format, reason: "one of its boxes does not fit into the one around it")
    }
    return HEIFBox(type: type, body: offset.adding(headerSize)..<boxEnd)
  }

  /// Reads the boxes that fill a range: at most 32,767, the greatest number of a property.
  mutating func boxes(in range: Range<UInt64>) throws(ImageHeaderError) -> [HEIFBox] {
    var boxes: [HEIFBox] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      guard boxes.count < 0x7FFF else { throw .tooFarAway(format) }
      let box = try box(at: offset, before: range.upperBound)
      boxes.append(box)
      offset = box.body.upperBound
    }
    return boxes
  }

  /// Reads a number at a position within a box.
  mutating func field(
    of box: HEIFBox, at position: UInt64, bytes count: Int
  ) throws(ImageHeaderError) -> UInt64 {
    let offset = box.body.lowerBound.adding(position)
    guard offset.adding(UInt64(count)) <= box.body.upperBound else {
      throw .impossible(format, reason: "its '\(box.type)' box is too short")
    }
    return try number(at: offset, bytes: count, .bigEndian, "a part of the '\(box.type)' box")
  }
}

extension Range<UInt64> {
  /// Returns the range without its first elements; empty if it has fewer.
  func dropping(_ count: UInt64) -> Range<UInt64> {
    Swift.min(lowerBound.adding(count), upperBound)..<upperBound
  }
}
