package import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat
import Synchronization
package import SystemPackage

/// A hidden folder for files that a save reads afterwards, beside a document or among the system's temporary files.
///
/// It is removed when the program holds nothing any more that was read from it. Until then its lock tells it from a
/// leftover of a crash, which the next such folder beside it removes. The lock is shared, so that a write of a tree into
/// the folder does not wait for it.
package final class WrittenFiles: Sendable {
  /// The path of the folder.
  package let path: FilePath
  private let place: NewPlace
  private let folder: OwnedDescriptor

  private var disk: any Disk { place.disk }

  /// Makes a folder of a name of its own, and sweeps the folder that contains it, which costs a listing.
  private init(in parent: FilePath, on disk: any Disk) throws(SystemError) {
    let parentFolder = OpenNode(try disk.openDirectory(at: parent))
    place = NewPlace(FileName(UUID.new.uuidString), in: parentFolder, on: disk)
    NewPlace.sweep(place.folder, on: disk)
    guard let made = try place.stage(.directory, mode: 0o700, lock: .shared) else {
      throw SystemError("flock", place.staged, code: .resourceBusy)
    }
    folder = made
    path = parent.appending(place.staged)
  }

  // The next sweep removes a folder that cannot be removed here.
  deinit { place.removeStaged() }

  /// Makes a folder beside the document; without a document, or if nothing can be written there, among the temporary
  /// files.
  ///
  /// - Throws: the system's reason.
  package static func folder(
    beside document: FilePath?, on disk: any Disk = PosixDisk()
  ) throws(FilePackageError) -> WrittenFiles {
    if let document, let made = try? WrittenFiles(in: document.folder, on: disk) { return made }
    let temporary = FilePath(FileManager.default.temporaryDirectory.path)
    do {
      return try WrittenFiles(in: temporary, on: PosixDisk())
    } catch {
      var problem = FilePackageError(
        error, .save, StoredNode(location: Location(temporary, on: PosixDisk()), path: .root),
        activity: "making a folder for temporary files")
      problem.subject = .folder
      throw problem
    }
  }

  /// Returns the node under that name, which holds the folder. Its bytes are read when they are saved.
  package func read(_ name: String) throws(FilePackageError) -> FileWrapper {
    let name = FileName(name)
    var node = node(name)
    node.status = try node.attempt(.save, "reading the written files") {
      try disk.status(of: name, in: folder)
    }
    return FileWrapper(node)
  }

  private func node(_ name: FileName) -> StoredNode {
    StoredNode(location: Location(path, on: disk, retaining: self), path: PackagePath([name]))
  }

  /// Makes an empty file under that name, to write it.
  package func makeFile(_ name: FileName) throws(SystemError) -> OpenNode {
    OpenNode(try disk.createFile(name, in: folder, mode: 0o600))
  }

  /// Returns the bytes of a regular file under that name, which hold the folder. They are read when they are saved.
  package func contents(of name: FileName) throws(SystemError) -> FileContents {
    var node = node(name)
    node.status = try disk.status(of: name, in: folder)
    return .stored(node)
  }

  /// The free room for files.
  package func room() throws(SystemError) -> DiskRoom { try disk.room(of: folder) }

  /// Writes a tree under that name.
  package func write(_ tree: FileWrapper, as name: String) throws {
    try tree.write(to: path.appending(name), options: [], original: nil, on: disk)
  }
}
