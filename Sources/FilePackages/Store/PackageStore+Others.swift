import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage

// (1) What this store wrote is never taken for another program's: everything is compared by identity with what the
//     tree knows of it since it was read or saved.
// (2) Nothing is compared while a save waits to be published, since the disk is then neither the one nor the other.

/// What other programs did to an open package.
public struct ExternalChanges: Sendable, Hashable {
  /// The children that they changed, made or removed, as paths in byte order; a folder that came or went stands for
  /// all that is in it.
  public var paths: [String] = []
  /// Whether another directory stands in the package's place.
  public var isReplaced = false

  /// Makes a set of changes, by default none.
  public init(paths: [String] = [], isReplaced: Bool = false) {
    (self.paths, self.isReplaced) = (paths, isReplaced)
  }

  /// Whether nothing happened.
  public var isEmpty: Bool { paths.isEmpty && !isReplaced }
}

extension PackageStore {
  /// Finds what other programs did to the package since this store read or saved it.
  ///
  /// Only what is known can be found changed: the names in folders that were listed, and the children that are
  /// objects. Nothing else can be in anybody's way. Cost: a getdents64(2) loop for each listed folder, a statx(2) for
  /// each child that is an object.
  ///
  /// - Throws: `noSuchFile` when the package is not in its place any more; the system's reason.
  public func changesByOthers() throws(FilePackageError) -> ExternalChanges {
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard now.status?.identity.isSameNode(as: status.identity) == true else {
      return ExternalChanges(isReplaced: true)
    }
    // (2)
    try publish()
    try settle()
    var comparison = Comparison(location: location)
    do {
      let root = try location.openDirectory(.root)
      try comparison.compare(tree, root, at: .root)
      let plist = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: root)
      let isSame =
        switch (plist, knownPlist) {
        case (let now?, let known?): now.isUnchanged(since: known)
        case (nil, nil): true
        case (_?, nil), (nil, _?): false
        }
      if !isSame && !hasUnreadableMetadata { comparison.note([PackageLayout.metadata]) }
    } catch {
      throw FilePackageError(error, .read, StoredNode(location: location, path: .root))
    }
    return ExternalChanges(paths: comparison.paths.sorted().map(\.string))
  }

  /// What could not be read when the package was opened is nothing to compare with.
  private var hasUnreadableMetadata: Bool {
    if case .unreadable = metadataState { true } else { false }
  }

  /// Reads the package anew, with what other programs wrote: the tree is another one from now on, and what was edited
  /// in the old one is not in it.
  ///
  /// - Parameter body: reads what is to be had from the new tree.
  /// - Throws: `noSuchFile`, `notAPackage`, `busy` or the system's reason, and what `body` throws; the store then has
  ///   the old tree.
  public func reload<Result>(_ body: (FileWrapper) throws -> Result) throws -> Result {
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard let found = now.status, found.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: FileName(location.path).string)
    }
    let before = (tree, status, metadataState, othersWroteValues)
    let failed = (unsettled, uncertain, stale, damage)
    if found.identity.isSameNode(as: status.identity) {
      try publish()
    } else {
      // What waited went with the directory that stood here before.
      session?.abandon()
      (session, pending) = (nil, nil)
    }
    status = found
    (unsettled, uncertain, stale, damage) = (nil, nil, [], nil)
    othersWroteValues = false
    tree = newTree()
    do {
      try recover()
      return try body(tree)
    } catch {
      if pending?.tree === tree { pending = nil }
      (tree, status, metadataState, othersWroteValues) = before
      (unsettled, uncertain, stale, damage) = failed
      throw error
    }
  }

  /// A tree of what is on disk at this moment.
  func newTree() -> FileWrapper {
    let root = StoredNode(location: location, path: .root, status: status)
    return FileWrapper(
      state: FileWrapper.State(root, name: location.path.lastComponent.map(FileName.init)))
  }

  /// What other programs change is theirs until `reload(_:)`: reading a child that they changed does not make it this
  /// store's to write over.
  package func keepBaselines() { location.keepsBaselines = true }

  /// Lets go of the package and of the tree, which belongs to another store by now. What is committed and not
  /// published stays in the journal for the next opening.
  package func relinquish() {
    publishing?.cancel()
    checkpoint?.cancel()
    (pending, unsettled, uncertain, stale) = (nil, nil, nil, [])
    session?.abandon()
    session = nil
    tree = FileWrapper(directoryWithFileWrappers: [:])
  }
}

/// One comparison of a tree with the disk.
private struct Comparison {
  let location: Location
  var paths: Set<PackagePath> = []

  mutating func note(_ names: [FileName]) { paths.insert(PackagePath(names)) }

  mutating func compare(
    _ folder: FileWrapper, _ directory: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(SystemError) {
    let disk = location.disk
    let known = folder.state.withLock { state in state.withDirectory { ($0.listing, $0.changes, $0.children) }
    }
    let (listing, changes, children) = known
    if let listing {
      let now = try disk.list(directory)
      for position in 0..<now.count where now.kind(at: position).isSupported {
        let name = now.name(at: position)
        if changes[name].map(\.isAbsent) ?? (listing.position(of: name) == nil) {
          note(name, in: path)
        }
      }
      for position in 0..<listing.count where listing.kind(at: position).isSupported {
        let name = listing.name(at: position)
        if changes[name] == nil && now.position(of: name) == nil { note(name, in: path) }
      }
    }
    for (name, baseline) in changes {
      if case .present(let status) = baseline { try compare(name, status, in: directory, at: path) }
    }
    for (name, child) in children {
      let stored = child.state.withLock { $0.stored }
      guard let stored, stored.location === location, stored.path == path.appending(name) else { continue }
      if changes[name] == nil { try compare(name, stored.status, in: directory, at: path) }
      guard child.isDirectory, !paths.contains(stored.path) else { continue }
      try compare(child, disk.openDirectory(name, in: directory), at: stored.path)
    }
  }

  /// (1)
  private mutating func compare(
    _ name: FileName, _ known: FileStatus?, in directory: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(SystemError) {
    let now = try location.disk.statusIfPresent(of: name, in: directory)
    guard let now, known.map(now.isUnchanged(since:)) ?? true else { return note(name, in: path) }
  }

  private mutating func note(_ name: FileName, in path: PackagePath) {
    let place = path.appending(name)
    if !PackageLayout.isOurs(place) { paths.insert(place) }
  }
}

extension DirectoryNode.Baseline {
  fileprivate var isAbsent: Bool {
    if case .absent = self { true } else { false }
  }
}
