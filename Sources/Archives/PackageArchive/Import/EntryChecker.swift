import DurableIO
import FilePackages

// EC1 No path leads out of the package, whatever its names contain, and no path leads through anything but a folder.
// EC2 Each place belongs to one entry, even on a disk that does not tell upper from lower case.
// EC3 Only files, folders, links that stay within the package, and second names for earlier files pass.
// EC4 No entry passes beyond the limits.

/// A checker that decides for each entry of an archive whether it may become part of a package. It compares the
/// entry with the earlier entries that passed.
struct EntryChecker {
  let options: ImportOptions
  /// Whether a later entry replaces an earlier one of the same kind. Every program does so with a tar to which a file
  /// was appended twice.
  private let laterReplaces: Bool
  /// Whether the archive says that this library made it.
  let isOwn: Bool
  /// The entry at each place, under its folded path.
  private var places: [String: Place] = [:]
  private var nameBytes = 0
  /// The names at the top, two at most.
  private var tops: Set<FileName> = []
  private var hasFileAtTop = false
  /// The files at the top that editors and systems made for their own use.
  private(set) var temporaryFiles: Set<PackagePath> = []

  private struct Place {
    enum Kind: String {
      case file = "a file"
      case link = "a symbolic link"
      case folder = "a folder"
      /// A folder that has no entry yet, but appears in the path of one.
      case implied = "a folder that is named already"
    }

    var kind: Kind
    var path: PackagePath
  }

  /// The decision on an entry.
  enum Verdict: Equatable {
    case take(Taken)
    /// The top of the archive itself.
    case isTop
    /// An addition of macOS.
    case leaveOut(PackagePath)
    /// A hidden folder, or an entry in it; the report names the folder's path.
    case leaveOutHidden(PackagePath)
  }

  /// An entry that passed.
  struct Taken: Equatable {
    var path: PackagePath
    /// The file that a second name stands for, and that the import copies.
    var original: PackagePath?
    /// The number of places that the entry claims: its own, and those of folders above it that have no entry yet.
    var entries = 1
    /// Whether the entry replaces an earlier one of the same kind.
    var replaces = false
    /// Whether macOS may have added the entry for itself; its first bytes tell.
    var mayBeAppleDouble = false
  }

  init(_ options: ImportOptions, laterReplaces: Bool = false, isOwn: Bool = false) {
    (self.options, self.laterReplaces, self.isOwn) = (options, laterReplaces, isOwn)
  }

  /// Whether no entry stays.
  var isEmpty: Bool { tops.isEmpty && temporaryFiles.isEmpty }

  /// The folder around all entries; nil if there is none.
  var commonFolder: FileName? {
    tops.count == 1 && !hasFileAtTop ? tops.first : nil
  }

  // MARK: One entry

  /// Checks an entry's name, kind and place.
  ///
  /// - Throws: a finding that names the entry.
  mutating func check(_ entry: ArchiveEntry) throws -> Verdict {
    nameBytes += entry.name.count
    if case .link(let target) = entry.kind { nameBytes += target.count }
    // EC4
    guard nameBytes <= options.limits.nameBytes else {
      throw refusal(.limitExceeded, entry, "its names are longer than \(options.limits.nameBytes) bytes")
    }
    let path = try path(of: entry)
    if path.isRoot {
      guard entry.kind == .directory else { throw refusal(.unsafeName, entry, "it has no name") }
      return .isTop
    }
    if !options.includesAppleDouble && Self.isAppleDouble(path) { return .leaveOut(path) }
    if !options.includesHistory, let depth = path.names.firstIndex(where: Self.isHiddenName) {
      return .leaveOutHidden(PackagePath(Array(path.names[...depth])))
    }
    try checkKind(entry)
    var taken = Taken(path: path, original: try originalPath(of: entry))
    try claim(&taken, for: entry)
    taken.mayBeAppleDouble = !options.includesAppleDouble && entry.kind == .file && isNamedAppleDouble(path)
    // An entry that may be left out says nothing about the top yet.
    if !taken.mayBeAppleDouble { noteTop(path, entry) }
    return .take(taken)
  }

  func refusal(
    _ code: ArchiveError.Code, _ entry: ArchiveEntry, _ reason: String,
    unless allowance: ArchiveError.Allowance? = nil
  ) -> ArchiveError.Finding {
    ArchiveError.Finding(code, entry: entry.name, reason, unless: allowance)
  }

  // MARK: Left out

  /// Returns whether a name is one of this library's, even on a disk that does not tell upper from lower case.
  ///
  /// It is that of a hidden folder, or of a leftover beside a document.
  static func isHiddenName(_ name: FileName) -> Bool {
    guard name.bytes.first == UInt8(ascii: ".") else { return false }
    let folded = folded(name.string)
    return folded == hiddenName || folded.hasPrefix(siblingPrefix)
  }

  private static let hiddenName = folded(PackageLayout.hidden.string)
  private static let siblingPrefix = hiddenName + "-"

  /// Returns whether a path is in the folder that macOS adds for itself at the top.
  static func isAppleDouble(_ path: PackagePath) -> Bool { path.names.first == "__MACOSX" }

  private func isNamedAppleDouble(_ path: PackagePath) -> Bool {
    path.names[path.names.count - 1].bytes.starts(with: [0x2E, 0x5F])
  }

