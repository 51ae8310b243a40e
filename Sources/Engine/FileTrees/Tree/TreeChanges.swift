import DurableIO
import PackageFormat

/// The changes of a tree against the disk: enough to apply the edits again to the document on disk.
package struct TreeChanges: Sendable {
  /// The children that are new or changed, in their folders.
  package var files: FileWrapper
  /// The paths of the removed children.
  package var removed: [String] = []

  /// Makes changes of new files and removed paths.
  package init(files: FileWrapper, removed: [String]) {
    self.files = files
    self.removed = removed
  }

  /// Whether the tree equals the disk.
  package var isEmpty: Bool { removed.isEmpty && (try? files.childCount()) == 0 }  // Unread: not empty.

  /// Makes changes of all nodes in a tree.
  ///
  /// - Throws: `FilePackageError` if a folder cannot be read.
  package init(everythingIn tree: FileWrapper) throws {
    self.init(files: try tree.snapshot().root.copy(at: .root), removed: [])
  }

  /// Returns the places of all files and links that are new, changed or removed, in byte order.
  ///
  /// - Throws: `FilePackageError` if a folder cannot be read.
  package func paths() throws -> [String] {
    (removed + (try Self.places(in: files, at: ""))).sorted()
  }

  private static func places(in folder: FileWrapper, at path: String) throws -> [String] {
    try folder.children().flatMap { name, child in
      child.isDirectory ? try places(in: child, at: path + name + "/") : [path + name]
    }
  }

  /// Applies the changes to a tree, which is their own tree or a later state of it.
  ///
  /// - Throws: `FilePackageError` if a child cannot be read or its place changed.
  package func apply(to tree: FileWrapper) throws {
    for path in removed where try tree.descendant(at: path) != nil { try tree.removeDescendant(at: path) }
    try Self.put(files, into: tree, at: "")
  }

  private static func put(_ folder: FileWrapper, into tree: FileWrapper, at path: String) throws {
    for (name, child) in try folder.children() {
      let place = path + name
      if child.isDirectory, try tree.descendant(at: place)?.isDirectory == true {
        try put(child, into: tree, at: place + "/")
      } else {
        folder.removeFileWrapper(child)
        try tree.setDescendant(child, at: place)
      }
    }
  }
}

extension FileWrapper {
  /// Returns the differences from the disk.
  ///
  /// Reads nothing except folders that moved.
  package func changes() throws -> TreeChanges {
    let snapshot = changesSnapshot()
    var changes = TreeChanges(files: FileWrapper(directoryWithFileWrappers: [:]), removed: [])
    try changes.collect(snapshot.root, into: changes.files, at: .root)
    changes.removed.sort()
    return changes
  }

  /// Returns the children that exist at these paths, in their folders.
  ///
  /// - Throws: `FilePackageError` if a folder cannot be read.
  public func selection(of paths: [String]) throws -> FileWrapper {
    let selection = FileWrapper(directoryWithFileWrappers: [:])
    for path in paths {
      guard let child = try descendant(at: path) else { continue }
      try selection.setDescendant(try child.snapshot().root.copy(at: PackagePath(path)), at: path)
    }
    return selection
  }
}

extension TreeChanges {
  fileprivate mutating func collect(
    _ node: PackageSnapshot.Node, into folder: FileWrapper, at path: PackagePath
  ) throws {
    guard case .directory(let changes) = node.content else { return }
    for (name, change) in changes {
      let place = path.appending(name)
      guard let now = change.now else {
        if case .present = change.baseline { removed.append(place.string) }
        continue
      }
      let child: FileWrapper
      if now.kind == .directory, now.stored?.path == place {
        child = FileWrapper(directoryWithFileWrappers: [:])
        try collect(now, into: child, at: place)
      } else {
        child = try now.copy(at: place)
      }
      child.preferredFilename = name.string
      folder.addFileWrapper(child)
    }
  }
}

extension PackageSnapshot.Node {
  /// Returns a copy in memory, whose file contents alone still lead to the disk.
  fileprivate func copy(at path: PackagePath) throws -> FileWrapper {
    switch content {
    case .file(let contents):
      return FileWrapper(state: FileWrapper.State(node: .file(contents), attributes: attributes))
    case .link:
      return FileWrapper(
        state: FileWrapper.State(node: .link(.known(try destination())), attributes: attributes))
    case .directory:
      let folder = FileWrapper(directoryWithFileWrappers: [:])
      for (name, node) in try children(at: path, looking: true) {
        let child = try node.copy(at: path.appending(name))
        child.preferredFilename = name.string
        folder.addFileWrapper(child)
      }
      return folder
    }
  }
}
