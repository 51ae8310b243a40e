// The libraries that read all seven formats, such as libvips, link their decoders, dozens of libraries with their faults.
// A library that reads only headers could take the place of this folder.

/// A picture's format, and its size in the formats of the web, from its first bytes.
///
/// Only the contents of a file decide its format; its extension does not count. The reader decodes no pixels: a file
/// with a header may still be damaged further on.
///
/// The input may be hostile. No initialiser traps, allocates more than a few megabytes, or reads more than
/// ``maximumReads`` times ``maximumReadSize`` bytes (1 MiB). Most pictures need one to three reads.
public struct ImageHeader: Sendable, Hashable {
  /// The format of the file.
  public let format: Format

  /// The number of columns on display; nil for BMP, TIFF and HEIC, of which only the format is read.
  ///
  /// For GIF it is the logical screen, for an animated WebP the canvas. The Exif of a JPEG may turn the picture on its
  /// side: an iPhone's upright photographs are stored so.
  public let displayWidth: Int?

  /// The number of rows on display; nil for BMP, TIFF and HEIC.
  public let displayHeight: Int?

  /// The number of reads after which an initialiser gives up.
  public static let maximumReads = 1024

  /// The greatest number of bytes in one read.
  public static let maximumReadSize = 1024

  /// Reads the header of a picture in memory.
  ///
  /// - Parameter bytes: The whole file, or the bytes from its beginning that the caller has. The first 64 bytes have the
  ///   header; that of a JPEG can be anywhere.
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
  init(format: Format, width: UInt64, height: UInt64) throws(ImageHeaderError) {
    guard width > 0, height > 0 else {
      throw .impossible(format, reason: "it is \(width) pixels wide and \(height) pixels high")
    }
    (self.format, displayWidth, displayHeight) = (format, Int(width), Int(height))
  }

  private init(unmeasured format: Format) {
    (self.format, displayWidth, displayHeight) = (format, nil, nil)
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
    case .bmp, .tiff, .heic: ImageHeader(unmeasured: format)
    }
  }
}