  /// The first bytes of a file that macOS adds for itself (RFC 1740).
  static let appleDoubleMagic: [UInt8] = [0, 5, 0x16, 7]

  /// Records the name at the top for an entry that stays. A temporary file there says nothing about the package.
  mutating func noteTop(_ path: PackagePath, _ entry: ArchiveEntry) {
    if path.names.count == 1, entry.kind == .file, TemporaryNames.contains(path.names[0]) {
      temporaryFiles.insert(path)
      return
    }
    if let top = path.names.first, tops.count < 2 { tops.insert(top) }
    if path.names.count == 1 && entry.kind != .directory { hasFileAtTop = true }
  }

  /// Frees the place of a file that was left out after all.
  mutating func forget(_ path: PackagePath) {
    places[key(of: path)] = nil
  }

  // MARK: Kinds

  /// Lets files, folders and links pass (EC3).
  private func checkKind(_ entry: ArchiveEntry) throws {
    switch entry.kind {
    case .directory, .file, .hardLink: break
    case .link(let target): try checkLink(target, entry)
    case .other(let words): throw refusal(.unsafeKind, entry, "it is \(words)")
    }
  }

  private func checkLink(_ target: [UInt8], _ entry: ArchiveEntry) throws {
    guard !target.isEmpty, !target.contains(0), target.count < 4096 else {
      throw refusal(.unsafeLink, entry, "it has no valid destination")
    }
    if !options.allowsControlCharacters, Self.hasControlCharacters(target) {
      throw refusal(
        .unsafeLink, entry, "its destination has control characters in it",
        unless: .controlCharacters)
    }
  }

  /// Returns whether a link at `path`, in a package, stays within it: first upward steps, not beyond the package,
  /// then downward steps. A later upward step could start from another link's destination.
  static func staysWithin(_ target: [UInt8], at path: PackagePath) -> Bool {
    guard target.first != UInt8(ascii: "/") else { return false }
    let dot = UInt8(ascii: ".")
    let steps = target.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([dot]) }
    let upwards = steps.prefix { $0.elementsEqual([dot, dot]) }
    return upwards.count < path.names.count
      && !steps.dropFirst(upwards.count).contains { $0.elementsEqual([dot, dot]) }
  }

  /// Checks that a link stays within the package at `top`.
  static func check(
    _ target: [UInt8], at path: PackagePath, in top: FileName?, of entry: ArchiveEntry,
    _ options: ImportOptions
  ) throws {
    let inner = PackagePath(Array(path.names.dropFirst(top == nil ? 0 : 1)))
    guard options.allowsLinksOutside || staysWithin(target, at: inner) else {
      throw ArchiveError.Finding(
        .unsafeLink, entry: entry.name,
        "it is a link that leads out of the package, to '\(FileName(bytes: target).display)'",
        unless: .outsideLinks)
    }
  }

  // MARK: Places

  /// Gives a place to an entry (EC2) beneath folders (EC1).
  private mutating func claim(_ taken: inout Taken, for entry: ArchiveEntry) throws {
    let path = taken.path
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
          throw refusal(
            .duplicateName, entry, "'\(place.path.display)' differs only in case or encoding",
            unless: .similarNames)
        }
      } else {
        places[key] = Place(kind: .implied, path: folder)
        taken.entries += 1
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
      let isNamedBefore = place.kind == .implied && kind == .folder
      let isAgain = laterReplaces && place.kind == kind && taken.original != path
      guard place.path == path, isNamedBefore || isAgain else {
        throw refusal(
          .duplicateName, entry,
          place.path == path
            ? "an entry with that name exists already"
            : "'\(place.path.display)' differs only in case or encoding",
          unless: place.path == path ? nil : .similarNames)
      }
      if isNamedBefore { taken.entries = 0 }
      taken.replaces = isAgain
    }
    places[key] = Place(kind: kind, path: path)
  }

  /// Returns the path as a disk may take it that ignores case and the way in which accents are written. Swift's
  /// strings are equal if only their accents are written in another way.
  private func key(of path: PackagePath) -> String {
    let string = path.string
    return options.allowsSimilarNames
      ? path.names.map(\.escapedString).joined(separator: "/") : Self.folded(string)
  }

  /// Returns the string without differences of case. Both steps are necessary, so that `ß` equals `SS`.
  static func folded(_ string: String) -> String {
    string.uppercased().lowercased()
  }

  /// Returns the file that a second name stands for, which must have passed before.
  private func originalPath(of entry: ArchiveEntry) throws -> PackagePath? {
    guard case .hardLink(let target) = entry.kind else { return nil }
    guard entry.size ?? 0 == 0 else {
      throw refusal(.unsafeLink, entry, "it is a hard link with bytes of its own")
    }
    var other = entry
    other.name = target
    other.kind = .file
    let path: PackagePath
    do {
      path = try self.path(of: other)
    } catch let finding as ArchiveError.Finding {
      throw refusal(.unsafeLink, entry, "the target of its hard link is not valid: \(finding.reason)")
    }
    guard let place = places[key(of: path)], place.kind == .file, place.path == path else {
      throw refusal(
        .unsafeLink, entry, "it is a hard link to an entry that is not before it in the archive")
    }
    return path
  }
}
