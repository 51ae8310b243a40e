import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// MP1 The publisher works only on a state whose save is durable, and under the package's lock.
// MP2 A file is durable before it gets its visible name, and so are the bytes that it replaces under their digest.
// MP3 A file that another program changed becomes a conflict version before the new one takes its name.
// MP4 Every step may be done again: publishing after a cut begins from the start.

/// Brings the files of a saved state under their visible names (MP1).
struct ContentPublisher {
  let folder: HiddenFolder
  var disk: any Disk { folder.disk }
  /// The files that are under their names now.
  private(set) var published: [PublishedFile] = []
  /// The files that are gone.
  private(set) var removed: [ContentPath] = []
  /// The files whose place had another program's bytes, which are a conflict version now.
  private(set) var conflicts: [String] = []
  /// The files whose bytes are gone, as if another program removed the hidden folder.
  private(set) var lost: [ContentPath] = []
  /// The digests of the replaced and removed files, whose bytes have a name by them.
  private(set) var retained: Set<Data> = []
  private(set) var bytesWritten: UInt64 = 0
  private(set) var synchronizations = 0
  private var touched: Set<PackagePath> = []
  private var conflictFolder: PackagePath?

  /// The visible files that have the bytes of a digest.
  private let sources: [Data: [ContentPath]]
  /// Whether the document has the bytes of a digest (MT3). A displaced file of other bytes is another program's.
  private let isKnown: (Data) throws(SystemError) -> Bool

  init(
    _ folder: HiddenFolder, sources: [Data: [ContentPath]],
    isKnown: @escaping (Data) throws(SystemError) -> Bool
  ) {
    (self.folder, self.sources, self.isKnown) = (folder, sources, isKnown)
  }

  /// A file that waits in the staging folder for its visible name.
  struct Staged {
    var file: PendingFile
    var digest: Data
    var name: FileName
  }

  /// Publishes the files and the metadata. It may run again after a cut (MP4).
  ///
  /// - Throws: the system's reason. `published` and `removed` then have the files that are done.
  mutating func publish(
    _ files: [PendingFile], metadata: [UInt8]?
  ) throws(SystemError) {
    try recoverDisplaced(files)
    try folder.removeStaged()
    try retain(files)
    let staged = try stage(files)
    if let metadata { try stage(metadata, named: PackageLayout.metadata) }
    if !files.isEmpty { try set(files, staged) }
    if metadata != nil {
      try disk.rename(
        PackageLayout.metadata, in: folder.staging.descriptor, to: PackageLayout.metadata,
        in: folder.root.descriptor, .replace)
      // No sync: if a power cut takes this rename back, opening finds an older generation and writes it again.
    }
    for path in touched.sorted() { try synchronize(try open(path)) }
    touched = []
  }

  // MARK: Staging

  /// The beginning of the names of files that are whole; other names in the staging folder are remains.
  private static let wholePrefix = "file-"

  /// The name of a file in the staging folder: its own before it is published, the displaced one's after that.
  private static func name(_ path: ContentPath) -> FileName {
    FileName(wholePrefix + ContentObjects.name(Data(ContentHash(of: path.path.bytes).bytes)).string)
  }

  /// The name there of a displaced file, if the file system cannot exchange two names.
  static func displaced(_ path: ContentPath) -> FileName { FileName(name(path).string + "-") }

