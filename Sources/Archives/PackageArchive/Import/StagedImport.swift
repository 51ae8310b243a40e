import DurableIO
import FilePackages
import SystemPackage

// I1 Nothing under the package's name changes before the rename.
// I2 An error leaves nothing.

/// A package that is made of an archive's entries beside its place and moved there in one step.
final class StagedImport: ImportSink {
  private let disk: any Disk
  private let place: NewPlace
  /// The path of the staged folder.
  private let path: FilePath
  private let root: OpenNode
  private let synchronizer: FileSynchronizer
  private var isDone = false

  private var folders: [Folder] = []
  private var links = PendingLinks()
  /// The open folders from the root to the last one in use.
  private var way: [(name: FileName, folder: OpenNode)] = []

  /// A new folder with its final attributes.
  private struct Folder {
    var path: PackagePath
    var mode: UInt16 = 0o755
    var modified: FileTime?
  }

  /// Begins a package for `path`, which must be free.
  ///
  /// - Throws: `fileExists`; `busy` if another process makes the same package.
  init(at path: FilePath, on disk: any Disk) throws {
    self.disk = disk
    synchronizer = FileSynchronizer(on: disk)
    do {
      guard let place = try NewPlace(at: path, on: disk) else {
        throw ArchiveError.Finding(.unsafeName, "a package cannot have that name")
      }
      // This is also necessary if the killed import had done everything else.
      try place.cleanUpAll()
      guard try place.status() == nil else {
        throw ArchiveError.Finding(.fileExists, "an item exists at '\(place.name.display)' already")
      }
      guard let root = try place.stage(.directory, mode: 0o700) else {
        throw ArchiveError.Finding(.busy, "another program is making that package")
      }
      self.place = place
      self.root = OpenNode(root)
      self.path = path.folder.appending(place.staged)
    } catch let error as SystemError {
      throw ArchiveError.Finding(error, "making the package")
    }
  }

  deinit {
    // The caller reports the error that led here (I2). The next import removes files that cannot be removed here.
    if !isDone { place.removeStaged() }
  }

  // MARK: Entries

  func addFolder(_ path: PackagePath, _ entry: ArchiveEntry) throws {
    let folder = try open(path, for: entry)  // It makes the folder.
    folders.append(Folder(path: path, mode: entry.mode & 0o777, modified: entry.modified))
    // Now, so that memory holds the attributes of one entry.
    try attempt(entry) { () throws(SystemError) in try setAttributes(of: entry, on: folder.descriptor) }
  }

  func addFile(
    _ path: PackagePath, _ entry: ArchiveEntry,
    _ body: ((UnsafeRawBufferPointer, UInt64) throws -> Void) throws -> Void
  ) throws {
    let parent = try open(path.parent, for: entry)
    let name = path.names[path.names.count - 1]
    let file = try attempt(entry) { () throws(SystemError) in
      try disk.createFile(name, in: parent.descriptor, mode: 0o600)
    }
    var writer = SparseWriter(disk)
    try body { bytes, offset in
      do throws(SystemError) {
        try writer.write(bytes, to: file, at: offset)
      } catch {
        throw ArchiveError.Finding(error, entry: entry.name, "writing")
      }
    }
    try attempt(entry) { () throws(SystemError) in
      try writer.finish(file, size: entry.size ?? 0)
      try setAttributes(of: entry, on: file)
      try disk.setMode(entry.mode & 0o777, of: file)
      if let modified = entry.modified { try disk.setModified(modified, of: file) }
    }
    synchronizer.add(file)
  }

  /// Sets an entry's attributes; does nothing on a disk without extended attributes.
  private func setAttributes(
    of entry: ArchiveEntry, on node: borrowing OwnedDescriptor
  ) throws(SystemError) {
    for (name, value) in entry.attributes where name.hasPrefix("user.") {
      do {
        try disk.setExtendedAttribute(name, value, of: node)
      } catch  where error.code == .notSupported {
        return
      }
    }
  }

