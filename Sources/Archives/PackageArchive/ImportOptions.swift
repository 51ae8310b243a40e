/// The choices of an import: the entries that it includes, leaves out and refuses.
public struct ImportOptions: Sendable {
  /// The code page, as iconv(3) calls it, such as `CP437`, of names that the archive does not mark as UTF-8. With nil,
  /// their bytes do not change.
  public var charset: String?
  /// The passphrase for encrypted entries.
  public var passphrase: String?
  /// The limits on an archive's contents.
  public var limits: ImportLimits
  /// Whether a folder around all entries becomes the package.
  public var topFolder: TopFolder
  /// Whether the import includes the additions of macOS, `__MACOSX` and `._*`.
  public var includesAppleDouble: Bool
  /// Whether the import includes hidden folders of this library, with their histories, at any depth. Set this only for
  /// archives that you trust, because a history says what a document contained before.
  public var includesHistory: Bool
  /// Whether links may lead out of the package.
  public var allowsLinksOutside: Bool
  /// Whether names may differ only in case or in how accents are written, as they may on a Linux disk.
  public var allowsSimilarNames: Bool
  /// Whether names may contain control characters.
  public var allowsControlCharacters: Bool
  /// Whether a path may begin like a drive of another system, such as `C:`.
  public var allowsDriveLetters: Bool
  /// Whether backslashes in names separate folders, as on Windows. Some programs write them into a zip.
  public var readsBackslashes = false
  /// Whether the import ends before the package gets its place. It makes all checks, also of the place, and then
  /// removes what it wrote.
  public var isDryRun = false
  /// Called with the names of the package's children before the package gets its place; an error of it ends the import.
  public var checkingChildren: (@Sendable (_ names: Set<String>) throws -> Void)?

  /// The use of a folder around all entries.
  public enum TopFolder: Sendable, Hashable {
    /// The folder is the package; its own name has no effect. The import leaves out the temporary files beside it, such
    /// as `.DS_Store`: see `TemporaryNames`.
    case becomesPackage
    /// The folder is an ordinary child of the package.
    case isKept
  }

  /// Makes options. Those without arguments are for archives from other people: the usual limits, and no entry that
  /// could do harm.
  public init(
    charset: String? = nil,
    passphrase: String? = nil,
    limits: ImportLimits = ImportLimits(),
    topFolder: TopFolder = .becomesPackage,
    includesAppleDouble: Bool = false,
    includesHistory: Bool = false,
    allowsLinksOutside: Bool = false,
    allowsSimilarNames: Bool = false,
    allowsControlCharacters: Bool = false,
    allowsDriveLetters: Bool = false,
    checkingChildren: (@Sendable (_ names: Set<String>) throws -> Void)? = nil
  ) {
    self.charset = charset
    self.passphrase = passphrase
    self.limits = limits
    self.topFolder = topFolder
    self.includesAppleDouble = includesAppleDouble
    self.includesHistory = includesHistory
    self.allowsLinksOutside = allowsLinksOutside
    self.allowsSimilarNames = allowsSimilarNames
    self.allowsControlCharacters = allowsControlCharacters
    self.allowsDriveLetters = allowsDriveLetters
    self.checkingChildren = checkingChildren
  }
}

/// The limits on an archive's contents; an import refuses an archive as soon as it exceeds one.
public struct ImportLimits: Sendable, Hashable {
  /// The greatest number of files, folders and links together. Omitted ones are counted separately.
  public var entries: Int
  /// The greatest number of bytes of all files together, including holes and extended attributes. Omitted files are
  /// counted separately.
  public var bytes: UInt64
  /// The greatest ratio of the bytes of all files to those of the archive. An import checks it from 16 MiB on.
  public var ratio: Int
  /// The greatest number of nested folders.
  public var depth: Int
  /// The greatest number of bytes of all names and destinations of links together.
  public var nameBytes: Int
  /// The greatest number of bytes that the decompression of LZMA or xz may use for earlier bytes: their
  /// dictionary. Zstandard has a limit of 128 MiB, which callers cannot raise.
  public var dictionaryBytes: UInt64

  /// Makes limits; without arguments the usual ones.
  public init(
    entries: Int = 200_000,
    bytes: UInt64 = 4 << 30,
    ratio: Int = 200,
    depth: Int = 64,
    nameBytes: Int = 64 << 20,
    dictionaryBytes: UInt64 = 128 << 20
  ) {
    self.entries = entries
    self.bytes = bytes
    self.ratio = ratio
    self.depth = depth
    self.nameBytes = nameBytes
    self.dictionaryBytes = dictionaryBytes
  }

  /// The number of bytes below which an import checks no ratio.
  static let unsuspiciousBytes: UInt64 = 16 << 20

  /// The most zeros after the end of an archive. Programs pad their last record, which rarely exceeds a megabyte.
  static let maximumPadding: UInt64 = 16 << 20

  /// The absence of limits, for an archive that is not imported.
  static let none = ImportLimits(
    entries: .max, bytes: .max, ratio: .max, depth: .max, nameBytes: .max, dictionaryBytes: .max)

  /// The greatest length of an archive that comes as a stream: taken and omitted bytes, and the headers of entries.
  var streamBytes: UInt64 {
    let headers = UInt64(entries).multipliedReportingOverflow(by: 8192)
    let files = bytes.multipliedReportingOverflow(by: 2)
    let (sum, overflow) = files.partialValue.addingReportingOverflow(headers.partialValue)
    return headers.overflow || files.overflow || overflow ? .max : sum
  }

  /// - Throws: a finding if files must not hold `count` bytes.
  func check(bytes count: UInt64, entry: [UInt8]?) throws {
    if count > bytes {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry, "it holds more than \(bytes) bytes", unless: .bytes)
    }
  }

  /// - Throws: a finding if `archiveBytes` must not become `count` bytes.
  func check(ratioOf count: UInt64, to archiveBytes: UInt64, entry: [UInt8]? = nil) throws {
    if count > Self.unsuspiciousBytes, ratio != .max, count / UInt64(max(1, ratio)) > archiveBytes {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry, "it becomes more than \(ratio) times as large as it is",
        unless: .ratio)
    }
  }

  /// - Throws: a finding if decompression must not use a dictionary of `count` bytes.
  func check(dictionary count: UInt64, entry: [UInt8]? = nil) throws {
    if count > dictionaryBytes {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry,
        "decompressing it takes \(count) bytes of memory, more than \(dictionaryBytes)",
        unless: .dictionaryBytes)
    }
  }
}
