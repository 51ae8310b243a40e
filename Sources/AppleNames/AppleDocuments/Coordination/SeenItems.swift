import DurableIO
import FilePackages
import SystemPackage

/// The item of a presenter and the files and folders in it, each with its last status that the presenter knows.
///
/// Cost: a status for each file and folder.
struct SeenItems: Sendable {
  /// A difference between the disk and the known state.
  enum Change: Sendable, Hashable {
    case appeared(PackagePath)
    /// The file or folder has other contents or attributes, or is gone.
    case changed(PackagePath)
    case moved(PackagePath, to: PackagePath)
  }

  /// The place of the item.
  var root: FilePath
  private var statuses: [PackagePath: FileStatus] = [:]
  private let disk = PosixDisk()

  /// Looks at the item at `root` and all that is in it.
  init(at root: FilePath) {
    self.root = root
    lookAtAll()
  }

  /// The last known status at a place; nil if nothing was there.
  func status(at path: PackagePath) -> FileStatus? { statuses[path] }

  /// Looks at the item and all that is in it, and forgets what it knew.
  mutating func lookAtAll() {
    statuses = [:]
    // An item that cannot be looked at has no known state: a later event shows each part of it as new.
    statuses[.root] = try? disk.status(of: disk.openPlace(at: root))
    if statuses[.root]?.kind == .directory, let folder = try? disk.openDirectory(at: root) {
      lookInside(folder, .root)
    }
  }

  /// Looks at one place and all that is in it.
  mutating func look(at path: PackagePath) {
    if path.isRoot { return lookAtAll() }
    forget(path)
    guard let name = path.name, let folder = open(path.parent),
      let status = try? disk.status(of: name, in: folder.descriptor)  // Its state then is unknown.
    else { return }
    statuses[path] = status
    if status.kind == .directory, let inner = try? disk.openDirectory(name, in: folder.descriptor) {
      lookInside(inner, path)
    }
  }

  /// Looks at these places, and returns how they differ from the known state.
  ///
  /// A folder that appears stands for itself only. The caller names the places in it, too.
  mutating func changes(at paths: [PackagePath]) -> [Change] {
    var (changes, gone): ([Change], [PackagePath: FileStatus]) = ([], [:])
    for path in paths {
      let (old, new) = (statuses[path], present(path))
      if let old, let new, new.isSame(as: old) { continue }
      if old == nil && new == nil { continue }
      if let old, new?.kind != .directory || old.kind != .directory {
        forget(path)
        if new == nil { gone[path] = old }
      }
      statuses[path] = new
      changes.append(old == nil ? .appeared(path) : .changed(path))
    }
    return pairing(changes, gone)
  }

  /// Looks at all of the item, and returns how it differs from the known state.
  mutating func allChanges() -> [Change] {
    let old = self
    lookAtAll()
    let places = Set(statuses.keys).union(old.statuses.keys).sorted()
    let now = self
    self = old
    defer { self = now }
    return changes(at: places)
  }

  /// Returns the changes with a move for each file that left one place and came to another.
  private func pairing(_ changes: [Change], _ gone: [PackagePath: FileStatus]) -> [Change] {
    if gone.isEmpty { return changes }
    var (origins, targets): ([PackagePath: PackagePath], Set<PackagePath>) = ([:], [])
    for case .appeared(let path) in changes {
      let status = statuses[path]
      let origin = gone.first { _, old in
        status.map { $0.identity.isSameNode(as: old.identity) && $0.born == old.born } ?? false
      }
      if let origin, targets.insert(origin.key).inserted { origins[path] = origin.key }
    }
    return changes.compactMap { change in
      switch change {
      case .appeared(let path): origins[path].map { .moved($0, to: path) } ?? change
      case .changed(let path) where targets.contains(path): nil
      default: change
      }
    }
  }

  // MARK: The disk

  private func present(_ path: PackagePath) -> FileStatus? {
    if path.isRoot { return try? disk.status(of: disk.openPlace(at: root)) }
    // A place that cannot be looked at is gone, as far as this program can see.
    guard let name = path.name, let folder = open(path.parent) else { return nil }
    return try? disk.status(of: name, in: folder.descriptor)
  }

  private func open(_ path: PackagePath) -> OpenNode? {
    // A folder that cannot be opened has no items.
    try? OpenNode(Location(root, on: disk).openDirectory(path))
  }

  private mutating func lookInside(_ folder: borrowing OwnedDescriptor, _ path: PackagePath) {
    // A folder that cannot be listed has no known items.
    guard path.names.count < PackagePath.maximumDepth, let listing = try? disk.list(folder) else { return }
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      if path.isRoot && name == PackageLayout.hidden { continue }
      let inner = path.appending(name)
      statuses[inner] = try? disk.status(of: name, in: folder)  // Its state may stay unknown.
      if statuses[inner]?.kind == .directory, let child = try? disk.openDirectory(name, in: folder) {
        lookInside(child, inner)
      }
    }
  }

  private mutating func forget(_ path: PackagePath) {
    if statuses.removeValue(forKey: path)?.kind == .directory {
      statuses = statuses.filter { !$0.key.isWithin(path) }
    }
  }
}

extension FileStatus {
  /// Returns whether the node has the same contents and permissions; the entries of a folder count for themselves.
  fileprivate func isSame(as earlier: FileStatus) -> Bool {
    guard kind == earlier.kind, mode == earlier.mode else { return false }
    return kind == .directory
      ? identity.isSameNode(as: earlier.identity) : identity.hasSameContents(as: earlier.identity)
  }
}
