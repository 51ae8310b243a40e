package import DurableIO
package import FilePackages
package import FoundationEssentials
package import SystemPackage

// A file counts as unchanged only if its status is the one that it had with the known content. Otherwise its bytes
// decide. The state notes a status only if nothing changed the file in the two seconds before the look. So no later
// change can have the same status.

/// The content of a document on this machine, compared with the content that was here.
///
/// The container has the children of a package, without the library's hidden folder. Of `Metadata.plist` it has the
/// application's values alone: the other values differ on each machine. A flat file is one entry of a fixed name.
///
/// A look costs one call of the system for each file, and memory for what differs.
package struct LocalTree: Sendable {
  /// The place of a flat file's content in its tree.
  package static let flatFile: PackagePath = "Content"
  private static let metadata = PackagePath([PackageLayout.metadata])
  private static let storeFolder = PackagePath([PackageLayout.storeFolder])

  /// The content that was here.
  let known: KnownChildren
  /// The entries that are new or that have another content, in order. A file whose content is new has no pieces yet.
  private(set) var changed: [KnownChild] = []
  /// The entries that are the known ones, of files with another status.
  private(set) var noted: [KnownChild] = []
  /// The known entries that are gone.
  private(set) var gone: [KnownChild] = []
  /// The number of entries.
  private(set) var count = 0
  /// The files of which the container may not have the bytes, with their statuses.
  private(set) var newFiles: [PackagePath: FileIdentity] = [:]
  /// The application's values in `Metadata.plist`, as the container has them, if they are new.
  private(set) var newMetadata: Data?
  /// Whether a program is in the middle of a save, or one was, or a database's last edits are in its log alone.
  private(set) var hasUnpublishedSave = false
  /// Whether the package has conflict versions.
  private(set) var hasConflicts = false

  /// The coarsest dates of files, on FAT file systems, in seconds.
  private static let coarsestDate: Int64 = 2

  /// The known content, without a look.
  init(unchanged known: KnownChildren, hasConflicts: Bool) {
    (self.known, count) = (known, known.count)
    self.hasConflicts = hasConflicts
  }

  /// Looks at a document; reads the files that may have changed.
  ///
  /// - Parameters:
  ///   - known: the entries of the content that was here.
  ///   - time: a time before the look by the clock that dates the files; nil for this machine's clock.
  /// - Throws: the system's error.
  package init(
    at path: FilePath, isPackage: Bool, known: KnownChildren, time: FileTime? = nil,
    on disk: any Disk = PosixDisk()
  ) throws(SystemError) {
    self.known = known
    let now = time ?? Environment.current.now()
    let settled = FileTime(seconds: now.seconds - Self.coarsestDate, nanoseconds: now.nanoseconds)
    var look = Look(disk: disk, settled: settled, next: known.start)
    if isPackage {
      try scan(disk.openDirectory(at: path), .root, &look)
    } else {
      guard let name = path.lastComponent.map(FileName.init) else { return }
      let folder = try disk.openDirectory(at: path.removingLastComponent())
      look.path = Self.flatFile.bytes
      try addFile(named: name, in: folder, at: nil, &look)
    }
    pass(to: nil, &look)
  }

  // MARK: Looking

  /// One look, in the order of the known entries.
  private struct Look {
    let disk: any Disk
    /// The time before which a file's date tells it from each later state.
    let settled: FileTime
    /// The place in the known entries.
    var next: KnownChildren.Cursor
    /// The bytes of the path of the node that is looked at.
    var path: [UInt8] = []
  }

  private mutating func scan(
    _ folder: borrowing OwnedDescriptor, _ path: PackagePath, _ look: inout Look
  ) throws(SystemError) {
    guard path.names.count <= PackagePath.maximumDepth else {
      throw SystemError("openat", path.name, code: Errno(rawValue: 36))
    }
    let listing = try look.disk.list(folder)
    let prefix = look.path.count
    for position in listing.sortedPositions() {
      let name = listing.name(at: position)
      if path.isRoot, name == PackageLayout.hidden {
        let hidden = try look.disk.openDirectory(name, in: folder)
        hasUnpublishedSave = try !SaveLog.isClean(in: hidden, on: look.disk)
        hasConflicts = try look.disk.exists(PackageLayout.conflicts, in: hidden)
        continue
      }
      if name.bytes.starts(with: PackageLayout.siblingPrefix) { continue }
      if path == Self.storeFolder, let log = try DatabaseLog(name, in: folder, on: look.disk) {
        if log.hasTransactions { hasUnpublishedSave = true }
        continue
      }
      look.path += name.bytes
      switch listing.kind(at: position) {
      case .file: try addFile(named: name, in: folder, at: path, &look)
      case .directory:
        let directory = try look.disk.openDirectory(name, in: folder)
        let child = path.appending(name)
        add(TreeEntry(child, .directory, mode: try look.disk.status(of: directory).mode), nil, &look)
        look.path.append(UInt8(ascii: "/"))
        try scan(directory, child, &look)
        look.path.removeLast()
      case .symbolicLink:
        let destination = try look.disk.destination(of: name, in: folder)
        add(TreeEntry(path.appending(name), .link(destination), mode: 0o777), nil, &look)
      // The library leaves other kinds alone.
      default: break
      }
      look.path.removeLast(look.path.count - prefix)
    }
  }

  /// Looks at a file.
  ///
  /// - Parameter parent: the folder's path in the package; nil if the document is this file.
  private mutating func addFile(
    named name: FileName, in folder: borrowing OwnedDescriptor, at parent: PackagePath?, _ look: inout Look
  ) throws(SystemError) {
    // One call for each file that did not change.
    if pass(to: look.path, &look), let status = try look.disk.statusIfPresent(of: name, in: folder),
      look.next.isFile(with: status.identity)
    {
      look.next.advance()
      count += 1
      return
    }
    let path = parent.map { $0.appending(name) } ?? Self.flatFile
    let file = try look.disk.openFile(name, in: folder)
    let status = try look.disk.status(of: file)
    let isSettled = status.identity.changed < look.settled && status.identity.modified < look.settled
    let identity = isSettled ? status.identity : nil
    if path == Self.metadata {
      let bytes = try look.disk.readAll(file, atMost: PackageMetadata.maximumSize + 1)
      if let values = Self.sharedValues(Data(bytes)) {
        let hash = values.withUnsafeBytes { ContentHash(of: $0) }
        let content = FileContent(
          size: UInt64(values.count), hash: hash, modified: FileTime(seconds: 0, nanoseconds: 0))
        // All machines have the same entry, whatever the file's mode is here.
        if add(TreeEntry(path, .file(content), mode: 0o644), identity, &look) { newMetadata = values }
        return
      }
    }
    let content = FileContent(
      size: status.size, hash: try look.disk.contentHash(of: file), modified: status.modified)
    if add(TreeEntry(path, .file(content), mode: status.mode), identity, &look) {
      newFiles[path] = status.identity
    }
  }

  /// Notes the known entries before a path, or all that are left, as gone; returns whether the path is the next one.
  @discardableResult
  private mutating func pass(to path: [UInt8]?, _ look: inout Look) -> Bool {
    while !look.next.isAtEnd {
      let order = path.map { look.next.compare(with: $0) } ?? -1
      if order >= 0 { return order == 0 }
      gone.append(look.next.child)
      look.next.advance()
    }
    return false
  }

  /// Notes the entry at the look's path. Returns whether its content is new.
  @discardableResult
  private mutating func add(_ entry: TreeEntry, _ identity: FileIdentity?, _ look: inout Look) -> Bool {
    count += 1
    guard pass(to: look.path, &look) else {
      changed.append(KnownChild(entry, identity))
      return true
    }
    let known = look.next.child
    look.next.advance()
    guard known.entry.hasSameContent(as: entry) else {
      changed.append(KnownChild(entry, identity))
      return true
    }
    if known.identity != identity { noted.append(KnownChild(known.entry, identity)) }
    return false
  }

  /// Returns the values of a package's metadata that all machines share; nil if the plist is another program's.
  package static func sharedValues(_ plist: Data) -> Data? {
    // A plist that this version cannot read is a file like any other.
    guard let metadata = try? PackageMetadata(decoding: plist) else { return nil }
    return try? metadata.encodedApplicationValues()  // Values without a form make it such a file.
  }

  // MARK: Comparing

  /// Whether the content is the known one.
  package var isUnchanged: Bool { changed.isEmpty && gone.isEmpty }

  /// Whether the known statuses of files are those of now.
  var hasKnownStatuses: Bool { noted.isEmpty }

  /// The known entries, with the statuses of now.
  var childrenWithStatuses: KnownChildren { known.updated(noted.map { KnownChildren.Change($0) }) }

  /// Returns the look with other bytes of files in a folder as the known content; nil if anything else changed.
  func accepting(_ folder: PackagePath) -> LocalTree? {
    guard gone.isEmpty, changed.allSatisfy({ $0.entry.path.isWithin(folder) }) else { return nil }
    var tree = self
    for child in changed {
      guard let old = known[child.entry.path] else { return nil }
      tree.noted.append(KnownChild(old.entry, child.identity))
      tree.newFiles[child.entry.path] = nil
    }
    tree.changed = []
    return tree
  }

  /// All entries.
  package var children: KnownChildren {
    known.updated(
      (changed + noted).map { KnownChildren.Change($0) }
        + gone.map { KnownChildren.Change(removing: $0.entry.path) })
  }

  /// The bytes of all files of which the container may not have the bytes.
  var newSize: UInt64 { newFiles.values.reduce(0) { $0 &+ $1.size } }

  /// Whether the content is small: see `TreeRoot.isSmall`.
  var isSmall: Bool {
    guard count <= TreeRoot.maximumSmallEntries else { return false }
    let bytes = children.children.reduce(UInt64(0)) {
      $0 + min($1.entry.size, TreeRoot.maximumSmallBytes + 1)
    }
    return bytes <= TreeRoot.maximumSmallBytes
  }

  /// The differences of this content from the known one.
  var differences: [TreeDifference] {
    changed.map { TreeDifference(path: $0.entry.path, old: known[$0.entry.path]?.entry, new: $0.entry) }
      + gone.map { TreeDifference(path: $0.entry.path, old: $0.entry) }
  }

  /// The changes from the known content to this one.
  var changes: [PackagePath: TreeEntry?] {
    Dictionary(uniqueKeysWithValues: differences.map { ($0.path, $0.new) })
  }

  /// The entries at places that had none, in order.
  var newEntries: [TreeEntry] {
    differences.filter { $0.old == nil }.compactMap(\.new)
  }

  /// The contents of files that are gone, by size: a new file may be one of them under another name.
  var goneContents: [UInt64: FileContent] {
    var contents: [UInt64: FileContent] = [:]
    for child in gone {
      if case .file(let content) = child.entry.kind { contents[content.size] = content }
    }
    return contents
  }

  /// Gives new files the contents that the container has now.
  mutating func note(_ contents: [PackagePath: FileContent]) {
    for (index, child) in changed.enumerated() {
      guard let content = contents[child.entry.path] else { continue }
      changed[index].entry = TreeEntry(child.entry.path, .file(content), mode: child.entry.mode)
    }
    for path in contents.keys { newFiles[path] = nil }
  }
}

extension TreeEntry {
  /// Returns whether both have the same kind, bytes and mode; dates may differ.
  package func hasSameContent(as other: TreeEntry) -> Bool {
    mode == other.mode && hasSameBytes(as: other)
  }

  /// Returns whether both have the same kind and bytes.
  package func hasSameBytes(as other: TreeEntry) -> Bool {
    switch (kind, other.kind) {
    case (.file(let one), .file(let two)): one.size == two.size && one.hash == two.hash
    case (.directory, .directory): true
    case (.link(let one), .link(let two)): one == two
    default: false
    }
  }
}
