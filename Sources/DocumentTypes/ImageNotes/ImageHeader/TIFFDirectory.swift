/// The width, height and orientation in the first directory of a TIFF file (TIFF 6.0, section 2; BigTIFF).
///
/// Exif has the same shape.
struct TIFFDirectory {
  private(set) var width: UInt64?
  private(set) var height: UInt64?
  private(set) var orientation: ImageHeader.Orientation?

  /// Reads the directory of the TIFF file that fills a range of the whole file.
  ///
  /// The order of the entries does not matter. If a tag occurs twice, the first usable entry counts. The read ends when
  /// it has all three.
  init(_ reader: inout ImageHeaderReader, _ range: Range<UInt64>) throws(ImageHeaderError) {
    let layout = try TIFFLayout(&reader, range)
    var entry = layout.firstEntry
    for _ in 0..<layout.entryCount {
      let next = entry.adding(layout.entrySize)
      guard next <= range.upperBound else {
        throw .truncated(reader.format, missing: "a part of the first directory")
      }
      switch try reader.number(at: entry, bytes: 2, layout.order, "the first directory") {
      case 256 where width == nil:
        width = try layout.value(ofEntryAt: entry, &reader)
      case 257 where height == nil:
        height = try layout.value(ofEntryAt: entry, &reader)
      case 274 where orientation == nil:
        orientation = try layout.value(ofEntryAt: entry, &reader)
          .flatMap { Int(exactly: $0) }
          .flatMap(ImageHeader.Orientation.init(rawValue:))
      default:
        break
      }
      if width != nil, height != nil, orientation != nil { return }
      entry = next
    }
  }
}

/// The position of the entries of a first directory, in either kind of TIFF file.
///
///                       header                         directory          entry
///     TIFF      order(2) 42(2) offset(4)               count(2) entries   tag(2) type(2) count(4) value(4)
///     BigTIFF   order(2) 43(2) 8(2) 0(2) offset(8)     count(8) entries   tag(2) type(2) count(8) value(8)
private struct TIFFLayout {
  let order: ImageHeaderReader.ByteOrder
  let isBig: Bool
  let entryCount: UInt64
  let firstEntry: UInt64

  /// The size of an entry in bytes.
  var entrySize: UInt64 { isBig ? 20 : 12 }

  init(_ reader: inout ImageHeaderReader, _ range: Range<UInt64>) throws(ImageHeaderError) {
    let start = range.lowerBound
    let mark = try reader.number(at: start, bytes: 2, .bigEndian, "the byte order")
    switch mark {
    case 0x4949: order = .littleEndian
    case 0x4D4D: order = .bigEndian
    default: throw .impossible(reader.format, reason: "its byte order is neither II nor MM")
    }
    let version = try reader.number(at: start.adding(2), bytes: 2, order, "the version")
    guard version == 42 || version == 43 else {
      throw .impossible(reader.format, reason: "its TIFF version is \(version)")
    }
    isBig = version == 43
    if isBig {
      let offsetSize = try reader.number(at: start.adding(4), bytes: 2, order, "the size of offsets")
      guard offsetSize == 8 else {
        throw .impossible(reader.format, reason: "its offsets have \(offsetSize) bytes instead of 8")
      }
    }

    let offset = try reader.number(
      at: start.adding(isBig ? 8 : 4), bytes: isBig ? 8 : 4, order, "the offset of the first directory")
    guard offset >= (isBig ? 16 : 8) else {
      throw .impossible(reader.format, reason: "its first directory lies in the file's own header")
    }
    let directory = start.adding(offset)
    entryCount = try reader.number(
      at: directory, bytes: isBig ? 8 : 2, order, "the first directory, at byte \(directory),")
    firstEntry = directory.adding(isBig ? 8 : 2)
  }

  /// Returns the number in an entry: one SHORT, LONG or, in a BigTIFF, LONG8; nil for any other type.
  func value(
    ofEntryAt entry: UInt64, _ reader: inout ImageHeaderReader
  ) throws(ImageHeaderError) -> UInt64? {
    let type = try reader.number(at: entry.adding(2), bytes: 2, order, "the type of a value")
    let count = try reader.number(at: entry.adding(4), bytes: isBig ? 8 : 4, order, "the number of values")
    let size: Int
    switch type {
    case 3: size = 2
    case 4: size = 4
    case 16 where isBig: size = 8
    default: return nil
    }
    guard count == 1 else { return nil }
    return try reader.number(at: entry.adding(isBig ? 12 : 8), bytes: size, order, "a value")
  }
}
