import DurableIO
import FilePackages

// (1) No path leads out of the package, whatever is in its names, and none leads through anything but a folder.
// (2) Each place is given to one entry, also where a disk does not tell upper from lower case.
// (3) Only files, folders, links that stay within, and second names for earlier files are let through.
// (4) Nothing is let through beyond the limits.

/// Decides of each entry of an archive whether it may become part of a package, from what was let through before.
struct EntryChecker {
  private let options: ImportOptions
  /// What stands at each place, under its folded path.
  private var places: [String: Place] = [:]
  private var nameBytes = 0
  private(set) var count = 0
  private(set) var bytes: UInt64 = 0
  /// The names at the top, up to two.
  private var tops: Set<FileName> = []
  private var hasFileAtTop = false

  private struct Place {
    enum Kind: String {
      case file = "a file"
      case link = "a symbolic link"
      case folder = "a folder"
      /// A folder that was only named on the way to what is in it.
      case implied = "a folder that is named already"
    }

    var kind: Kind
    var path: PackagePath
  }

  /// What is to become of an entry.
  enum Verdict: Equatable {
    case take(PackagePath)
    /// A second name for a file that was let through before: a copy of it.
    case copy(PackagePath, of: PackagePath)
    /// The top of the archive itself.
    case isTop
    /// What macOS adds for itself.
    case leaveOut
  }

  init(_ options: ImportOptions) {
    self.options = options
  }

  /// The folder that everything is in, where there is one.
  var commonFolder: FileName? {
    tops.count == 1 && !hasFileAtTop ? tops.first : nil
  }

  // MARK: One entry

  /// Checks an entry's name, kind and place.
  ///
  /// - Throws: a finding that names the entry.
  mutating func check(_ entry: ArchiveEntry) throws -> Verdict {
    count += 1
    guard count <= options.limits.entries else {
      throw refusal(.limitExceeded, entry, "it has more than \(options.limits.entries) entries")
    }
    nameBytes += entry.name.count
    guard nameBytes <= options.limits.nameBytes else {
      throw refusal(.limitExceeded, entry, "its names are longer than \(options.limits.nameBytes) bytes")
    }
    let path = try path(of: entry)
    if path.isRoot {
      guard entry.kind == .directory else { throw refusal(.unsafeName, entry, "it has no name") }
      return .isTop
    }
    if !options.includesAppleDouble && Self.isAppleDouble(path) { return .leaveOut }
    try checkKind(entry)
    let original = try originalPath(of: entry)
    try claim(path, for: entry)
    return original.map { .copy(path, of: $0) } ?? .take(path)
  }

  private func refusal(
    _ code: ArchiveError.Code, _ entry: ArchiveEntry, _ reason: String
  ) -> ArchiveError.Finding {
    ArchiveError.Finding(code, entry: entry.name, reason)
  }

  // MARK: Names

  private func path(of entry: ArchiveEntry) throws -> PackagePath {
    let slash = UInt8(ascii: "/")
    guard !entry.name.isEmpty else { throw refusal(.unsafeName, entry, "it has no name") }
    guard entry.name.first != slash else { throw refusal(.unsafeName, entry, "its path is absolute") }
    var names: [FileName] = []
    var parts = entry.name.split(separator: slash, omittingEmptySubsequences: false)[...]
    if parts.last?.isEmpty == true {
      if entry.kind != .directory { throw refusal(.unsafeName, entry, "its name ends like a folder's") }
      parts = parts.dropLast()
    }
    // What begins with a dot is relative everywhere.
    if let first = parts.first, FileName(bytes: Array(first)).hasDriveLetter {
      throw refusal(.unsafeName, entry, "its path is absolute")
    }
    for part in parts where !part.elementsEqual([UInt8(ascii: ".")]) {
      try check(FileName(bytes: Array(part)), entry)
      names.append(FileName(bytes: Array(part)))
    }
    guard names.count <= min(options.limits.depth, PackageSnapshot.maximumDepth) else {
      throw refusal(.limitExceeded, entry, "it is more than \(options.limits.depth) folders deep")
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
      throw refusal(.unsafeName, entry, "its name has control characters in it")
    }
  }

  static func hasControlCharacters(_ bytes: [UInt8]) -> Bool {
    bytes.contains { $0 < 0x20 || $0 == 0x7F }
  }

  /// Whether a name is that of the hidden folder, however it is written.
  static func isHiddenName(_ name: FileName) -> Bool {
    folded(name.string) == folded(PackageLayout.hidden.string)
  }

  /// `__MACOSX` at the top, and `._NAME` beside NAME.
  static func isAppleDouble(_ path: PackagePath) -> Bool {
    path.names.first == "__MACOSX" || path.names.contains { $0.bytes.starts(with: [0x2E, 0x5F]) }
  }

  // MARK: Kinds

  private func checkKind(_ entry: ArchiveEntry) throws {
    switch entry.kind {
    case .directory, .file, .hardLink: break
    case .link(let target): try checkLink(target, entry)
    case .other(let words): throw refusal(.unsafeKind, entry, "it is \(words)")
    }
  }

