package import DurableIO
import Glibc
import Synchronization
package import SystemPackage

/// The place of a document on a disk, shared by all that was read from it: when the document moves, one
/// change tells everybody.
package final class Location: Sendable {
  package let disk: any Disk
  private let current: Mutex<FilePath>
  private let package = Mutex(false)
  private let baselines = Mutex(false)
  /// What has to stay as long as anything that was read from here may be asked for.
  private let keeper: (any AnyObject & Sendable)?
  /// How far the save is that is running here.
  package let progress: ByteProgress
  /// Whether it is the folder of one file that stands for itself: errors name the file, which is the document.
  let isOfOneFile: Bool

  package init(
    _ path: FilePath, on disk: any Disk, keeping keeper: (any AnyObject & Sendable)? = nil,
    progress: ByteProgress = ByteProgress(), isOfOneFile: Bool = false
  ) {
    self.disk = disk
    self.isOfOneFile = isOfOneFile
    (self.keeper, self.progress) = (keeper, progress)
    current = Mutex(path)
  }

  /// Whether it is the place of an open package, whose hidden folder is no child.
  var isPackage: Bool {
    get { package.withLock { $0 } }
    set { package.withLock { $0 = newValue } }
  }

  /// Whether reading a file that another program changed leaves known what stood there before, so that overwriting it
  /// is found out all the same: whoever reads is not the one who decides.
  package var keepsBaselines: Bool {
    get { baselines.withLock { $0 } }
    set { baselines.withLock { $0 = newValue } }
  }

  /// The directory that paths start from.
  package var path: FilePath {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Opens the directory at `path`, name by name, so that no symbolic link inside the package is followed.
  ///
  /// - Parameter counting: the disk to ask instead, which counts.
  package func openDirectory(
    _ path: PackagePath, on counting: CountingDisk? = nil
  ) throws(SystemError) -> OwnedDescriptor {
    let disk: any Disk = counting ?? self.disk
    var directory = try disk.openDirectory(at: self.path)
    for name in path.names {
      directory = try disk.openDirectory(name, in: directory)
    }
    return directory
  }
}

/// A node of a document as it is, or was, on disk.
package struct StoredNode: Sendable {
  package var location: Location
  package var path: PackagePath
  /// What the file system said when the node was looked at; nil when it never was.
  package var status: FileStatus?

  package init(location: Location, path: PackagePath, status: FileStatus? = nil) {
    self.location = location
    self.path = path
    self.status = status
  }

  package var disk: any Disk { location.disk }

  /// Whether both name the same place of the same document.
  package func isSamePlace(as other: StoredNode) -> Bool {
    location === other.location && path == other.path
  }

  /// Opens the regular file for reading.
  ///
  /// - Throws: `changedOnDisk` when another file stands in its place, or its bytes are no longer those that
  ///   were there when it was looked at; what the system says when it cannot be opened.
  package func openFile() throws(FilePackageError) -> OwnedDescriptor {
    guard let name = path.name else { throw FilePackageError(.wrongKind, .read, self) }
    do {
      let directory = try location.openDirectory(path.parent)
      let file = try disk.openFile(name, in: directory)
      if let status, try !disk.status(of: file).identity.hasSameContents(as: status.identity) {
        throw FilePackageError(.changedOnDisk, .read, self)
      }
      return file
    } catch let error as SystemError {
      throw FilePackageError(error, .read, self)
    } catch let error as FilePackageError {
      throw error
    } catch {
      throw FilePackageError(.inputOutput, .read, self)
    }
  }
}

extension FileStatus {
  /// Whether the node is still as it was at `earlier`. A moved status time alone is explained by a changed
  /// number of links, owner or mode; otherwise it means that somebody rewrote the file and put its
  /// modification time back.
  package func isUnchanged(since earlier: FileStatus) -> Bool {
    if kind != earlier.kind { return false }
    if kind == .directory { return identity.isSameNode(as: earlier.identity) }
    if identity == earlier.identity { return true }
    guard identity.hasSameContents(as: earlier.identity) else { return false }
    return links != earlier.links || mode != earlier.mode || user != earlier.user || group != earlier.group
  }
}

extension FileStatus {
  /// Whether this process may change what is in the directory, as far as its mode tells.
  var isWritableByUs: Bool {
    let own = geteuid()
    return own == 0 || user != own || mode & 0o300 == 0o300
  }
}
