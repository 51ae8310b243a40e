import DurableIO
public import FoundationEssentials
import PackageFormat
import Synchronization

extension FileWrapper {
  /// Returns the node at a path such as `Images/7.png`, or nil if nothing is there.
  ///
  /// Makes objects only of the nodes on the path, and follows no symbolic link.
  ///
  /// - Throws: `invalidName` if no node can have the path. `wrongKind` if the path leads through a node that is not a
  ///   directory, or to a FIFO, a socket or a device. Otherwise the system's error.
  public func descendant(at path: String) throws -> FileWrapper? {
    try node(at: path) { name, folder in
      if let child = try folder.child(name) { return .child(child) }
      return try folder.withDirectory { $0.isUnsupported(name) } ? .unsupported : .nothing
    }
  }

  /// Returns the node at a path for an edit in place, which looks at the nodes on the path only; otherwise as
  /// `descendant(at:)`.
  package func descendant(toEditAt path: String) throws -> FileWrapper? {
    try node(at: path) { name, folder in try folder.occupant(of: name) }
  }

  private func node(
    at path: String, _ look: (FileName, FileWrapper) throws -> Occupant
  ) throws -> FileWrapper? {
    let path = try checked(path)
    var node = self
    for (depth, name) in path.names.enumerated() {
      let here = PackagePath(Array(path.names[..<depth]))
      try node.requireDirectory(at: here, of: self)
      switch try look(name, node) {
      case .nothing: return nil
      case .child(let child): node = child
      case .unsupported: throw error(.wrongKind, here.appending(name), "it is a FIFO, a socket or a device")
      }
    }
    return node
  }

  /// Returns the regular file at a path.
  ///
  /// - Throws: `noSuchFile` if nothing is there; `wrongKind` for a folder or a link; otherwise as `descendant(at:)`.
  public func regularFile(at path: String) throws -> FileWrapper {
    let place = PackagePath(path)
    guard let node = try descendant(at: path) else { throw error(.noSuchFile, place, nil) }
    if node.isRegularFile { return node }
    var reason = "it is a folder"
    if node.isSymbolicLink {
      let target = FileName(bytes: try node.linkDestination()).display
      reason = "it is a symbolic link to '\(target)', which is not followed"
    }
    throw error(.wrongKind, place, reason)
  }

  /// Puts a node at a path and replaces the node there.
  ///
  /// Makes the missing folders of the path. It is one step for other threads: a save or a snapshot has the old node or
  /// the new one. It never has a new folder without its content.
  ///
  /// - Throws: as `descendant(at:)`.
  public func setDescendant(_ node: FileWrapper, at path: String) throws {
    let names = try checked(path).names
    guard let last = names.last else { throw error(.invalidName, .root, "the path is empty") }
    while true {
      _ = try descendant(toEditAt: path)  // Throws for an impossible place, and reads the folders.
      var directory = self
      var missing = names.dropLast()
      while let name = missing.first, case .child(let next) = try directory.occupant(of: name) {
        directory = next
        missing.removeFirst()
        try directory.requireDirectory(at: PackagePath(Array(names[..<missing.startIndex])), of: self)
      }
      guard let first = missing.first else { return directory.set(node, at: last) }
      var top = node
      for (folder, name) in zip(missing, names[(missing.startIndex + 1)...]).reversed() {
        let new = FileWrapper(directoryWithFileWrappers: [:])
        new.set(top, at: name)
        new.preferredFilename = folder.string
        top = new
      }
      if directory.add(top, at: first) { return }
      // Another task has just made that folder, maybe with children of its own.
    }
  }

  /// Puts a regular file of these bytes into a folder, and returns the file.
  ///
  /// A file there with the same bytes stays, and a save does not write it. Another node there is replaced. Missing
  /// folders are made. Cost: reading the old file if it has the size of the new bytes.
  ///
  /// - Parameter folder: the folder's path, such as `Images`; by default this directory.
  /// - Throws: `invalidName` if no node can have the name; otherwise as `descendant(at:)` and `contents()`.
  @discardableResult
  public func put(_ data: Data, named name: String, in folder: String = "") throws -> FileWrapper {
    let path = PackagePath((folder.isEmpty ? [] : PackagePath(folder).names) + [FileName(name)])
    if let problem = FileName(name).problem { throw error(.invalidName, path, problem.words) }
    if let old = try descendant(toEditAt: path.string), old.isRegularFile,
      old.regularFileSize.map({ $0 == UInt64(data.count) }) ?? true, try old.contents() == data
    {
      return old
    }
    let file = FileWrapper(regularFileWithContents: data)
    try setDescendant(file, at: path.string)
    return file
  }

  /// Replaces a child of this directory; the new node gets the child's name.
  ///
  /// - Returns: the name.
  /// - Throws: `noSuchFile` if `old` is not a child; otherwise as `setDescendant(_:at:)`.
  @discardableResult
  public func replaceFileWrapper(_ old: FileWrapper, with new: FileWrapper) throws -> String {
    guard let name = keyForChildFileWrapper(old) else {
      throw error(
        .noSuchFile, PackagePath([FileName(old.preferredFilename ?? "")]), "it is no child of this directory")
    }
    try setDescendant(new, at: name)
    return name
  }

  /// Removes the node at a path, with its children.
  ///
  /// - Throws: `noSuchFile` if nothing is there; otherwise as `descendant(at:)`.
  public func removeDescendant(at path: String) throws {
    let names = try checked(path)
    guard !names.isRoot, let node = try descendant(toEditAt: path),
      let directory = names.parent.isRoot ? self : try descendant(toEditAt: names.parent.string)
    else { throw error(.noSuchFile, names, nil) }
    directory.removeFileWrapper(node)
  }

  private func checked(_ path: String) throws -> PackagePath {
    let path = PackagePath(path)
    for name in path.names {
      if let problem = name.problem { throw error(.invalidName, path, problem.words) }
    }
    return path
  }

  private func requireDirectory(at path: PackagePath, of root: FileWrapper) throws {
    if isDirectory { return }
    let reason =
      isSymbolicLink ? "it is a symbolic link, which is not followed" : "it is a file, not a folder"
    throw root.error(.wrongKind, path, reason)
  }

  private func error(
    _ code: FilePackageError.Code, _ path: PackagePath, _ reason: String?
  ) -> FilePackageError {
    let (stored, filename) = (stored, filename)
    if var stored {
      stored.path.names += path.names
      return FilePackageError(code, .read, stored, reason: reason)
    }
    return FilePackageError(
      code, .read, document: filename ?? "", child: path.isRoot ? nil : path.display, reason: reason)
  }
}