  private func checkLink(_ target: [UInt8], _ entry: ArchiveEntry) throws {
    guard !target.isEmpty, !target.contains(0), target.count < 4096 else {
      throw refusal(.unsafeLink, entry, "its destination is none")
    }
    if !options.allowsControlCharacters, Self.hasControlCharacters(target) {
      throw refusal(.unsafeLink, entry, "its destination has control characters in it")
    }
  }

  /// Whether a link at `path`, in a package, stays within it: upwards first, not beyond the package, then downwards.
  /// An upward step later on could start from where another link leads.
  static func staysWithin(_ target: [UInt8], at path: PackagePath) -> Bool {
    guard target.first != UInt8(ascii: "/") else { return false }
    let dot = UInt8(ascii: ".")
    let steps = target.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([dot]) }
    let upwards = steps.prefix { $0.elementsEqual([dot, dot]) }
    return upwards.count < path.names.count
      && !steps.dropFirst(upwards.count).contains { $0.elementsEqual([dot, dot]) }
  }

  /// Sees that a link stays within the package that is at `top`.
  static func check(
    _ target: [UInt8], at path: PackagePath, in top: FileName?, of entry: ArchiveEntry,
    _ options: ImportOptions
  ) throws {
    let inner = PackagePath(Array(path.names.dropFirst(top == nil ? 0 : 1)))
    guard options.allowsLinksOutside || staysWithin(target, at: inner) else {
      throw ArchiveError.Finding(
        .unsafeLink, entry: entry.name,
        "it is a link that leads out of the package, to '\(FileName(bytes: target).display)'")
    }
  }

  // MARK: Places

  private mutating func claim(_ path: PackagePath, for entry: ArchiveEntry) throws {
    for depth in 1..<path.names.count {
      let folder = PackagePath(Array(path.names[..<depth]))
      let key = key(of: folder)
      if let place = places[key] {
        guard place.kind == .folder || place.kind == .implied else {
          throw refusal(
            .unsafeLink, entry, "it would be beneath '\(place.path.display)', which is \(place.kind.rawValue)"
          )
        }
        guard place.path == folder else {
          throw refusal(.duplicateName, entry, "'\(place.path.display)' differs only in how it is written")
        }
      } else {
        places[key] = Place(kind: .implied, path: folder)
      }
    }
    let kind: Place.Kind =
      switch entry.kind {
      case .directory: .folder
      case .link: .link
      default: .file
      }
    let key = key(of: path)
    if let place = places[key] {
      let isAgain = place.path == path && place.kind == .implied && kind == .folder
      guard isAgain else {
        throw refusal(
          .duplicateName, entry,
          place.path == path
            ? "there is an entry of that name already"
            : "'\(place.path.display)' differs only in how it is written")
      }
    }
    places[key] = Place(kind: kind, path: path)
    if let top = path.names.first, tops.count < 2 { tops.insert(top) }
    if path.names.count == 1 && kind != .folder { hasFileAtTop = true }
  }

  /// The path as a disk may take it that does not tell upper from lower case, nor two ways to write an accent: Swift's
  /// strings are equal where only that differs.
  private func key(of path: PackagePath) -> String {
    let string = path.string
    return options.allowsSimilarNames
      ? path.names.map(\.escapedString).joined(separator: "/") : Self.folded(string)
  }

  /// Both steps, so that `ß` is what `SS` is.
  static func folded(_ string: String) -> String {
    string.uppercased().lowercased()
  }

  /// What a second name is for: a file that was let through before.
  private func originalPath(of entry: ArchiveEntry) throws -> PackagePath? {
    guard case .hardLink(let target) = entry.kind else { return nil }
    guard entry.size ?? 0 == 0 else {
      throw refusal(.unsafeLink, entry, "it is a second name with bytes of its own")
    }
    var other = entry
    other.name = target
    other.kind = .file
    let path: PackagePath
    do {
      path = try self.path(of: other)
    } catch let finding as ArchiveError.Finding {
      throw refusal(.unsafeLink, entry, "it is a second name for something else: \(finding.reason)")
    }
    guard let place = places[key(of: path)], place.kind == .file, place.path == path else {
      throw refusal(
        .unsafeLink, entry, "it is a second name for something that is not in the archive before it")
    }
    return path
  }

  // MARK: Bytes

  /// Counts the bytes of files, before they are written.
  mutating func add(bytes count: UInt64, of entry: ArchiveEntry, archiveBytes: UInt64) throws {
    let (sum, overflow) = bytes.addingReportingOverflow(count)
    bytes = overflow ? .max : sum
    try options.limits.check(bytes: bytes, from: archiveBytes, entry: entry.name)
  }
}

extension FileName {
  /// Whether a path that begins with this name is absolute on Windows, as `C:/x` and `C:x` are.
  var hasDriveLetter: Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return bytes.count >= 2 && bytes[1] == UInt8(ascii: ":") && letters.contains(bytes[0] | 0x20)
  }
}
