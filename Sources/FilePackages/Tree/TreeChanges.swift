import DurableIO

/// What a tree has that the disk does not: enough to have the edits again over the document as it is on disk.
public struct TreeChanges: Sendable {
  /// The children that are new or changed, in their folders.
  public var files: FileWrapper
  /// The paths of those that are gone.
  public var removed: [String] = []

  /// Makes changes of these.
  public init(files: FileWrapper, removed: [String]) {
    self.files = files
    self.removed = removed
  }

  /// Whether the tree is what the disk has.
  public var isEmpty: Bool { removed.isEmpty && (try? files.childCount()) == 0 }

  /// Makes changes of all that is in a tree.
  ///
  /// - Throws: `FilePackageError` when a folder cannot be read.
  public init(everythingIn tree: FileWrapper) throws {
    self.init(files: try tree.snapshot().root.copy(at: .root), removed: [])
  }

  /// The places of all files and links that are new, changed or gone, in byte order.
  ///
  /// - Throws: `FilePackageError` when a folder cannot be read.
  public func paths() throws -> [String] {
    (removed + (try Self.places(in: files, at: ""))).sorted()
  }

  private static func places(in folder: FileWrapper, at path: String) throws -> [String] {
    try folder.children().flatMap { name, child in
      child.isDirectory ? try places(in: child, at: path + name + "/") : [path + name]
    }
  }

  /// Carries the changes out in a tree, which is the one they are from or a later state of it.
  ///
  /// - Throws: `FilePackageError` when a child cannot be read or its place is not what it was.
  public func apply(to tree: FileWrapper) throws {
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
  /// What differs from the disk. Reads nothing but folders that moved.
  public func changes() throws -> TreeChanges {
    let snapshot = changesSnapshot()
    var changes = TreeChanges(files: FileWrapper(directoryWithFileWrappers: [:]), removed: [])
    try changes.collect(snapshot.root, into: changes.files, at: .root)
    changes.removed.sort()
    return changes
  }

  /// The children at these paths, those that are there, in their folders.
  ///
  /// - Throws: `FilePackageError` when a folder cannot be read.
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
  /// The same in memory, with nothing of where it is on disk but the contents of files.
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
