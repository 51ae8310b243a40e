package import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat
import Synchronization
package import SystemPackage

/// A hidden folder for files that a save reads afterwards, beside a document or among the system's temporary files.
///
/// It is removed when the program holds nothing any more that was read from it. Until then it is locked. The lock tells
/// a leftover of a crash from a folder that another process is writing; the next program that makes one removes the
/// leftover.
package final class WrittenFiles: Sendable {
  /// The path of the folder for the files, which is in the hidden folder.
  package let path: FilePath
  private let name: FileName
  private let parent: FilePath
  /// The hidden folder. A write of a tree must not wait for its lock, so that the files are in another one.
  private let locked: OwnedDescriptor
  private let folder: OwnedDescriptor
  private let disk: any Disk

  private init(
    _ name: FileName, in parent: FilePath, _ locked: consuming OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) {
    self.disk = disk
    try disk.makeDirectory(Self.files, in: locked, mode: 0o700)
    folder = try disk.openDirectory(Self.files, in: locked)
    (self.name, self.parent) = (name, parent)
    self.locked = locked
    path = parent.appending(name.string).appending(Self.files.string)
  }

  private static let files = FileName("Files")

  deinit {
    // A folder that cannot be removed here goes when the next one is made.
    if let parent = try? disk.openDirectory(at: parent) { disk.removeEverything(name, from: parent) }
  }

  /// Makes a folder beside the document; without a document, or if nothing can be written there, among the temporary
  /// files.
  ///
  /// - Throws: the system's reason.
  package static func folder(
    beside document: FilePath?, on disk: any Disk = PosixDisk()
  ) throws(FilePackageError) -> WrittenFiles {
    if let document, let name = document.lastComponent {
      let names = TemporarySiblings(of: FileName(name), on: disk).name(.written)
      if let made = try? make(names, in: document.folder, on: disk) { return made }
    }
    let temporary = FilePath(FileManager.default.temporaryDirectory.path)
    do {
      return try make(".docpkg-written", in: temporary, on: PosixDisk())
    } catch {
      var problem = FilePackageError(
        error, .save, StoredNode(location: Location(temporary, on: PosixDisk()), path: .root),
        activity: "making a folder for temporary files")
      problem.subject = .folder
      throw problem
    }
  }

  /// Tries names until one is free, or was left by a crash.
  private static func make(
    _ name: FileName, in parent: FilePath, on disk: any Disk
  ) throws(SystemError) -> WrittenFiles {
    let directory = try disk.openDirectory(at: parent)
    let siblings = TemporarySiblings(of: name, on: disk)
    var number = 0
    while true {
      let name = FileName("\(name.string)\(number)")
      number += 1
      do {
        try disk.makeDirectory(name, in: directory, mode: 0o700)
      } catch  where error.code == .fileExists && number < 1000 {
        guard let left = try? disk.openDirectory(name, in: directory), siblings.isLockedForUs(left),
          try disk.isName(name, in: directory, of: left), siblings.remove(name, from: directory)
        else { continue }
        number -= 1
        withExtendedLifetime(left) {}
        continue
      }
      // Another process may have taken it for a leftover of a crash, and removed it before or after this opening.
      let folder: OwnedDescriptor
      do {
        folder = try disk.openDirectory(name, in: directory)
      } catch  where error.code == .noSuchFileOrDirectory {
        continue
      }
      guard siblings.isLockedForUs(folder), try disk.isName(name, in: directory, of: folder) else { continue }
      return try WrittenFiles(name, in: parent, folder, on: disk)
    }
  }

  /// Returns the node under that name, which holds the folder. Its bytes are read when they are saved.
  package func read(_ name: String) throws(FilePackageError) -> FileWrapper {
    let location = Location(path, on: disk, retaining: self)
    var node = StoredNode(location: location, path: PackagePath([FileName(name)]))
    do {
      node.status = try disk.status(of: FileName(name), in: folder)
    } catch {
      throw FilePackageError(error, .save, node, activity: "reading the written files")
    }
    return FileWrapper(state: FileWrapper.State(node, name: FileName(name)))
  }

  /// Makes an empty file under that name, to write it.
  package func makeFile(_ name: FileName) throws(SystemError) -> OpenNode {
    OpenNode(try disk.createFile(name, in: folder, mode: 0o600))
  }

  /// Returns the bytes of a regular file under that name, which hold the folder. They are read when they are saved.
  package func contents(of name: FileName) throws(SystemError) -> FileContents {
    .stored(
      StoredNode(
        location: Location(path, on: disk, retaining: self), path: PackagePath([name]),
        status: try disk.status(of: name, in: folder)))
  }

  /// The free room for files.
  package func room() throws(SystemError) -> DiskRoom { try disk.room(of: folder) }

  /// Writes a tree under that name.
  package func write(_ tree: FileWrapper, as name: String) throws {
    var tree = tree
    // A disk in memory shares nothing with this one.
    if let stored = tree.state.withLock({ $0.stored }), !stored.disk.isReal,
      let bytes = tree.serializedRepresentation
    {
      tree = FileWrapper(serializedRepresentation: bytes) ?? tree
    }
    try tree.write(to: path.appending(name), options: [], original: nil, on: disk)
  }
}
