import DurableIO
import FilePackages

/// A walk through the nodes of a snapshot, each folder before its children, names in byte order. The entries and
/// their order are the same each time, on every file system.
///
/// Memory: the listings of one folder and of those above it.
struct SnapshotWalk {
  let snapshot: PackageSnapshot
  let options: ExportOptions
  /// The name of the folder around all entries; empty if there is none.
  let top: [FileName]
  /// The date for nodes without one.
  private let now = FileTime.now
  private let uniform: FileTime?
  private let folders: CopiedFolders
  private(set) var leftOut: [PackagePath] = []
  /// Files with a set-user-ID or set-group-ID bit, which no archive gets.
  private(set) var privileged: [PackagePath] = []

  private let format: ArchiveFormat
  /// Whether a media type is the first entry.
  private var isContainer = false

  /// - Parameter name: the folder's name if the package has none.
  init(
    _ snapshot: PackageSnapshot, _ options: ExportOptions, _ format: ArchiveFormat,
    fallbackName name: FileName?
  ) {
    self.snapshot = snapshot
    self.options = options
    self.format = format
    uniform = options.uniformDate.map { FileTime($0) }
    folders = CopiedFolders(includesHistory: options.includesHistory)
    switch options.topFolder {
    case .none: top = []
    case .named(let name): top = [FileName(name)]
    case .package: top = (snapshot.root.filename ?? name).map { [$0] } ?? []
    }
  }

  /// Calls `body` with each entry.
  ///
  /// - Throws: a `FilePackageError` for a child that cannot be read, an `ArchiveError.Finding` for an invalid name;
  ///   the errors of `body`.
  mutating func forEach(_ body: (ExportEntry) throws -> Void) throws {
    guard case .directory = snapshot.root.content else {
      throw ArchiveError.Finding(
        .unsupported, "the exported item is not a package, which is a directory")
    }
    for name in top { try check(name) }
    if !top.isEmpty { try body(entry(snapshot.root, at: .root, content: .directory)) }
    try visit(snapshot.root, at: .root, body)
    leftOut += folders.leftOut
  }

  private mutating func visit(
    _ node: PackageSnapshot.Node, at path: PackagePath, _ body: (ExportEntry) throws -> Void
  ) throws {
    let node = try folders.enter(node, at: path)
    note(unsupportedOf: node.listing, at: path)
    var children = try node.children(at: path, looking: true)
    if path.isRoot {
      // The comment of a zip says that it is flat; other formats need an entry for the top.
      if top.isEmpty && format != .zip && Self.isMistakable(children) {
        try body(entry(snapshot.root, at: .root, content: .directory))
      }
      if let place = children.firstIndex(where: isMimetype) {
        isContainer = true
        children.insert(children.remove(at: place), at: 0)
      }
    }
    for (name, child) in children {
      let place = path.appending(name)
      try visit(child: child, at: place, body)
    }
  }

  /// Returns whether a reader would take the only folder at the top for the package. An entry for the top prevents
  /// that.
  private static func isMistakable(_ children: [(name: FileName, node: PackageSnapshot.Node)]) -> Bool {
    let counted = children.filter { !EntryChecker.isAppleDouble(PackagePath([$0.name])) }
    return counted.count == 1 && counted[0].node.kind == .directory
  }

  /// Returns whether the child is the media type of a flat zip, as in OCF (EPUB) and OpenDocument.
  private func isMimetype(_ child: (name: FileName, node: PackageSnapshot.Node)) -> Bool {
    guard top.isEmpty, format == .zip, options.passphrase == nil, child.name == "mimetype",
      case .file(let contents) = child.node.content
    else { return false }
    return contents.size.map { (1...255).contains($0) } ?? false
  }

  private mutating func visit(
    child: PackageSnapshot.Node, at path: PackagePath, _ body: (ExportEntry) throws -> Void
  ) throws {
    if let name = path.name { try check(name) }
    try checkSize(of: child, at: path)
    switch child.content {
    case .file(let contents):
      var file = entry(child, at: path, content: .file(contents))
      file.isMimetype = isContainer && path.names == ["mimetype"]
      try body(file)
    case .link:
      try body(entry(child, at: path, content: .link(try child.destination())))
    case .directory:
      // Programs that make such documents write no entries for folders that have children.
      if try !isContainer || child.children(at: path, looking: false).isEmpty {
        try body(entry(child, at: path, content: .directory))
      }
      try visit(child, at: path, body)
    }
  }

  private mutating func note(unsupportedOf listing: DirectoryListing?, at path: PackagePath) {
    guard let listing else { return }
    for position in 0..<listing.count where !listing.kind(at: position).isSupported {
      leftOut.append(path.appending(listing.name(at: position)))
    }
  }

  // MARK: Entries

  private mutating func entry(
    _ node: PackageSnapshot.Node, at path: PackagePath, content: ExportEntry.Content
  ) -> ExportEntry {
    if case .file = content, node.attributes.mode & 0o6000 != 0 { privileged.append(path) }
    var mode = node.attributes.mode & 0o777
    if case .link = content {
      mode = 0o777
    } else if uniform != nil || !node.attributes.modeIsExact {
      let isExecutable = if case .directory = content { true } else { mode & 0o100 != 0 && uniform != nil }
      mode = isExecutable ? 0o755 : 0o644
    }
    return ExportEntry(
      path: top + path.names, content: content, mode: mode,
      modified: uniform ?? node.attributes.modified ?? now, attributed: uniform == nil ? node.stored : nil)
  }

  /// Refuses a file of a hidden folder that no reader accepts, so that it has no place in an archive either.
  private func checkSize(of child: PackageSnapshot.Node, at path: PackagePath) throws {
    guard let name = path.name, name == PackageLayout.log, path.parent.name == PackageLayout.hidden,
      case .file(let contents) = child.content, let size = contents.size,
      size > UInt64(PackageLayout.maximumLogSize)
    else { return }
    throw ArchiveError.Finding(
      .damaged, entry: name.bytes, "it is larger than a \(name.display) of a document can be")
  }

  private func check(_ name: FileName) throws {
    guard name.problem != nil else { return }
    throw ArchiveError.Finding(.unsafeName, entry: name.bytes, "a file cannot have that name")
  }
}
