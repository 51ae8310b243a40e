/// How a package becomes one file.
public enum ArchiveFormat: String, Sendable, CaseIterable {
  /// The format that every system opens; deflate, or stored where that does not make a child smaller.
  case zip
  /// POSIX tar (pax), not compressed: loses nothing of a package.
  case tar
  /// pax in gzip.
  case tarGzip = "tar.gz"
  /// pax in xz: the smallest, and the slowest.
  case tarXZ = "tar.xz"
  /// pax in Zstandard: fast, and loses nothing of a package.
  case tarZstd = "tar.zst"
  /// 7-Zip's own format.
  case sevenZip = "7z"
  /// pax or another tar in bzip2, for reading.
  case tarBzip2 = "tar.bz2"
  /// pax or another tar in LZ4, for reading.
  case tarLZ4 = "tar.lz4"
  /// cpio, for reading, and only when it is asked for.
  case cpio
  /// An image of a CD, for reading, and only when it is asked for.
  case iso9660 = "iso"

  /// The format of that name, such as `tar.zst`; also the usual short ones, such as `tgz`. Nil for any other.
  public init?(named name: String) {
    let name = name.lowercased()
    guard let format = ArchiveFormat(rawValue: name) ?? Self.otherNames[name] else { return nil }
    self = format
  }

  /// The format that a file's name stands for, by its end; nil where it says nothing. Documents that are zips count:
  /// `textpack`, `epub` and `cbz`.
  public init?(filename: String) {
    let name = filename.lowercased()
    let known =
      Self.allCases.map { ($0.rawValue, $0) } + Self.otherNames.map { ($0.key, $0.value) }
      + Self.flatNames.map { ($0, .zip) }
    let matches = known.filter { name.hasSuffix("." + $0.0) && name.utf8.count > $0.0.utf8.count + 1 }
    guard let longest = matches.max(by: { $0.0.utf8.count < $1.0.utf8.count }) else { return nil }
    self = longest.1
  }

  private static let otherNames: [String: ArchiveFormat] = [
    "tgz": .tarGzip, "tar.gzip": .tarGzip, "txz": .tarXZ, "tzst": .tarZstd, "tar.zstd": .tarZstd,
    "tbz": .tarBzip2, "tbz2": .tarBzip2, "7zip": .sevenZip, "textpack": .zip, "iso9660": .iso9660,
  ]

  /// Zips whose readers expect what is in them at the top.
  private static let flatNames = ["epub", "cbz"]

  /// Whether readers of files with that name expect what is in them at the top, without a folder around it: `epub` and
  /// `cbz`.
  public static func isFlat(filename: String) -> Bool {
    flatNames.contains { filename.lowercased().hasSuffix("." + $0) }
  }

  /// Whether packages can be exported to it; all can be imported.
  public var isWritable: Bool {
    switch self {
    case .zip, .tar, .tarGzip, .tarXZ, .tarZstd, .sevenZip: true
    case .tarBzip2, .tarLZ4, .cpio, .iso9660: false
    }
  }

  /// Whether an import recognises it by its first bytes; the others have to be asked for.
  public var isRecognized: Bool {
    switch self {
    case .zip, .tar, .tarGzip, .tarXZ, .tarZstd, .tarBzip2, .tarLZ4: true
    case .sevenZip, .cpio, .iso9660: false
    }
  }

  /// The formats that packages can be exported to.
  public static let writable = allCases.filter(\.isWritable)

  var isTar: Bool { rawValue.hasPrefix("tar") }
}
