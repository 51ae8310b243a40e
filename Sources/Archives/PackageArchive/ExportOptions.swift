import DurableIO
public import FoundationEssentials

/// The choices of an export.
public struct ExportOptions: Sendable {
  /// The compression level, on the format's own scale: 0 to 9 for zip, gzip, xz and 7z, 1 to 22 for Zstandard. Nil
  /// means the format's usual level.
  public var level: Int?
  /// The number of threads that compress; nil means one for each processor. The bytes do not
  /// depend on it.
  public var threads: Int?
  /// A passphrase that encrypts a zip (AES, 256 bits). Names, sizes and dates stay readable. The bytes of such an
  /// archive differ each time.
  public var passphrase: String?
  /// Whether the archive contains hidden folders, with the histories of the package and of documents in it. They may
  /// hold contents that a user deleted from a document.
  public var includesHistory: Bool
  /// One date for all entries, for an archive whose bytes depend only on names and contents. Permissions are then
  /// 644 or 755, and the archive has no extended attributes. With nil, the archive has the package's own dates,
  /// permissions and attributes.
  public var uniformDate: Date?
  /// The folder around all entries. If readers of the file expect no folder (`ArchiveFormat.isFlat(filename:)`),
  /// choose `.none`.
  public var topFolder: TopFolder

  /// The files that the export may replace.
  public var replacing: Replacing

  /// The files that an export may replace.
  public enum Replacing: Sendable, Hashable {
    /// No file: its name must be free.
    case nothing
    /// A file with a write permission.
    case writable
    /// Any regular file.
    case anything
  }

  /// The folder around all entries of an archive.
  public enum TopFolder: Sendable, Hashable {
    /// A folder with the package's name, dates and permissions.
    case package
    /// A folder with this name.
    case named(String)
    /// No folder; the package's own children are at the top.
    case none
  }

  /// Makes options. Without arguments, an archive has all children but hidden folders, with their dates and
  /// permissions, in a folder of the package's name.
  public init(
    level: Int? = nil,
    threads: Int? = nil,
    passphrase: String? = nil,
    includesHistory: Bool = false,
    uniformDate: Date? = nil,
    topFolder: TopFolder = .package,
    replacing: Replacing = .writable
  ) {
    self.level = level
    self.threads = threads
    self.passphrase = passphrase
    self.includesHistory = includesHistory
    self.uniformDate = uniformDate
    self.topFolder = topFolder
    self.replacing = replacing
  }

  var threadCount: Int {
    max(1, threads ?? ProcessInfo.processInfo.activeProcessorCount)
  }

  /// The earliest date that every format can hold, 1980-01-01; a value for `uniformDate` if no better one is known.
  public static let earliestDate = Date(timeIntervalSince1970: 315_532_800)
}
