import DurableIO
import FilePackages

/// The checks of an entry's name.
extension EntryChecker {
  func path(of entry: ArchiveEntry) throws -> PackagePath {
    let slash = UInt8(ascii: "/")
    guard !entry.name.isEmpty else { throw refusal(.unsafeName, entry, "it has no name") }
    // A folder `/` is the top of the archive, to every program.
    if entry.name == [slash] && entry.kind == .directory { return .root }
    guard entry.name.first != slash else { throw refusal(.unsafeName, entry, "its path is absolute") }
    var names: [FileName] = []
    var parts = entry.name.split(separator: slash, omittingEmptySubsequences: false)[...]
    if parts.last?.isEmpty == true {
      if entry.kind != .directory { throw refusal(.unsafeName, entry, "its name ends in a slash") }
      parts = parts.dropLast()
    }
    // A path that begins with a dot is relative on every system.
    if let first = parts.first, FileName(bytes: Array(first)).hasDriveLetter,
      !options.allowsDriveLetters && !isOwn
    {
      throw refusal(
        .unsafeName, entry, "its path is absolute on another system: it begins with a drive's letter",
        unless: .driveLetters)
    }
    // A folder may call itself `.`; programs differ in what a file of that name is.
    if entry.kind != .directory, parts.last?.elementsEqual([UInt8(ascii: ".")]) == true {
      throw refusal(.unsafeName, entry, "its name is that of a folder")
    }
    // `a//b` and `a/./b` are `a/b` to every program.
    for part in parts where !part.isEmpty && !part.elementsEqual([UInt8(ascii: ".")]) {
      try check(FileName(bytes: Array(part)), entry)
      names.append(FileName(bytes: Array(part)))
    }
    guard names.count <= min(options.limits.depth, PackagePath.maximumDepth) else {
      throw refusal(
        .limitExceeded, entry, "it is more than \(options.limits.depth) folders deep", unless: .depth)
    }
    return PackagePath(names)
  }

  private func check(_ name: FileName, _ entry: ArchiveEntry) throws {
    switch name.problem {
    case .dots: throw refusal(.unsafeName, entry, "its path leads out of the package")
    case .nul: throw refusal(.unsafeName, entry, "its name has a NUL character in it")
    case .tooLong: throw refusal(.unsafeName, entry, "a name is longer than \(FileName.maximumLength) bytes")
    case .empty, .slash: throw refusal(.unsafeName, entry, "a name is empty")
    case nil: break
    }
    if !options.allowsControlCharacters, Self.hasControlCharacters(name.bytes) {
      throw refusal(.unsafeName, entry, "its name has control characters in it", unless: .controlCharacters)
    }
  }

  static func hasControlCharacters(_ bytes: [UInt8]) -> Bool {
    bytes.contains { $0 < 0x20 || $0 == 0x7F }
      // U+0080 to U+009F in UTF-8, which some terminals obey.
      || zip(bytes, bytes.dropFirst()).contains { $0 == 0xC2 && (0x80...0x9F).contains($1) }
  }
}
