import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension PackageSnapshot.Node {
  /// Calls `body` with each child of a package: a folder before its children, names in byte order.
  ///
  /// The library's own files are no children.
  ///
  /// - Parameters:
  ///   - path: the path of this folder.
  ///   - uncounted: the children that the sums leave out, each with everything in it.
  ///   - failed: handles the error of a folder that cannot be listed; by default the walk ends with it.
  func forEachChild(
    at path: PackagePath = .root, leavingOut uncounted: Set<PackagePath> = [],
    _ body: (PackagePath, Self) throws(FilePackageError) -> Void,
    failed: (PackagePath, FilePackageError) throws(FilePackageError) -> Void = {
      _, error throws(FilePackageError) in throw error
    }
  ) throws(FilePackageError) {
    let children: [(name: FileName, node: Self)]
    do {
      children = try self.children(at: path, looking: true)
    } catch {
      return try failed(path, error)
    }
    for (name, child) in children {
      let place = path.appending(name)
      if PackageLayout.isOurs(place) || uncounted.contains(place) { continue }
      try body(place, child)
      if child.kind == .directory {
        try child.forEachChild(at: place, leavingOut: uncounted, body, failed: failed)
      }
    }
  }
}

extension OpenPackage {
  /// The package's folder as it is on disk.
  var present: PackageSnapshot.Node {
    PackageSnapshot.Node(
      StoredNode(location: location, path: .root, status: baseline.status), kind: .directory)
  }
}

extension NotedChild {
  /// Reads a child on disk.
  ///
  /// - Parameter row: a noted child; a file with its size, date and executable bit is that one, and is not read.
  init(
    reading node: PackageSnapshot.Node, at path: PackagePath, unless row: NotedChild? = nil
  ) throws(FilePackageError) {
    let modified = node.known?.modified ?? .unknown
    if let row, row.child.kind == .file, node.kind == .file, row.child.size == node.known?.size,
      row.modified == modified, row.child.isExecutable == (node.attributes.mode & 0o100 != 0)
    {
      self = row
    } else {
      self.init(child: try ChildSummary(reading: node, at: path), modified: modified)
    }
  }
}

extension Location {
  /// Returns the node at a path below the root; nil if nothing is there, or if the path leads through no folder.
  func node(at path: PackagePath) throws(FilePackageError) -> StoredNode? {
    var node = StoredNode(location: self, path: path)
    guard let name = path.name else { return nil }
    do {
      node.status = try disk.statusIfPresent(of: name, in: openDirectory(path.parent))
    } catch {
      if error.isAbsence { return nil }
      throw FilePackageError(error, .read, node, activity: "looking at")
    }
    return node.status == nil ? nil : node
  }

  /// Returns the file or link with an entry's content among the kept ones; nil if there is none.
  func keptNode(of entry: Entry) throws(FilePackageError) -> StoredNode? {
    guard let content = entry.content else { return nil }
    let path = PackageLayout.keptPath.appending(FileName(keeping: content, entry.kind))
    guard let node = try node(at: path), try node.has(entry) else { return nil }
    return node
  }
}

extension StoredNode {
  /// Returns whether the node, which was looked at, has the kind and the content of an entry.
  ///
  /// - Parameter reading: whether to read also a file with the date of the entry. A copy of the package may have other
  ///   dates: then the digest decides in any case.
  func has(_ entry: Entry, reading: Bool = false) throws(FilePackageError) -> Bool {
    guard let status, status.kind == entry.kind else { return false }
    if status.kind == .directory { return true }
    if status.kind == .file {
      // The size of a link is not that of its entry.
      guard status.size == entry.size else { return false }
      if !reading && status.modified == entry.modified { return true }
    }
    return try content(as: entry.kind) == entry.content
  }

  /// Returns the hash of the file's bytes or of the link's destination.
  func content(as kind: FileKind) throws(FilePackageError) -> ContentHash { try summary(as: kind).content }

  /// Reads the node as a child of its path.
  func summary(as kind: FileKind) throws(FilePackageError) -> ChildSummary {
    try ChildSummary(reading: PackageSnapshot.Node(self, kind: kind), at: path)
  }
}
