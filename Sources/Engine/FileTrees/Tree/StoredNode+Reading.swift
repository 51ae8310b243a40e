package import DurableIO
package import FoundationEssentials
package import PackageFormat
package import SystemPackage

extension StoredNode {
  /// Looks at the node at `url`, for Apple's interfaces.
  ///
  /// - Throws: the errors of `look(at:following:on:)` as a `CocoaError`.
  package init(at url: URL, following: Bool) throws {
    do throws(FilePackageError) {
      self = try Self.look(at: FilePath(of: url, for: .read), following: following, on: PosixDisk())
    } catch {
      throw error.cocoaError
    }
  }

  /// Looks at the node at `path`.
  ///
  /// A directory becomes a location of its own, so that it can move; any other node is named within its directory. With
  /// `following`, a symbolic link stands for its destination.
  package static func look(
    at path: FilePath, following: Bool, on disk: any Disk
  ) throws(FilePackageError) -> StoredNode {
    var path = path
    // The kernel follows as many links.
    for _ in 0..<40 {
      let node = try Self.look(at: path, on: disk)
      guard following, node.status?.kind == .symbolicLink else { return node }
      let destination = FilePath(lossless: FileName(bytes: try node.readLink()).string)
      path = destination.isAbsolute ? destination : path.removingLastComponent().pushing(destination)
    }
    throw FilePackageError(
      .wrongKind, .read, document: FileName(path).string, reason: "too many levels of symbolic links")
  }

  private static func look(at path: FilePath, on disk: any Disk) throws(FilePackageError) -> StoredNode {
    let whole = StoredNode(location: Location(path, on: disk), path: .root)
    return try whole.attempt(.read) {
      // The root of the file system, or a path that ends in `..`, has no name to look up.
      guard let last = path.lastComponent, last.kind == .regular else {
        let directory = try disk.openDirectory(at: path)
        return StoredNode(location: whole.location, path: .root, status: try disk.status(of: directory))
      }
      let folder = path.removingLastComponent()
      let parent = try disk.openDirectory(at: folder.isEmpty ? "." : folder)
      let name = FileName(last)
      let status = try disk.status(of: name, in: parent)
      if status.kind == .directory {
        return StoredNode(location: whole.location, path: .root, status: status)
      }
      let location = Location(folder.isEmpty ? "." : folder, on: disk, isOfOneFile: true)
      return StoredNode(location: location, path: PackagePath([name]), status: status)
    }
  }

  /// Lists the directory; leaves out the hidden folder of an open package.
  package func list() throws(FilePackageError) -> DirectoryListing {
    return try attempt(.read, "listing") {
      let listing = try disk.list(try location.openDirectory(path))
      return path.isRoot && location.isPackage ? listing.without([PackageLayout.hidden]) : listing
    }
  }

  /// Looks at the named entries of the directory.
  package func children(_ names: [FileName]) throws(FilePackageError) -> [StoredNode] {
    // Without names, no directory on disk is needed.
    if names.isEmpty { return [] }
    let directory = try attempt(.read) { try location.openDirectory(path) }
    var children: [StoredNode] = []
    children.reserveCapacity(names.count)
    for name in names {
      var child = child(name)
      child.status = try child.attempt(.read) { try disk.status(of: name, in: directory) }
      children.append(child)
    }
    return children
  }

  /// Returns the statuses of these names on disk; an absent name has no entry.
  package func presentStatuses(
    of names: some Collection<FileName>
  ) throws(FilePackageError) -> [FileName: FileStatus] {
    var statuses: [FileName: FileStatus] = [:]
    if names.isEmpty { return statuses }
    try attempt(.read, "looking at") {
      let directory = try location.openDirectory(path)
      for name in names { statuses[name] = try disk.statusIfPresent(of: name, in: directory) }
    }
    return statuses
  }

  package func child(_ name: FileName, _ status: FileStatus? = nil) -> StoredNode {
    StoredNode(location: location, path: path.appending(name), status: status)
  }

  /// Reads the destination of the symbolic link.
  package func readLink() throws(FilePackageError) -> [UInt8] {
    guard let name = path.name else { throw FilePackageError(.wrongKind, .read, self) }
    return try attempt(.read) {
      let directory = try location.openDirectory(path.parent)
      if let status, try !disk.status(of: name, in: directory).identity.hasSameContents(as: status.identity) {
        throw FilePackageError(.changedOnDisk, .read, self)
      }
      return try disk.destination(of: name, in: directory)
    }
  }
}
