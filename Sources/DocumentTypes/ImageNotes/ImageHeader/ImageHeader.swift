// The libraries that read all seven formats, such as libvips, link their decoders, dozens of libraries with their faults.
// A library that reads only headers could take the place of this folder.

/// A picture's format, its size in pixels and its orientation, from its first bytes.
///
/// Only the contents of a file decide its format; its extension does not count. The reader decodes no pixels: a file
/// with a header may still be damaged further on.
///
/// The input may be hostile. No initialiser traps, allocates more than a few megabytes, or reads more than
/// ``maximumReads`` times ``maximumReadSize`` bytes (1 MiB). Most pictures need one to ten reads. A HEIC of 200
/// megapixels, made of hundreds of tiles, needs about fifty.
public struct ImageHeader: Sendable, Hashable {
  /// The format of the file.
  public let format: Format

  /// The number of stored columns, 1 to 2³¹ − 1.
  ///
  /// The pixel size is that of the stored picture, without its ``orientation``. For GIF it is the logical screen, for
  /// an animated WebP the canvas, for TIFF the first picture of the file. For HEIC it is the primary item, cropped by
  /// its clean aperture.
  public let pixelWidth: Int

  /// The number of stored rows, 1 to 2³¹ − 1; the product with ``pixelWidth`` fits in an `Int`.
  public let pixelHeight: Int

  /// The turn of the stored pixels for display.
  ///
  /// It comes from the first Exif segment before a JPEG's frame header, from a TIFF's first directory, and from a
  /// HEIC's `irot` and `imir` properties. It is ``Orientation/up`` for every other format, and if a JPEG's or TIFF's
  /// entry is missing or damaged.
  public let orientation: Orientation

  /// The number of columns on display, which is ``pixelHeight`` if ``orientation`` turns the picture on its side.
  ///
  /// An iPhone's upright photographs are stored on their side.
  public var displayWidth: Int { orientation.swapsSides ? pixelHeight : pixelWidth }

  /// The number of rows on display: the other side.
  public var displayHeight: Int { orientation.swapsSides ? pixelWidth : pixelHeight }

  /// The number of reads after which an initialiser gives up.
  public static let maximumReads = 1024

  /// The greatest number of bytes in one read.
  public static let maximumReadSize = 1024

  /// Reads the header of a picture in memory.
  ///
  /// - Parameter bytes: The whole file, or the bytes from its beginning that the caller has. The header of a PNG, GIF,
  ///   WebP or BMP is within the first 64 bytes; that of a JPEG, TIFF or HEIC can be anywhere.
  /// - Throws: ``ImageHeaderError`` if the bytes are not a picture of a known format, end too early or contradict
  ///   themselves.
  public init(_ bytes: some RandomAccessCollection<UInt8>) throws(ImageHeaderError) {
    var reader = ImageHeaderReader(size: UInt64(bytes.count)) { offset, count in
      // The reader asks only for bytes within its size, so the offset fits.
      let start = bytes.index(bytes.startIndex, offsetBy: Int(offset))
      return Array(bytes[start...].prefix(count))
    }
    self = try Self.measure(&reader)
  }

  /// Reads the header of a picture through a closure, which never loads a large file.
  ///
  /// The reader calls the closure at most ``maximumReads`` times, with `count` from 1 to ``maximumReadSize`` and a
  /// range within `size`. An answer shorter than `count` counts as the end of the file.
  ///
  /// - Parameters:
  ///   - size: The size of the whole file in bytes.
  ///   - read: Returns `count` bytes that begin `offset` bytes after the beginning of the file.
  /// - Throws: ``ImageHeaderError`` as ``init(_:)`` does, and the first error that `read` throws, unchanged.
  public init(
    size: UInt64, reading read: (_ offset: UInt64, _ count: Int) throws -> [UInt8]
  ) throws {
    self = try withoutActuallyEscaping(read) { read in
      var reader = ImageHeaderReader(size: size, read: read)
      let result = Result { try Self.measure(&reader) }
      // A parser may go on without the missing bytes; the caller still gets the error of `read`.
      if let failure = reader.failure { throw failure }
      return try result.get()
    }
  }

  /// Checks a size that a parser found.
  init(
    format: Format, width: UInt64, height: UInt64, orientation: Orientation = .up
  ) throws(ImageHeaderError) {
    guard width > 0, height > 0 else {
      throw .impossible(format, reason: "it is \(width) pixels wide and \(height) pixels high")
    }
    guard let pixelWidth = Int32(exactly: width), let pixelHeight = Int32(exactly: height) else {
      throw .impossible(format, reason: "a side of \(max(width, height)) pixels is longer than 2147483647")
    }
    self.format = format
    self.pixelWidth = Int(pixelWidth)
    self.pixelHeight = Int(pixelHeight)
    self.orientation = orientation
  }

  private static func measure(
    _ reader: inout ImageHeaderReader
  ) throws(ImageHeaderError) -> ImageHeader {
    guard let format = Format(signature: reader.beginning()) else { throw .unknownFormat }
    reader.format = format
    return switch format {
    case .png: try png(&reader)
    case .jpeg: try jpeg(&reader)
    case .gif: try gif(&reader)
    case .webP: try webP(&reader)
    case .bmp: try bmp(&reader)
    case .tiff: try tiff(&reader)
    case .heic: try heic(&reader)
    }
  }
}
