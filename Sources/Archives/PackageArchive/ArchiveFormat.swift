/// A format in which one file holds a package.
public enum ArchiveFormat: String, Sendable, Codable, CaseIterable {
  /// The format that every system opens. A child is deflated, or stored if deflate does not make it smaller.
  case zip
  /// POSIX tar (pax), not compressed; keeps names, bytes, permissions, dates and links.
  case tar
  /// pax in gzip.
  case tarGzip = "tar.gz"
  /// pax in xz; the smallest and the slowest.
  case tarXZ = "tar.xz"
  /// pax in Zstandard; fast, and keeps what tar keeps.
  case tarZstd = "tar.zst"
  /// 7-Zip's own format; only for exports.
  case sevenZip = "7z"

  /// Finds the format with a name such as `tar.zst`, or with a usual short name such as `tgz`; nil for an unknown name.
  public init?(named name: String) {
    let name = name.lowercased()
    guard let format = ArchiveFormat(rawValue: name) ?? Self.otherNames[name] else { return nil }
    self = format
  }

  /// Finds the format by the end of a filename; nil for an unknown end. The extensions `textpack`, `epub` and `cbz`
  /// mean zip.
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
    "7zip": .sevenZip, "textpack": .zip,
  ]

  /// Extensions of zips whose readers expect the contents at the top.
  private static let flatNames = ["epub", "cbz"]

  /// Returns whether readers of a file with that name expect its contents at the top, without a folder around them:
  /// true for `epub` and `cbz`.
  public static func isFlat(filename: String) -> Bool {
    flatNames.contains { filename.lowercased().hasSuffix("." + $0) }
  }

  /// Whether an import reads the format. A package can be exported to each format.
  public var isReadable: Bool { self != .sevenZip }

  var isTar: Bool { rawValue.hasPrefix("tar") }
}
