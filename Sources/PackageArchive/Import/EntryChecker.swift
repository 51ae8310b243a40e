import DurableIO
import FilePackages

// (1) No path leads out of the package, whatever is in its names, and none leads through anything but a folder.
// (2) Each place is given to one entry, also where a disk does not tell upper from lower case.
// (3) Only files, folders, links that stay within, and second names for earlier files are let through.
// (4) Nothing is let through beyond the limits.

/// Decides of each entry of an archive whether it may become part of a package, from what was let through before.
struct EntryChecker {
  let options: ImportOptions
  private let rules: Rules
  var isOwn: Bool { rules.isOwn }
  /// What stands at each place, under its folded path.
  private var places: [String: Place] = [:]
  private var nameBytes = 0
  /// The names at the top, up to two.
  private var tops: Set<FileName> = []
  private var hasFileAtTop = false

  /// What depends on the archive that the entries are of.
  struct Rules {
    /// Whether a later entry stands in the place of an earlier one of the same kind, as every program reads a tar to
    /// which one file was appended twice.
    var laterReplaces = false
    /// Whether the archive says that this library made it.
    var isOwn = false
  }

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
    case take(Taken)
    /// The top of the archive itself.
    case isTop
    /// What macOS adds for itself, or the hidden folder; under that path it is reported.
    case leaveOut(PackagePath)
  }

  /// An entry that is let through.
  struct Taken: Equatable {
    var path: PackagePath
    /// The file that it is a copy of, for a second name.
    var original: PackagePath?
    /// Whether it stands in the place of an earlier file.
    var replaces = false
    /// Whether macOS may have added it for itself, which its first bytes tell.
    var mayBeAppleDouble = false
    var share = EntryTally.Share.taken
  }

  init(_ options: ImportOptions, _ rules: Rules) {
    self.options = options
    self.rules = rules
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
    nameBytes += entry.name.count
    guard nameBytes <= options.limits.nameBytes else {
      throw refusal(.limitExceeded, entry, "its names are longer than \(options.limits.nameBytes) bytes")
    }
    let path = try path(of: entry)
    if path.isRoot {
      guard entry.kind == .directory else { throw refusal(.unsafeName, entry, "it has no name") }
      return .isTop
    }
    if !options.includesAppleDouble && Self.isAppleDouble(path) { return .leaveOut(path) }
    if !options.includesHistory && Self.isHiddenName(path.names[0]) {
      return .leaveOut(PackagePath([path.names[0]]))
    }
    try checkKind(entry)
    var taken = Taken(path: path, original: try originalPath(of: entry))
    taken.replaces = try claim(path, for: entry, isCopy: taken.original == path)
    taken.mayBeAppleDouble = !options.includesAppleDouble && entry.kind == .file && isNamedAppleDouble(path)
    // What may be left out says nothing of the top yet.
    if !taken.mayBeAppleDouble { noteTop(path, entry) }
    let top = tops.isEmpty && !hasFileAtTop ? path.names[0] : commonFolder
    if options.topFolder == .becomesPackage, Self.isHidden(path, in: top, options) {
      taken.share = .perhapsHidden
    }
    return .take(taken)
  }

  func refusal(
    _ code: ArchiveError.Code, _ entry: ArchiveEntry, _ reason: String,
    unless allowance: ArchiveError.Allowance? = nil
  ) -> ArchiveError.Finding {
    ArchiveError.Finding(code, entry: entry.name, reason, unless: allowance)
  }

  // MARK: Left out

  /// Whether a name is that of the hidden folder, also where a disk does not tell upper from lower case.
  static func isHiddenName(_ name: FileName) -> Bool {
    folded(name.string) == folded(PackageLayout.hidden.string)
  }

  /// Whether a path is the hidden folder of the package at `top`, or in it, and is to be left out.
  static func isHidden(_ path: PackagePath, in top: FileName?, _ options: ImportOptions) -> Bool {
    guard !options.includesHistory, let top, path.names.count > 1 else { return false }
    return path.names[0] == top && isHiddenName(path.names[1])
  }

  /// The folder that macOS adds for itself, at the top.
  static func isAppleDouble(_ path: PackagePath) -> Bool { path.names.first == "__MACOSX" }

  private func isNamedAppleDouble(_ path: PackagePath) -> Bool {
    path.names[path.names.count - 1].bytes.starts(with: [0x2E, 0x5F])
  }

  /// The first bytes of what macOS adds for itself (RFC 1740).
  static let appleDoubleMagic: [UInt8] = [0, 5, 0x16, 7]

  /// Keeps in mind what stands at the top, once it is known to stay.
  mutating func noteTop(_ path: PackagePath, _ entry: ArchiveEntry) {
    if let top = path.names.first, tops.count < 2 { tops.insert(top) }
    if path.names.count == 1 && entry.kind != .directory { hasFileAtTop = true }
  }

  /// Gives a place back whose file was left out after all.
  mutating func forget(_ path: PackagePath) {
    places[key(of: path)] = nil
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
      throw refusal(
        .unsafeLink, entry, "its destination has control characters in it",
        unless: .controlCharacters)
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
        "it is a link that leads out of the package, to '\(FileName(bytes: target).display)'",
        unless: .outsideLinks)
    }
  }

  // MARK: Places

  /// Gives a place to an entry.
  ///
  /// - Parameter isCopy: whether it is a second name for what is at that place.
  /// - Returns: whether it stands in the place of an earlier file.
  private mutating func claim(_ path: PackagePath, for entry: ArchiveEntry, isCopy: Bool) throws -> Bool {
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
            .duplicateName, entry, "'\(place.path.display)' differs only in how it is written",
            unless: .similarNames)
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
    var replaces = false
    if let place = places[key] {
      let isNamedBefore = place.kind == .implied && kind == .folder
      let isAgain = rules.laterReplaces && place.kind == kind && !isCopy
      guard place.path == path, isNamedBefore || isAgain else {
        throw refusal(
          .duplicateName, entry,
          place.path == path
            ? "there is an entry of that name already"
            : "'\(place.path.display)' differs only in how it is written",
          unless: place.path == path ? nil : .similarNames)
      }
      replaces = kind == .file
    }
    places[key] = Place(kind: kind, path: path)
    return replaces
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
}
