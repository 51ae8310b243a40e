package import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// The place of an item: its names and nodes from the root down.
///
/// Each folder above it has a path and a node, too. The node finds a package that was renamed, the path one that was
/// replaced.
package struct ItemPlace: Sendable, Hashable {
  package struct Node: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64

    package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }
  }

  /// The names from the root down, the item's last.
  var names: [FileName]
  /// The item's node, then those of the folders above it up to the root: one more than there are names. A node is nil
  /// if nothing is there.
  var nodes: [Node?]

  /// Makes the place of the item at `path`.
  ///
  /// It follows symbolic links among the folders, and the item's own link if `following` is true.
  ///
  /// Cost: a few system calls for each folder above it.
  init(_ path: FilePath, following: Bool = false) throws(SystemError) {
    let absolute = try path.isAbsolute ? path : Self.workingDirectory().pushing(path)
    names = Self.resolved(absolute.lexicallyNormalized(), following)
    nodes = []
    for count in (0...names.count).reversed() {
      nodes.append(Node(at: Self.path(of: names.prefix(count))))
    }
  }

  package init(names: [FileName], nodes: [Node?]) {
    (self.names, self.nodes) = (names, nodes)
  }

  var path: FilePath { Self.path(of: names[...]) }
  var node: Node? { nodes[0] }
  var isThere: Bool { nodes[0] != nil }

  /// Returns the place that is `levels` folders above this one.
  func enclosing(_ levels: Int) -> ItemPlace {
    // The number may come from any program.
    let levels = min(max(0, levels), names.count)
    return ItemPlace(names: Array(names.dropLast(levels)), nodes: Array(nodes.dropFirst(levels)))
  }

  /// Returns whether both are the same place.
  package func isSame(as other: ItemPlace) -> Bool {
    names == other.names || (node != nil && node == other.node)
  }

  /// Returns whether `other` is below this place.
  package func encloses(_ other: ItemPlace) -> Bool {
    (names.count < other.names.count && other.names.starts(with: names))
      || (node != nil && other.nodes.dropFirst().contains(node))
  }

  /// Returns whether both are the same place, or one is below the other.
  func overlaps(_ other: ItemPlace) -> Bool {
    isSame(as: other) || encloses(other) || other.encloses(self)
  }

  /// Returns this place after a move from `old` to `new`.
  ///
  /// It returns nil if the move does not concern this place, or if the new place cannot be looked at.
  func moved(from old: ItemPlace, to new: ItemPlace) -> ItemPlace? {
    if node != nil && node == old.node { return new }
    guard names.starts(with: old.names) else { return nil }
    return try? ItemPlace(Self.path(of: (new.names + names.dropFirst(old.names.count))[...]))
  }

  // MARK: Paths

  private static func path(of names: ArraySlice<FileName>) -> FilePath {
    var bytes: [UInt8] = names.isEmpty ? [UInt8(ascii: "/")] : []
    for name in names { bytes += [UInt8(ascii: "/")] + name.bytes }
    return FilePath(lossless: FileName(bytes: bytes).string)
  }

  private static func workingDirectory() throws(SystemError) -> FilePath {
    guard let path = getcwd(nil, 0) else { throw SystemError("getcwd", code: Errno(rawValue: errno)) }
    defer { free(path) }
    return FilePath(platformString: path)
  }

  /// Returns the path's names without symbolic links, as far as the path exists.
  private static func resolved(_ path: FilePath, _ following: Bool) -> [FileName] {
    var (there, rest) = (path, [FileName]())
    if !following, let last = there.lastComponent {
      rest = [FileName(last)]
      there.removeLastComponent()
    }
    while true {
      if let real = realpath(there.string, nil) {
        defer { free(real) }
        return FilePath(platformString: real).components.map { FileName($0) } + rest.reversed()
      }
      guard let last = there.lastComponent else { return rest.reversed() }
      rest.append(FileName(last))
      there.removeLastComponent()
    }
  }
}

extension ItemPlace.Node {
  /// Makes the node at a path; nil if nothing is there. It does not follow a symbolic link.
  fileprivate init?(at path: FilePath) {
    var status = stat()
    guard path.withPlatformString({ lstat($0, &status) }) == 0 else { return nil }
    self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }
}

extension URL {
  /// Makes the URL of a place; it ends with a slash if `isDirectory` is true.
  init(_ place: ItemPlace, isDirectory: Bool) {
    self.init(
      filePath: FileName(place.path).string, directoryHint: isDirectory ? .isDirectory : .notDirectory)
  }
}
