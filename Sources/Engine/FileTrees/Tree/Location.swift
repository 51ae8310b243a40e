package import DurableIO
package import FoundationEssentials
package import PackageFormat
import Synchronization
package import SystemPackage

/// The place of a document on a disk.
///
/// All nodes that were read from the document share it, so one change moves all of them.
package final class Location: Sendable {
  package let disk: any Disk
  private let current: Mutex<FilePath>
  private let package = Mutex(false)
  /// An object that must live as long as a node from this place.
  private let owner: (any AnyObject & Sendable)?
  /// The progress of the save that is running at this place.
  package let progress: ByteProgress
  /// The files that the program has read since the last save.
  package let readFiles = ReadFiles()
  /// Whether this is the folder of a flat file: errors then name the file, which is the document.
  let isOfOneFile: Bool

  package init(
    _ path: FilePath, on disk: any Disk, retaining owner: (any AnyObject & Sendable)? = nil,
    progress: ByteProgress = ByteProgress(), isOfOneFile: Bool = false
  ) {
    self.disk = disk
    self.isOfOneFile = isOfOneFile
    (self.owner, self.progress) = (owner, progress)
    current = Mutex(path)
  }

  /// Whether this is the place of an open package, whose hidden folder is no child.
  package var isPackage: Bool {
    get { package.withLock { $0 } }
    set { package.withLock { $0 = newValue } }
  }

  /// The directory that paths start from.
  package var path: FilePath {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// The directory that paths start from, as a URL.
  package var url: URL { URL(filePath: FileName(path).string, directoryHint: .isDirectory) }

  /// Opens the directory at `path`, name by name, so that it follows no symbolic link inside the package.
  package func openDirectory(_ path: PackagePath) throws(SystemError) -> OwnedDescriptor {
    var directory = try disk.openDirectory(at: self.path)
    for name in path.names {
      directory = try disk.openDirectory(name, in: directory)
    }
    return directory
  }

  /// Opens the package's hidden folder; nil if there is none, or if a store that closes has just removed it.
  package func openHiddenFolder() throws(SystemError) -> OwnedDescriptor? {
    let package = try openDirectory(.root)
    guard try disk.statusIfPresent(of: PackageLayout.hidden, in: package)?.kind == .directory else {
      return nil
    }
    do {
      return try disk.openDirectory(PackageLayout.hidden, in: package)
    } catch  where error.code == .noSuchFileOrDirectory {
      return nil
    }
  }
}

/// A node of a document as it is, or was, on disk.
package struct StoredNode: Sendable {
  package var location: Location
  package var path: PackagePath
  /// The status of the node when it was last looked at; nil if it never was.
  package var status: FileStatus?

  package init(location: Location, path: PackagePath, status: FileStatus? = nil) {
    self.location = location
    self.path = path
    self.status = status
  }

  package var disk: any Disk { location.disk }

  /// The path on the disk.
  package var filePath: FilePath {
    var whole = location.path
    for name in path.names { whole.append(FilePath(lossless: name.string).components) }
    return whole
  }

  /// Returns whether both name the same place of the same document.
  package func isSamePlace(as other: StoredNode) -> Bool {
    location === other.location && path == other.path
  }

  /// Opens the regular file for reading.
  ///
  /// - Throws: `changedOnDisk` if another file stands in its place, or if its bytes changed since it was looked at. The
  ///   system's error if it cannot be opened.
  package func openFile() throws(FilePackageError) -> OwnedDescriptor {
    return try attempt(.read) {
      try openFile(in: location.openDirectory(path.parent))
    }
  }

  /// Opens the regular file in its folder, which is open.
  package func openFile(in folder: borrowing OwnedDescriptor) throws(FilePackageError) -> OwnedDescriptor {
    guard let name = path.name else { throw FilePackageError(.wrongKind, .read, self) }
    return try attempt(.read) {
      let file = try disk.openFile(name, in: folder)
      if let status, try !disk.status(of: file).identity.hasSameContents(as: status.identity) {
        throw FilePackageError(.changedOnDisk, .read, self)
      }
      return file
    }
  }
}

extension FileStatus {
  /// Returns whether the node is still as it was at `earlier`.
  ///
  /// A new number of links, owner or mode explains a moved status time. Otherwise a moved status time alone means that
  /// a program rewrote the file and put its modification time back.
  package func isUnchanged(since earlier: FileStatus) -> Bool {
    if kind != earlier.kind { return false }
    if kind == .directory { return identity.isSameNode(as: earlier.identity) }
    if identity == earlier.identity { return true }
    guard identity.hasSameContents(as: earlier.identity) else { return false }
    return links != earlier.links || mode != earlier.mode || user != earlier.user || group != earlier.group
  }
}
