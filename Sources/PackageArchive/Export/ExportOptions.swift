import DurableIO
public import FoundationEssentials

/// How a package is exported.
public struct ExportOptions: Sendable {
  /// How hard to compress, on the format's own scale: 0 to 9 for zip, gzip, xz and 7z, 1 to 22 for Zstandard. Nil
  /// for the format's usual one.
  public var level: Int?
  /// How many threads compress; nil for as many as there are processors. The bytes of a zip and of a tar.gz do not
  /// depend on it.
  public var threads: Int?
  /// Encrypts a zip with it (AES, 256 bits). Names, sizes and dates stay readable. Such an archive is never the same
  /// bytes twice.
  public var passphrase: String?
  /// Whether the hidden folder, with kept versions and what else there is of the past, goes along. It may hold what
  /// was deleted from the document.
  public var includesHistory = false
  /// The one date of all entries, for an archive whose bytes depend on names and contents alone: permissions are then
  /// 644 or 755, and extended attributes are left out. Nil keeps what the package has.
  public var uniformDate: Date?
  /// What all entries are in. For a file whose readers expect no folder, `ArchiveFormat.isFlat(filename:)`, choose
  /// `.none`.
  public var topFolder = TopFolder.package

  /// Whether a file without any write permission may be replaced.
  public var overwritesReadOnly = false

  /// The folder that all entries of an archive are in.
  public enum TopFolder: Sendable, Hashable {
    /// One with the package's name, and with its dates and permissions.
    case package
    /// One with this name.
    case named(String)
    /// None: the package's own children are at the top.
    case none
  }

  /// Exports what is usual: all but the hidden folder, with its dates and permissions, in a folder of its name.
  public init() {}

  var threadCount: Int {
    max(1, threads ?? ProcessInfo.processInfo.activeProcessorCount)
  }

  /// The earliest date that every format can hold, for `uniformDate` where there is no better one: 1980-01-01.
  public static let earliestDate = Date(timeIntervalSince1970: 315_532_800)
}
