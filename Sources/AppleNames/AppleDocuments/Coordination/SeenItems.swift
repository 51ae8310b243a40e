import DurableIO
import FilePackages
import SystemPackage

/// The item of a presenter and the files and folders in it, each with its last status that the presenter knows.
///
/// Cost: a status for each file and folder.
struct SeenItems: Sendable {
  /// A difference between the disk and the known state: a new file or folder, or one with other contents or attributes,
  /// or one that is gone.
  typealias Change = (path: PackagePath, isNew: Bool)

  /// The place of the item.
  var root: FilePath
  private var statuses: [PackagePath: FileStatus] = [:]
  private let disk = PosixDisk()

  /// Looks at the item at `root` and all that is in it.
  init(at root: FilePath) {
    self.root = root
    look(at: .root)
  }

  /// Looks at one place and all that is in it, and forgets what it knew.
  mutating func look(at path: PackagePath) {
    forget(path)
    statuses[path] = present(path)
    if statuses[path]?.kind == .directory { lookInside(path) }
  }

  /// Looks at one place, and returns how it differs from the known state; nil for no difference.
  ///
  /// A folder that appears stands for itself only. The caller names the places in it, too.
  mutating func change(at path: PackagePath) -> Change? {
    let (old, new) = (statuses[path], present(path))
    if let old, let new, new.isSame(as: old) { return nil }
    if old == nil && new == nil { return nil }
    if new?.kind != .directory || old?.kind != .directory { forget(path) }
    statuses[path] = new
    return (path, old == nil)
  }

  // MARK: The disk

  // A place that cannot be looked at is gone, as far as this program can see. A later event shows it as new.

  private func present(_ path: PackagePath) -> FileStatus? {
    if path.isRoot { return try? disk.status(of: disk.openPlace(at: root)) }
    guard let name = path.name,
      let folder = try? OpenNode(Location(root, on: disk).openDirectory(path.parent))
    else { return nil }
    return try? disk.status(of: name, in: folder.descriptor)
  }

  private mutating func lookInside(_ path: PackagePath) {
    guard path.names.count < PackagePath.maximumDepth,
      let folder = try? OpenNode(Location(root, on: disk).openDirectory(path)),
      let listing = try? disk.list(folder.descriptor)
    else { return }
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      if path.isRoot && name == PackageLayout.hidden { continue }
      let inner = path.appending(name)
      statuses[inner] = try? disk.status(of: name, in: folder.descriptor)
      if statuses[inner]?.kind == .directory { lookInside(inner) }
    }
  }

  private mutating func forget(_ path: PackagePath) {
    if path.isRoot { return statuses = [:] }
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
