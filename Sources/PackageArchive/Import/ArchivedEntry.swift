import DurableIO
import FilePackages
public import FoundationEssentials
public import SystemPackage

/// One entry of an archive as the archive has it, before anything is checked.
public struct ArchivedEntry: Sendable, Hashable {
  /// What the entry is.
  public enum Kind: String, Sendable, Codable {
    case file, directory, link, other
    /// A second name for an earlier entry.
    case hardLink
  }

  /// The path, as a string from which its bytes can be had again.
  public var path: String
  /// The path for people: what is not UTF-8, and control characters, as `\xNN`.
  public var displayPath: String { displayString(path) }
  /// What it is.
  public var kind: Kind
  /// Bytes of a file, nil where the archive does not say.
  public var size: UInt64?
  /// The modification date.
  public var modified: Date?
  /// What a link leads to.
  public var target: String?
  /// Whether its bytes need a passphrase.
  public var isEncrypted: Bool

  /// Calls `body` with each entry of an archive, and writes nothing. A zip's directory is read, and of its files
  /// nothing; any other archive is read to its end. Formats are recognised as by an import.
  ///
  /// - Throws: an `ArchiveError` for what is damaged; what `body` throws.
  /// - Returns: the format.
  @discardableResult
  public static func forEach(
    inArchiveAt url: URL, options: ImportOptions = ImportOptions(),
    _ body: @escaping @Sendable (ArchivedEntry) throws -> Void
  ) async throws -> ArchiveFormat {
    let path = try FilePath(of: url, for: .open)
    return try await blocking { cancellation in
      try ArchiveError.during(.list, of: FileName(path).string) {
        try list(ArchiveInput(at: path, cancellation), options, body)
      }
    }
  }

  /// The same of an archive that comes from a descriptor, such as standard input.
  @discardableResult
  public static func forEach(
    inArchiveFrom descriptor: FileDescriptor, options: ImportOptions = ImportOptions(),
    _ body: @escaping @Sendable (ArchivedEntry) throws -> Void
  ) async throws -> ArchiveFormat {
    try await blocking { cancellation in
      try ArchiveError.during(.list, of: nil) {
        try list(ArchiveInput(descriptor, cancellation), options, body)
      }
    }
  }

  private static func list(
    _ input: ArchiveInput, _ options: ImportOptions, _ body: (ArchivedEntry) throws -> Void
  ) throws -> ArchiveFormat {
    let format = try options.format ?? ArchiveFormat(recognizing: input.peek(ArchiveFormat.recognitionSize))
    let decoder = try options.charset.map { try NameDecoder($0) }
    func give(_ entry: ArchiveEntry) throws {
      var entry = entry
      try decoder?.decode(&entry)
      try body(ArchivedEntry(entry))
    }
    try withUTF8Locale {
      if format == .zip {
        let file = try input.seekable(limit: options.limits.bytes)
        for entry in try ZipScan(of: file, limits: options.limits).entries {
          var listed = ArchiveEntry(entry)
          if case .link = listed.kind, entry.method == ZipFormat.stored, !entry.isEncrypted, entry.size < 4096
          {
            listed.kind = .link(try file.bytes(at: entry.dataOffset, count: Int(entry.size)))
          }
          try give(listed)
        }
      } else {
        let isSomewhere = format == .sevenZip || format == .iso9660
        let file = isSomewhere ? try input.seekable(limit: options.limits.bytes) : input
        let source = try ImportRun.source(format, file, options)
        while let entry = try source.next() { try give(entry) }
      }
    }
    return format
  }

  private init(_ entry: ArchiveEntry) {
    path = FileName(bytes: entry.name).string
    modified = entry.modified?.date
    isEncrypted = entry.isEncrypted
    switch entry.kind {
    case .file:
      kind = .file
      size = entry.size
    case .directory: kind = .directory
    case .link(let target):
      kind = .link
      self.target = target.isEmpty ? nil : FileName(bytes: target).string
    case .hardLink(let target):
      kind = .hardLink
      self.target = FileName(bytes: target).string
    case .other: kind = .other
    }
  }
}
