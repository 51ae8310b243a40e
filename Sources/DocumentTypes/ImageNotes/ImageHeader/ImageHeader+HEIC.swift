extension ImageHeader {
  /// Finds the primary item and combines its properties (ISO/IEC 23008-12, 6).
  ///
  /// The size is that of `ispe`, cropped by `clap` if there is one: encoders code whole blocks and crop the rest.
  /// `irot` and `imir` become the ``orientation``; HEIF ignores the orientation in an Exif item. An image sequence
  /// without a still picture is refused.
  static func heic(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> ImageHeader {
    let meta = try metaBox(&reader)
    let children = try reader.boxes(in: meta.body.dropping(4))
    guard let primaryBox = children.first(where: { $0.type == "pitm" }) else {
      throw .impossible(.heic, reason: "it does not say which of its items is the picture")
    }
    let primary = try primaryItem(&reader, primaryBox)
    if let items = children.first(where: { $0.type == "iinf" }) {
      // Other codecs share the container; 'grid', 'iovl' and 'iden' are made of other items.
      let type = try itemType(&reader, items, item: primary)
      guard type == nil || ["hvc1", "grid", "iovl", "iden"].contains(type) else { throw .unknownFormat }
    }
    guard let properties = children.first(where: { $0.type == "iprp" }) else {
      throw .impossible(.heic, reason: "it has no properties and therefore no size")
    }
    return try header(&reader, try HEIFProperties(&reader, properties, item: primary))
  }

  private static func metaBox(_ reader: inout ImageHeaderReader) throws(ImageHeaderError) -> HEIFBox {
    var offset: UInt64 = 0
    var isSequence = false
    while offset < reader.size {
      let box = try reader.box(at: offset, before: reader.size)
      if box.type == "meta" { return box }
      if box.type == "moov" { isSequence = true }
      offset = box.body.upperBound
    }
    if isSequence { throw .impossible(.heic, reason: "it is an image sequence without a still picture") }
    throw .truncated(.heic, missing: "the 'meta' box")
  }

  private static func primaryItem(
    _ reader: inout ImageHeaderReader, _ box: HEIFBox
  ) throws(ImageHeaderError) -> UInt64 {
    let version = try reader.field(of: box, at: 0, bytes: 1)
    return try reader.field(of: box, at: 4, bytes: version == 0 ? 2 : 4)
  }

  /// Returns the type of an item, nil if the list does not have it.
  private static func itemType(
    _ reader: inout ImageHeaderReader, _ list: HEIFBox, item: UInt64
  ) throws(ImageHeaderError) -> String? {
    let version = try reader.field(of: list, at: 0, bytes: 1)
    for entry in try reader.boxes(in: list.body.dropping(version == 0 ? 6 : 8)) where entry.type == "infe" {
      let version = try reader.field(of: entry, at: 0, bytes: 1)
      guard version >= 2 else { continue }
      let idSize = version == 2 ? 2 : 4
      guard try reader.field(of: entry, at: 4, bytes: idSize) == item else { continue }
      return try reader.code(at: entry.body.lowerBound.adding(UInt64(4 + idSize + 2)), "the item's type")
    }
    return nil
  }

  /// Applies the properties in their order, which matters for crops and turns.
  private static func header(
    _ reader: inout ImageHeaderReader, _ properties: HEIFProperties
  ) throws(ImageHeaderError) -> ImageHeader {
    var size: (width: UInt64, height: UInt64)?
    var steps = Orientation.Steps()
    for box in properties.boxes {
      switch box.type {
      case "ispe" where size == nil:
        size = (try reader.field(of: box, at: 4, bytes: 4), try reader.field(of: box, at: 8, bytes: 4))
      case "clap":
        guard let whole = size else { throw .impossible(.heic, reason: "it is cropped before it has a size") }
        size = try cropped(&reader, box, whole, turned: steps.orientation.swapsSides)
      case "irot":
        steps.turnLeft(quarters: Int(try reader.field(of: box, at: 0, bytes: 1) & 3))
      case "imir":
        // 0 exchanges top and bottom, 1 left and right, as libheif writes and applies it.
        let exchangesSides = try reader.field(of: box, at: 0, bytes: 1) & 1 == 1
        if exchangesSides { steps.mirrorLeftToRight() } else { steps.mirrorTopToBottom() }
      default:
        break
      }
    }
    guard let size else { throw .impossible(.heic, reason: "its primary item has no size") }
    return try ImageHeader(
      format: .heic, width: size.width, height: size.height, orientation: steps.orientation)
  }

  /// Returns the size of a clean aperture, in stored columns and rows, without fractions of a pixel.
  private static func cropped(
    _ reader: inout ImageHeaderReader, _ box: HEIFBox, _ whole: (width: UInt64, height: UInt64), turned: Bool
  ) throws(ImageHeaderError) -> (width: UInt64, height: UInt64) {
    let across = try reader.field(of: box, at: 0, bytes: 4)
    let acrossDivisor = try reader.field(of: box, at: 4, bytes: 4)
    let down = try reader.field(of: box, at: 8, bytes: 4)
    let downDivisor = try reader.field(of: box, at: 12, bytes: 4)
    guard acrossDivisor > 0, downDivisor > 0 else {
      throw .impossible(.heic, reason: "its clean aperture is divided by 0")
    }
    let sides = (across / acrossDivisor, down / downDivisor)
    let (width, height) = turned ? (sides.1, sides.0) : sides
    guard width <= whole.width, height <= whole.height else {
      throw .impossible(.heic, reason: "its clean aperture is larger than the picture")
    }
    return (width, height)
  }
}