  func addCopy(_ path: PackagePath, of original: PackagePath, _ entry: ArchiveEntry) throws {
    let source = try attempt(entry) { [self] () throws(SystemError) in
      try disk.openFile(
        original.names[original.names.count - 1], in: try openUnnamed(original.parent).descriptor)
    }
    var entry = entry
    entry.size = try size(of: original)
    let size = entry.size ?? 0
    try addFile(path, entry) { write in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
      defer { buffer.deallocate() }
      var offset: UInt64 = 0
      while offset < size {
        let count = try attempt(entry) { () throws(SystemError) in
          try disk.read(source, at: offset, into: buffer)
        }
        if count == 0 {
          throw ArchiveError.Finding(.inputOutput, entry: entry.name, "its original is cut short")
        }
        try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset)
        offset += UInt64(count)
      }
    }
  }

  func removeFile(at path: PackagePath, _ entry: ArchiveEntry) throws {
    let parent = try open(path.parent, for: entry)
    try attempt(entry) { () throws(SystemError) in
      try disk.removeFile(path.names[path.names.count - 1], in: parent.descriptor)
    }
  }

  func size(of path: PackagePath) throws -> UInt64 {
    do {
      return try disk.status(of: path.names[path.names.count - 1], in: openUnnamed(path.parent).descriptor)
        .size
    } catch {
      throw ArchiveError.Finding(error, entry: path.bytes, "reading it again")
    }
  }

  func addLink(_ path: PackagePath, to target: [UInt8], _ entry: ArchiveEntry) throws {
    _ = try open(path.parent, for: entry)  // It makes the folder.
    links.add(path, target, entry)
  }

  // MARK: Folders

  private func open(_ path: PackagePath, for entry: ArchiveEntry) throws -> OpenNode {
    try attempt(entry) { () throws(SystemError) in try openUnnamed(path) }
  }

  /// Opens a folder name by name, from the last one in use, and makes missing folders.
  private func openUnnamed(_ path: PackagePath) throws(SystemError) -> OpenNode {
    let common = zip(way, path.names).prefix { $0.0.name == $0.1 }.count
    way.removeSubrange(common...)
    for name in path.names[common...] {
      let parent = way.last?.folder ?? root
      way.append((name, try openOrMake(name, in: parent)))
    }
    return way.last?.folder ?? root
  }

  private func openOrMake(_ name: FileName, in parent: OpenNode) throws(SystemError) -> OpenNode {
    do {
      return OpenNode(try disk.openDirectory(name, in: parent.descriptor))
    } catch  where error.code == .noSuchFileOrDirectory {
      try disk.makeDirectory(name, in: parent.descriptor, mode: 0o700)
      let made = way.map(\.name) + [name]
      folders.append(Folder(path: PackagePath(made)))
      return OpenNode(try disk.openDirectory(name, in: parent.descriptor))
    }
  }

  private func attempt<Value: ~Copyable>(
    _ entry: ArchiveEntry, _ body: () throws(SystemError) -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch {
      throw ArchiveError.Finding(error, entry: entry.name, "writing")
    }
  }

  // MARK: The end

  /// Makes the links last, when all other entries are in place: so the import never writes a file through a link.
  ///
  /// - Throws: a finding for a link that leads out of the package at `top`, unless `options` allows that.
  func makeLinks(in top: FileName?, _ options: ImportOptions) throws {
    for link in try links.checked(in: top, options) {
      let parent = try open(link.path.parent, for: link.entry)
      let name = link.path.names[link.path.names.count - 1]
      try attempt(link.entry) { () throws(SystemError) in
        try disk.makeSymbolicLink(to: link.target, named: name, in: parent.descriptor)
        if let modified = link.entry.modified {
          try disk.setModified(modified, of: name, in: parent.descriptor)
        }
      }
    }
  }

  /// Moves the package into its place (I1); when the call returns, the package is durable.
  ///
  /// Every file and every folder is synced before the rename, and the folder that holds the package after it.
  ///
  /// - Parameter top: the folder among the entries that is the package; nil if the entries are its children.
  /// - Throws: `CancellationError` if the task is cancelled before the package has its place.
  func commit(top: FileName?, _ cancellation: Cancellation) throws {
    let package = PackagePath(top.map { [$0] } ?? [])
    let restricted: [Folder]
    do {
      restricted = try finishFolders(package)
      try synchronizer.finish()
      try noteChildren(package, cancellation)
      _ = try openUnnamed(package)  // It stays open, since it leaves the root.
      try putInPlace(top)
    } catch let error as SystemError {
      throw ArchiveError.Finding(error, "moving the package to its place")
    }
    try ArchiveError.inPlace { () throws(SystemError) in
      for made in restricted {
        let folder = try openUnnamed(made.path)
        try disk.setMode(made.mode, of: folder.descriptor)
        try disk.synchronize(folder.descriptor)
      }
      try place.synchronize()
    }
  }

  /// Sets the mode and the date of each folder, the deepest first, and syncs it.
  ///
  /// - Returns: the folders that lack a permission for their owner, and get their mode in the package's place. Before
  ///   that, the package could not be moved there, nor removed by this import or the next one.
  private func finishFolders(_ package: PackagePath) throws(SystemError) -> [Folder] {
    // The last entry of a folder decides.
    let last = Dictionary(folders.map { ($0.path, $0) }) { $1 }
    let sorted = last.values.sorted { $1.path < $0.path }
    for made in sorted {
      let folder = try openUnnamed(made.path)
      try disk.setMode(made.mode | 0o700, of: folder.descriptor)
      if let modified = made.modified { try disk.setModified(modified, of: folder.descriptor) }
      try disk.synchronize(folder.descriptor)
    }
    if package.isRoot, last[.root] == nil { try disk.setMode(0o755, of: root.descriptor) }
    try disk.synchronize(root.descriptor)
    return sorted.filter { $0.mode & 0o700 != 0o700 }
  }

  /// Gives a document of this library the log that no archive has.
  private func noteChildren(_ package: PackagePath, _ cancellation: Cancellation) throws {
    let location = Location(package.names.reduce(path) { $0.appending($1) }, on: disk)
    do throws(FilePackageError) {
      guard try PackageWriter.noteChildren(at: location, unless: { cancellation.isCancelled }) else { return }
    } catch {
      try cancellation.check()
      let number = error.systemErrorNumber ?? Errno.ioError.rawValue
      var finding = ArchiveError.Finding(
        ArchiveError.Code(Errno(rawValue: number)),
        "\(error.reason ?? error.code.words) (noting the children)")
      finding.systemErrorNumber = number
      throw finding
    }
    let folder = try openUnnamed(package)
    if let modified = folders.last(where: { $0.path == package })?.modified {
      try disk.setModified(modified, of: folder.descriptor)
    }
    try disk.synchronize(folder.descriptor)
  }

  private func putInPlace(_ top: FileName?) throws(SystemError) {
    try place.take(top, from: top.map { _ in root })
    isDone = true
    // Only files of file managers are left; the next import removes the staged folder if this call cannot.
    if top != nil { place.removeStaged() }
  }
}
