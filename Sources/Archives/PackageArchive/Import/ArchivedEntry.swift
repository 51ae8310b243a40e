import DurableIO
import FilePackages
public import FoundationEssentials
public import SystemPackage

/// One entry of an archive, with its values in the archive, before any check.
public struct ArchivedEntry: Sendable, Hashable {
  /// The kind of an entry.
  public enum Kind: String, Sendable, Codable {
    case file, directory, link, other
    /// A second name for an earlier entry.
    case hardLink
  }

  /// The path, as a string that holds its exact bytes.
  public var path: String
  /// The path for people, with `\xNN` for control characters and for bytes that are not UTF-8.
  public var displayPath: String { displayString(path) }
  /// The kind of the entry.
  public var kind: Kind
  /// The size of a file in bytes; nil if the archive does not record it.
  public var size: UInt64?
  /// The modification date.
  public var modificationDate: Date?
  /// The destination of a link.
  public var linkDestination: String?
  /// Whether the entry's bytes need a passphrase.
  public var isEncrypted: Bool

  /// Calls `body` with each entry of an archive, and writes nothing. It recognises formats as an import does.
  ///
  /// It reads only the directory and the links of a zip, but any other archive to its end.
  ///
  /// - Throws: an `ArchiveError` for damage; the errors of `body`.
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

  /// Calls `body` with each entry of an archive from a descriptor, such as standard input.
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
        let source = try ImportRun.source(format, input, options)
        while let entry = try source.next() { try give(entry) }
      }
    }
    return format
  }

  private init(_ entry: ArchiveEntry) {
    path = FileName(bytes: entry.name).string
    modificationDate = entry.modified?.date
    isEncrypted = entry.isEncrypted
    switch entry.kind {
    case .file:
      kind = .file
      size = entry.size
    case .directory: kind = .directory
    case .link(let target):
      kind = .link
      linkDestination = target.isEmpty ? nil : FileName(bytes: target).string
    case .hardLink(let target):
      kind = .hardLink
      linkDestination = FileName(bytes: target).string
    case .other: kind = .other
    }
  }
}

extension ArchivedEntry: CustomStringConvertible {
  /// One line, such as `Images/`, `Latest -> Images/1.png` or `Text.txt (encrypted)`.
  public var description: String {
    let words =
      switch kind {
      case .file: displayPath
      case .directory: displayPath + (displayPath.hasSuffix("/") ? "" : "/")
      case .link: displayPath + " -> " + displayString(linkDestination ?? "")
      case .hardLink: displayPath + " (the same as \(displayString(linkDestination ?? "")))"
      case .other: displayPath + " (neither file, folder nor link)"
      }
    return isEncrypted ? words + " (encrypted)" : words
  }
}
