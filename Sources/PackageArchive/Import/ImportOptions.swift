/// What an import takes, and what it refuses.
public struct ImportOptions: Sendable {
  /// The format; nil recognises a zip, or a tar with at most one of gzip, bzip2, xz, Zstandard and LZ4, by its first
  /// bytes. Other formats are read only when they are named.
  public var format: ArchiveFormat?
  /// The code page of names that the archive does not say to be UTF-8, as iconv(3) calls it, such as `CP437`; nil takes
  /// their bytes as they are.
  public var charset: String?
  /// For encrypted entries.
  public var passphrase: String?
  /// How much an archive may hold.
  public var limits = ImportLimits()
  /// Whether a folder that everything else is in becomes the package.
  public var topFolder = TopFolder.becomesPackage
  /// Whether what macOS adds for itself, `__MACOSX` and `._*`, is taken too.
  public var includesAppleDouble = false
  /// Whether a hidden folder of this library's, with kept versions, is taken too. Take it only from archives that you
  /// trust: it says what was in the document before.
  public var includesHistory = false
  /// Whether links may lead out of the package.
  public var allowsLinksOutside = false
  /// Whether names may be the same but for upper and lower case or the way in which accents are written, as on a
  /// Linux disk they may.
  public var allowsSimilarNames = false
  /// Whether names may have control characters.
  public var allowsControlCharacters = false
  /// Whether a path may begin like a drive of another system, such as `C:`.
  public var allowsDriveLetters = false

  /// What becomes of a folder that everything else is in.
  public enum TopFolder: Sendable, Hashable {
    /// It is the package; its own name does not matter.
    case becomesPackage
    /// It is a child of the package like others.
    case isKept
  }

  /// Takes archives that are meant for exchange, within the usual limits, and nothing that could do harm.
  public init() {}
}

/// How much an archive may hold; beyond that it is refused as soon as that is seen.
public struct ImportLimits: Sendable, Hashable {
  /// Files, folders and links.
  public var entries = 200_000
  /// Bytes of all files together, holes in them included. What is left out counts by itself, and so do entries.
  public var bytes: UInt64 = 4 << 30
  /// How many times larger than the archive all files together may be. It is not looked at below 16 MiB.
  public var ratio = 200
  /// Folders within folders.
  public var depth = 64
  /// Bytes of all names together.
  public var nameBytes = 64 << 20
  /// Bytes of memory that decompressing LZMA, xz or 7z may take for what came before: their dictionary. Zstandard has the
  /// same limit, which cannot be raised.
  public var dictionaryBytes: UInt64 = 128 << 20

  /// The usual limits.
  public init() {}

  /// Bytes below which no ratio is looked at.
  static let unsuspiciousBytes: UInt64 = 16 << 20

  /// No limits: for an archive that is not imported.
  static let none: ImportLimits = {
    var limits = ImportLimits()
    limits.entries = .max
    limits.bytes = .max
    limits.ratio = .max
    limits.depth = .max
    limits.nameBytes = .max
    limits.dictionaryBytes = .max
    return limits
  }()

  /// How long an archive that comes as a stream may be: what is taken and what is left out, and the headers of entries.
  var streamBytes: UInt64 {
    let headers = UInt64(entries).multipliedReportingOverflow(by: 8192)
    let files = bytes.multipliedReportingOverflow(by: 2)
    let (sum, overflow) = files.partialValue.addingReportingOverflow(headers.partialValue)
    return headers.overflow || files.overflow || overflow ? .max : sum
  }

  /// Whether files may hold so many bytes.
  func check(bytes count: UInt64, entry: [UInt8]?) throws {
    if count > bytes {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry, "it holds more than \(bytes) bytes", unless: .bytes)
    }
  }

  /// Whether so many bytes may come of so many.
  func check(ratioOf count: UInt64, to archiveBytes: UInt64, entry: [UInt8]? = nil) throws {
    if count > Self.unsuspiciousBytes, ratio != .max, count / UInt64(max(1, ratio)) > archiveBytes {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry, "it becomes more than \(ratio) times as large as it is",
        unless: .ratio)
    }
  }

  /// Whether decompressing may keep so many bytes of what came before.
  func check(dictionary count: UInt64, entry: [UInt8]? = nil) throws {
    if count > dictionaryBytes {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry,
        "decompressing it takes a dictionary of \(count) bytes, more than \(dictionaryBytes)",
        unless: .dictionaryBytes)
    }
  }
}
