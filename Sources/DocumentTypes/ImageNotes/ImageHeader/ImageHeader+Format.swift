public import Documents

extension ImageHeader {
  /// The formats of pictures that the reader recognises.
  public enum Format: String, Sendable, CaseIterable, Codable {
    /// Portable Network Graphics (W3C, third edition), animated or not.
    case png
    /// JPEG (ITU-T T.81), any process: baseline, progressive, lossless, hierarchical.
    case jpeg
    /// GIF87a and GIF89a (CompuServe).
    case gif
    /// WebP (RFC 9649): lossy, lossless, extended.
    case webP
    /// Windows and OS/2 bitmaps that begin with `BM`.
    case bmp
    /// TIFF 6.0 and BigTIFF, in both byte orders.
    case tiff
    /// HEIF (ISO/IEC 23008-12) coded in HEVC. AVIF is another format, which the reader does not recognise.
    case heic

    /// The format's name as people write it, for messages.
    public var name: String {
      switch self {
      case .png: "PNG"
      case .jpeg: "JPEG"
      case .gif: "GIF"
      case .webP: "WebP"
      case .bmp: "BMP"
      case .tiff: "TIFF"
      case .heic: "HEIC"
      }
    }

    /// The extensions of files of this format, in lower case and without a dot; the preferred one first.
    public var filenameExtensions: [String] {
      switch self {
      case .png: ["png"]
      case .jpeg: ["jpeg", "jpg", "jpe", "jfif"]
      case .gif: ["gif"]
      case .webP: ["webp"]
      case .bmp: ["bmp", "dib"]
      case .tiff: ["tiff", "tif"]
      case .heic: ["heic", "heif", "hif"]
      }
    }

    /// The extension for a new file of this format: the one that Apple's `UTType` prefers.
    public var preferredFilenameExtension: String { filenameExtensions[0] }

    /// The type of a file of this format.
    public var contentType: UTType {
      switch self {
      case .png: .png
      case .jpeg: .jpeg
      case .gif: .gif
      case .webP: .webP
      case .bmp: .bmp
      case .tiff: .tiff
      case .heic: .heic
      }
    }
  }
}

extension ImageHeader.Format {
  /// Recognises a format by the first bytes of a file, at most ``ImageHeader/maximumReadSize`` of them.
  ///
  /// It does not recognise a file that ends within its signature. Many texts begin with `BM`, so a bitmap must also
  /// have the size of a known header.
  init?(signature bytes: [UInt8]) {
    func has(_ expected: [UInt8], at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: expected)
    }

    if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if has(Array("GIF87a".utf8)) || has(Array("GIF89a".utf8)) {
      self = .gif
    } else if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) {
      self = .webP
    } else if has(Array("BM".utf8)), Self.bitmapHeaderSizes.contains(where: { has([$0, 0, 0, 0], at: 14) }) {
      self = .bmp
    } else if [42, 43].contains(where: { has([0x49, 0x49, $0, 0]) || has([0x4D, 0x4D, 0, $0]) }) {
      self = .tiff
    } else if has(Array("ftyp".utf8), at: 4), Self.areHEVC(bytes) {
      self = .heic
    } else {
      return nil
    }
  }
  /// The sizes of the headers that follow a bitmap's 14-byte file header: OS/2 1 (12), OS/2 2 (16 and 64), Windows NT
  /// (40), Adobe's two (52 and 56), versions 4 and 5.
  private static let bitmapHeaderSizes: [UInt8] = [12, 16, 40, 52, 56, 64, 108, 124]

  /// Returns whether the `ftyp` box at the beginning of a file may be that of a HEIC: the first brand that names a codec
  /// names HEVC, or no brand of a HEIF names one.
  private static func areHEVC(_ bytes: [UInt8]) -> Bool {
    let box = bytes.prefix(bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) })
    // The second four bytes behind the header are a version, not a brand.
    let brands = stride(from: 8, to: box.count - 3, by: 4).filter { $0 != 12 }
      .map { String(decoding: box[$0..<$0 + 4], as: UTF8.self) }
    let hevc = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
    let others = ["avif", "avis", "avci", "avcs", "jpeg", "jpgs", "j2ki", "j2is", "vvic", "vvis"]
    if let codec = brands.first(where: { hevc.contains($0) || others.contains($0) }) {
      return hevc.contains(codec)
    }
    return !Set(brands).isDisjoint(with: ["mif1", "msf1", "mif2"])
  }
}
