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
package struct LocalTree: Sendable {
  /// The place of a flat file's content in its tree.
  package static let flatFile: PackagePath = "Content"
  private static let metadata = PackagePath([PackageLayout.metadata])

  /// The entries. A file whose content is new has no storage yet.
  package private(set) var children: [PackagePath: KnownChild] = [:]
  /// The files of which the container may not have the bytes, with their statuses.
  package private(set) var newFiles: [PackagePath: FileIdentity] = [:]
  /// The application's values in `Metadata.plist`, as the container has them, if they are new.
  package private(set) var newMetadata: Data?
  /// Whether a program is in the middle of a save, or one was.
  package private(set) var hasJournal = false

  /// The coarsest dates of files, on FAT file systems, in seconds.
  private static let coarsestDate: Int64 = 2

  private let disk: any Disk
  private let known: [PackagePath: KnownChild]
  /// The time before which a file's date tells it from each later state.
  private let settled: FileTime

  /// Looks at a document; reads the files that may have changed.
  ///
  /// - Parameter known: the entries of the content that was here.
  /// - Throws: the system's error.
  package init(
    at path: FilePath, isPackage: Bool, known: [PackagePath: KnownChild], on disk: any Disk = PosixDisk()
  ) throws(SystemError) {
    (self.disk, self.known) = (disk, known)
    let now = Surroundings.current.now()
    settled = FileTime(seconds: now.seconds - Self.coarsestDate, nanoseconds: now.nanoseconds)
    if isPackage {
      try scan(disk.openDirectory(at: path), .root)
    } else {
      guard let name = path.lastComponent.map(FileName.init) else { return }
      let folder = try disk.openDirectory(at: path.removingLastComponent())
      try addFile(Self.flatFile, named: name, in: folder)
    }
  }

  private mutating func scan(
    _ folder: borrowing OwnedDescriptor, _ path: PackagePath
  ) throws(SystemError) {
    guard path.names.count <= PackagePath.maximumDepth else {
      throw SystemError("openat", path.name, code: Errno(rawValue: 36))
    }
    let listing = try disk.list(folder)
    for position in listing.sortedPositions() {
      let name = listing.name(at: position)
      let child = path.appending(name)
      if child.names == [PackageLayout.hidden] {
        hasJournal = try disk.exists(PackageLayout.journal, in: disk.openDirectory(name, in: folder))
        continue
      }
      if name.bytes.starts(with: PackageLayout.siblingPrefix) { continue }
      switch listing.kind(at: position) {
      case .file: try addFile(child, named: name, in: folder)
      case .directory:
        let directory = try disk.openDirectory(name, in: folder)
        add(TreeEntry(child, .directory, mode: try disk.status(of: directory).mode), nil)
        try scan(directory, child)
      case .symbolicLink:
        add(TreeEntry(child, .link(try disk.destination(of: name, in: folder)), mode: 0o777), nil)
      // The library leaves other kinds alone.
      default: break
      }
    }
  }

  private mutating func addFile(
    _ path: PackagePath, named name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    // One call for each file that did not change.
    if let known = known[path], let identity = known.identity,
      try disk.statusIfPresent(of: name, in: folder)?.identity == identity
    {
      children[path] = known
      return
    }
    let file = try disk.openFile(name, in: folder)
    let status = try disk.status(of: file)
    let identity =
      status.identity.changed < settled && status.identity.modified < settled ? status.identity : nil
    if path == Self.metadata {
      let bytes = try disk.readAll(file, atMost: PackageMetadata.maximumSize + 1)
      if let values = Self.sharedValues(Data(bytes)) {
        let hash = values.withUnsafeBytes { ContentHash(of: $0) }
        let content = FileContent(
          size: UInt64(values.count), hash: hash, modified: FileTime(seconds: 0, nanoseconds: 0))
        // All machines have the same entry, whatever the file's mode is here.
        if add(TreeEntry(path, .file(content), mode: 0o644), identity) { newMetadata = values }
        return
      }
    }
    let content = FileContent(
      size: status.size, hash: try disk.contentHash(of: file), modified: status.modified)
    if add(TreeEntry(path, .file(content), mode: status.mode), identity) { newFiles[path] = status.identity }
  }

  /// Adds an entry; the known one if its content is the same. Returns whether it is new.
  @discardableResult
  private mutating func add(_ entry: TreeEntry, _ identity: FileIdentity?) -> Bool {
    if let known = known[entry.path], known.entry.hasSameContent(as: entry) {
      children[entry.path] = KnownChild(known.entry, identity)
      return false
    }
    children[entry.path] = KnownChild(entry, identity)
    return true
  }

  /// Returns the values of a package's metadata that all machines share; nil if the plist is another program's.
  package static func sharedValues(_ plist: Data) -> Data? {
    // A plist that this version cannot read is a file like any other.
    guard let metadata = try? PackageMetadata(decoding: plist) else { return nil }
    return try? metadata.encodedApplicationValues()
  }

  // MARK: Comparing

  /// The changes from the known content to this one.
  package var changes: [PackagePath: TreeEntry?] {
    var changes: [PackagePath: TreeEntry?] = [:]
    for (path, child) in children where known[path]?.entry != child.entry {
      changes[path] = .some(child.entry)
    }
    for path in known.keys where children[path] == nil { changes[path] = .some(nil) }
    return changes
  }

  /// The entries at places that had none, in order.
  package var newEntries: [TreeEntry] {
    children.values.map(\.entry).filter { known[$0.path] == nil }.sorted { $0.path < $1.path }
  }

  /// The contents of files that are gone, by size: a new file may be one of them under another name.
  package var goneContents: [UInt64: FileContent] {
    var contents: [UInt64: FileContent] = [:]
    for (path, child) in known where children[path] == nil {
      if case .file(let content) = child.entry.kind { contents[content.size] = content }
    }
    return contents
  }

  /// Gives a new file the content that the container has now.
  package mutating func note(_ content: FileContent, at path: PackagePath) {
    guard let child = children[path] else { return }
    children[path] = KnownChild(TreeEntry(path, .file(content), mode: child.entry.mode), child.identity)
    newFiles[path] = nil
  }

  /// Returns whether another look found the same content, with each new file in the same state.
  package func isSame(as other: LocalTree) -> Bool {
    guard children.count == other.children.count else { return false }
    return children.allSatisfy { path, child in
      other.children[path].map { $0.entry.hasSameContent(as: child.entry) } ?? false
    }
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