  /// Makes conflict versions of another program's files, folders and links that a killed publisher displaced (MP3).
  private mutating func recoverDisplaced(
    _ files: [PendingFile]
  ) throws(SystemError) {
    let listing = try disk.list(folder.staging.descriptor)
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      guard name.string.hasPrefix(Self.wholePrefix) else { continue }
      if listing.kind(at: position) == .file {
        let digest = try disk.contentHash(of: disk.openFile(name, in: folder.staging.descriptor))
        if try isKnown(Data(digest.bytes)) { continue }
      }
      let path = files.first { [Self.name($0.path), Self.displaced($0.path)].contains(name) }?.path
      try moveToConflicts(name, path ?? ContentPath(stored: name.string))
    }
  }

  private mutating func stage(_ files: [PendingFile]) throws(SystemError) -> [Staged] {
    var staged: [Staged] = []
    for file in files {
      guard let digest = file.digest else { continue }
      // The visible file may have these bytes already, as after a cut.
      if let status = try visible(file.path), try isVisible(file, digest, status) {
        // A publishing that was cut short may have given the name without a sync.
        if file.published?.isSame(as: status) != true {
          touched.insert(file.path.path.parent.inContentFolder)
        }
        published.append(PublishedFile(path: file.path, digest: digest, status))
        continue
      }
      let name = Self.name(file.path)
      if let bytes = file.bytes {
        try stage(Array(bytes), named: name)
      } else if try !link(digest, to: name) {
        if let old = file.published, old.digest == digest {
          // An undone edit left the file as it was: another program's since then.
          published.append(old)
        } else {
          lost.append(file.path)
        }
        continue
      }
      staged.append(Staged(file: file, digest: digest, name: name))
    }
    return staged
  }

  static let unfinished: FileName = "unfinished"

  private mutating func stage(_ bytes: [UInt8], named name: FileName) throws(SystemError) {
    let file = try disk.createFile(Self.unfinished, in: folder.staging.descriptor, mode: 0o666)
    try disk.write(bytes, to: file, at: 0)
    try synchronize(file)
    try disk.rename(
      Self.unfinished, in: folder.staging.descriptor, to: name, in: folder.staging.descriptor, .replace)
    bytesWritten += UInt64(bytes.count)
  }

  /// Gives the file of a digest a name in the staging folder.
  private mutating func link(_ digest: Data, to name: FileName) throws(SystemError) -> Bool {
    let (source, target) = (ContentObjects.name(digest), folder.staging)
    do {
      let stored = try disk.openDirectory(ContentObjects.folder, in: folder.folder)
      // A program that writes one of two files in place would change both, if they had one node.
      let isShared = try disk.status(of: source, in: stored).links > 1
      let isMade =
        isShared
        ? try duplicate(source, in: stored, to: name, in: target.descriptor, ifIs: digest)
        : try link(source, in: stored, to: name, in: target.descriptor, ifIs: digest)
      if isMade { return true }
    } catch  where error.isAbsence {
      // Then no file has this digest as its name.
    }
    // The bytes may be under another visible name only, as after a file was copied or moved within the document.
    return try copy(digest, to: name, ContentObjects(folder.location))
  }

  private mutating func copy(
    _ digest: Data, to name: FileName, _ objects: ContentObjects
  ) throws(SystemError) -> Bool {
    for path in sources[digest] ?? [] {
      guard let source = try objects.openVisible(path.path), try objects.digest(of: source) == digest else {
        continue
      }
      try stage(Array(objects.readAll(source)), named: name)
      return true
    }
    return false
  }

  // MARK: Setting

  private mutating func set(_ files: [PendingFile], _ staged: [Staged]) throws(SystemError) {
    if try disk.makeDirectoryIfAbsent(ContentObjects.contentFolder, in: folder.root.descriptor) {
      touched.insert(.root)
    }
    for file in files where file.digest == nil { try remove(file) }
    for file in staged { try put(file) }
  }

  /// Gives the published bytes that are replaced or removed a name by their digest (MP2).
  private mutating func retain(_ files: [PendingFile]) throws(SystemError) {
    var isToSync = false
    for file in files {
      guard try retain(file), let digest = file.published?.digest else { continue }
      retained.insert(digest)
      isToSync = true
    }
    if isToSync { try synchronize(try disk.openDirectory(ContentObjects.folder, in: folder.folder)) }
  }

  /// Returns whether the name of the bytes has to be synced.
  private mutating func retain(_ file: PendingFile) throws(SystemError) -> Bool {
    guard let old = file.published, old.digest != file.digest, let name = file.path.path.name,
      let status = try visible(file.path)
    else { return false }
    if !old.isSame(as: status), try !hasBytes(old.digest, file.path) { return false }
    if try disk.makeDirectoryIfAbsent(ContentObjects.folder, in: folder.folder) {
      try synchronize(folder.folder)
    }
    do {
      return try link(
        name, in: try open(file.path.path.parent.inContentFolder), to: ContentObjects.name(old.digest),
        in: disk.openDirectory(ContentObjects.folder, in: folder.folder), ifIs: old.digest)
    } catch  where error.code == .fileExists {
      // A publisher that was killed may have made the name, and not synced it.
      return true
    }
  }

  private mutating func remove(_ file: PendingFile) throws(SystemError) {
    if try visible(file.path) != nil, let name = file.path.path.name {
      let parent = file.path.path.parent.inContentFolder
      let displaced = Self.name(file.path)
      try displace(name, in: try open(parent), as: displaced)
      touched.insert(parent)
      try dispose(of: displaced, file)
      try removeEmptyFolders(above: file.path.path)
    }
    removed.append(file.path)
  }

  private mutating func put(_ staged: Staged) throws(SystemError) {
    let path = staged.file.path.path
    guard let name = path.name else { return }
    let parent = path.parent.inContentFolder
    try makeFolders(path.parent)
    let directory = try open(parent)
    touched.insert(parent)
    let old = try disk.statusIfPresent(of: name, in: directory)
    if let old { try copyAttributes(of: old, name, in: directory, to: staged.name) }
    // A rename leaves the status as it is. A later edit by another program gives the file another one.
    let status = try disk.status(of: staged.name, in: folder.staging.descriptor)
    if old == nil {
      try place(staged.name, as: name, in: directory)
    } else {
      try exchange(staged, name, in: directory)
    }
    published.append(PublishedFile(path: staged.file.path, digest: staged.digest, status))
  }

  /// Removes a displaced file, or makes it a conflict version if it is not the published one (MP3).
  mutating func dispose(of displaced: FileName, _ file: PendingFile) throws(SystemError) {
    if try isExpected(displaced, in: folder.staging.descriptor, file) {
      // A file that cannot be removed here goes before the next publishing.
      disk.removeEverything(displaced, from: folder.staging.descriptor)
    } else {
      try moveToConflicts(displaced, file.path)
    }
  }

  /// Returns whether a visible or displaced file is the published one, or has other bytes of the document.
  ///
  /// If the rows of an earlier publishing could not be written, the file has the bytes of a save in between.
  func isExpected(
    _ name: FileName, in directory: borrowing OwnedDescriptor, _ file: PendingFile
  ) throws(SystemError) -> Bool {
    let status = try disk.status(of: name, in: directory)
    guard status.kind == .file else { return false }
    if let old = file.published, old.isSame(as: status) { return true }
    let opened = try disk.openFile(name, in: directory)
    return try isKnown(Data(disk.contentHash(of: opened).bytes))
  }

  mutating func moveToConflicts(_ displaced: FileName, _ path: ContentPath) throws(SystemError) {
    guard let name = path.path.name else { return }
    let top = conflictFolder ?? PackagePath([PackageLayout.conflicts, FileName(UUID().uuidString)])
    conflictFolder = top
    var directory = try disk.openDirectory(PackageLayout.hidden, in: folder.root.descriptor)
    for name in top.names + [ContentObjects.contentFolder] + path.path.parent.names {
      try disk.makeDirectoryIfAbsent(name, in: directory)
      try synchronize(directory)
      directory = try disk.openDirectory(name, in: directory)
    }
    if try disk.exists(name, in: directory) {
      // An earlier state of the file, which a killed publisher displaced.
      conflictFolder = nil
      return try moveToConflicts(displaced, path)
    }
    try disk.rename(displaced, in: folder.staging.descriptor, to: name, in: directory, .replace)
    try synchronize(directory)
    conflicts.append("\(ContentObjects.contentFolder.string)/\(path.path.display)")
  }

  private func copyAttributes(
    of status: FileStatus, _ name: FileName, in directory: borrowing OwnedDescriptor, to staged: FileName
  ) throws(SystemError) {
    guard status.kind == .file else { return }
    let file = try disk.openFileForWriting(staged, in: folder.staging.descriptor)
    // A large file shares its inode with the one under its digest, which has no other name.
    try disk.setMode(status.mode, of: file)
    try disk.copyAttributes(of: status, from: disk.openFile(name, in: directory), on: file)
  }

  // MARK: Folders

  private func open(_ path: PackagePath) throws(SystemError) -> OwnedDescriptor {
    try folder.location.openDirectory(path)
  }

  private mutating func makeFolders(_ path: PackagePath) throws(SystemError) {
    var parent = PackagePath.root.inContentFolder
    for name in path.names {
      if try disk.makeDirectoryIfAbsent(name, in: open(parent)) { touched.insert(parent) }
      parent = parent.appending(name)
    }
  }

  private mutating func removeEmptyFolders(above path: PackagePath) throws(SystemError) {
    var folder = path.parent
    while !folder.isRoot, let name = folder.name {
      let parent = folder.parent.inContentFolder
      do {
        try disk.removeDirectory(name, in: open(parent))
      } catch  where error.code == .directoryNotEmpty || error.code == .fileExists || error.isAbsence {
        return
      }
      touched.remove(folder.inContentFolder)
      touched.insert(parent)
      folder = folder.parent
    }
  }

  // MARK: Looking

  /// Returns the status of the visible file; nil if there is none.
  private func visible(_ path: ContentPath) throws(SystemError) -> FileStatus? {
    guard let name = path.path.name else { return nil }
    do {
      return try disk.statusIfPresent(of: name, in: open(path.path.parent.inContentFolder))
    } catch  where error.isAbsence {
      return nil
    }
  }

  private func isVisible(
    _ file: PendingFile, _ digest: Data, _ status: FileStatus
  ) throws(SystemError) -> Bool {
    guard status.kind == .file else { return false }
    if let old = file.published, old.digest == digest, old.isSame(as: status) { return true }
    return try hasBytes(digest, file.path)
  }

  /// Reads a visible file, as after a copy of the package, whose files have other inodes.
  private func hasBytes(_ digest: Data, _ path: ContentPath) throws(SystemError) -> Bool {
    let objects = ContentObjects(folder.location)
    guard let opened = try objects.openVisible(path.path) else { return false }
    return try objects.digest(of: opened) == digest
  }

  mutating func synchronize(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try folder.disk.synchronize(file)
    synchronizations += 1
  }
}
