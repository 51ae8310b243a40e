/// What an import takes, and what it refuses.
public struct ImportOptions: Sendable {
  /// The format; nil recognises a zip, or a tar with at most one of gzip, bzip2, xz, Zstandard and LZ4, by its first
  /// bytes. Other formats are read only when they are named.
  public var format: ArchiveFormat?
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
  /// Bytes of all files together, holes in them included.
  public var bytes: UInt64 = 4 << 30
  /// How many times larger than the archive all files together may be. It is not looked at below 16 MiB.
  public var ratio = 200
  /// Folders within folders.
  public var depth = 64
  /// Bytes of all names together.
  public var nameBytes = 64 << 20

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
    return limits
  }()

  /// Whether files may hold so many bytes, of so many bytes of an archive.
  func check(bytes count: UInt64, from archiveBytes: UInt64, entry: [UInt8]?) throws {
    if count > bytes {
      throw ArchiveError.Finding(.limitExceeded, entry: entry, "it holds more than \(bytes) bytes")
    }
    try check(ratioOf: count, to: archiveBytes, entry: entry)
  }

  /// Whether so many bytes may come of so many.
  func check(ratioOf count: UInt64, to archiveBytes: UInt64, entry: [UInt8]? = nil) throws {
    if count > Self.unsuspiciousBytes, ratio != .max, count / UInt64(max(1, ratio)) > archiveBytes {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry, "it becomes more than \(ratio) times as large as it is")
    }
  }
}
