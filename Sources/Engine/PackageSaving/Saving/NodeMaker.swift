import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

/// Makes the files and links of a new state: from contents, or of files on disk by a hard link, by sharing blocks or by
/// a copy.
struct NodeMaker: ErrorNaming {
  /// A file that was made.
  struct Made {
    /// Its status; nil if nothing asked for it.
    var status: FileStatus?
    /// The hash of its bytes, if it is known.
    var content: ContentHash?
    var size: UInt64 = 0
    /// Whether it has the blocks of its original.
    var isCloned = false
    /// Whether it counts as an unchanged file, and not as a written one.
    var isReused = false
    /// Whether it is a copy only since a link was not possible.
    var isCopied = false
  }

  let location: Location
  private let options: StagedSave.Options
  /// Whether the digests of new files are needed.
  private let hashes: Bool
  private let disk: CountingDisk
  /// Syncs new files while other files are written, if there are many; nil if there are few.
  private let synchronizer: FileSynchronizer?
  private var canLink = true
  private var canClone = true
  /// The folder on disk from which the last original came.
  private var originals: (place: StoredNode, folder: OpenNode)?

  var operation: FilePackageError.Operation { options.operation }

  /// - Parameter synchronizesMany: whether threads sync files together, until `finish()`.
  init(
    at location: Location, on disk: CountingDisk, _ options: StagedSave.Options, hashes: Bool,
    synchronizesMany: Bool = false
  ) {
    (self.location, self.disk, self.options, self.hashes) = (location, disk, options, hashes)
    synchronizer = synchronizesMany ? FileSynchronizer(on: disk) : nil
  }

  /// Throws `cancelled` if the task is cancelled; the callers have committed nothing.
  func checkCancellation() throws(FilePackageError) {
    if options.isCancellable && Task.isCancelled { throw failure(.cancelled, .root) }
  }

  /// Returns the permissions of a node in the new state: a document of its own has no programs and no folders that act
  /// for another user or group.
  func permitted(_ mode: UInt16) -> UInt16 {
    options.sharesFiles || options.keepsRights ? mode : mode & 0o1777
  }

  // MARK: Making

  /// Makes a file, durably; among many files it is durable after `finish()`.
  ///
  /// - Parameter original: the file whose owner, access list and `user.*` attributes it gets, and whose mode if
  ///   `attributes` have none of their own; nil for none.
  mutating func make(
    _ contents: FileContents, _ attributes: NodeAttributes, like original: StoredNode? = nil,
    at path: PackagePath, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Made {
    let file: OwnedDescriptor
    do {
      file = try disk.createFile(name, in: folder, mode: original == nil ? attributes.mode : 0o600)
    } catch {
      if error.code == .fileExists { throw failure(NameTrial.Problem.folded, path) }
      throw FilePackageError(error, operation, node(path))
    }
    let made = try fill(file, contents, attributes, like: original, at: path)
    if let synchronizer {
      synchronizer.add(file, at: path)
    } else {
      try attempt(path) { try disk.synchronize(file) }
    }
    return made
  }

  /// Makes the file on disk at `source` a file of the new state: by a link if it may be one, otherwise as a copy.
  mutating func reuse(
    _ source: StoredNode, _ attributes: NodeAttributes, mayLink: Bool = true,
    at path: PackagePath, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Made {
    guard let status = source.status else { throw failure(.changedOnDisk, path) }
    var wanted = NodeAttributes(status)
    if attributes.modeIsExact { wanted.mode = attributes.mode }
    wanted.modified = attributes.modified ?? status.modified
    let isSame = wanted == NodeAttributes(status)
    if isSame && mayLink, try link(source, at: path, as: name, in: folder) {
      return Made(size: status.size, isReused: true)
    }
    var made = try make(.stored(source), wanted, like: source, at: path, as: name, in: folder)
    made.isReused = options.sharesFiles || made.isCloned
    made.isCopied = options.sharesFiles && isSame
    return made
  }

  /// Gives an unchanged file a second name in the new state.
  ///
  /// - Returns: false if the file system, or the kernel's protection of other users' files, does not allow that.
  private mutating func link(
    _ source: StoredNode, at path: PackagePath, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Bool {
    guard canLink, options.sharesFiles, let old = source.path.name else { return false }
    do throws(SystemError) {
      let originals = try self.folder(of: source)
      try disk.link(old, in: originals.descriptor, to: name, in: folder)
      return true
    } catch {
      guard error.isLackOfLinks else {
        throw FilePackageError(error, operation, node(path), activity: "linking")
      }
      // The next file may have fewer links, or another owner.
      canLink = error.code == .tooManyLinks || error.code == .notPermitted
      return false
    }
  }

  /// Makes a symbolic link, which is synced with its folder.
  ///
  /// - Returns: the hash of its destination.
  func makeLink(
    _ link: PackageSnapshot.Node, _ modified: FileTime?, at path: PackagePath, as name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> ContentHash {
    let destination = try destination(of: link, at: path)
    try attempt(path) { try disk.makeLink(to: destination, modified, named: name, in: folder) }
    return ContentHash(of: destination)
  }

  /// Waits for the files that are being synced.
  func finish() throws(FilePackageError) {
    guard let failure = synchronizer?.wait().first else { return }
    throw FilePackageError(failure.error, operation, node(failure.path))
  }

  // MARK: Bytes

  /// Writes the contents and the attributes of a new file, which the caller then syncs.
  mutating func fill(
    _ file: borrowing OwnedDescriptor, _ contents: FileContents, _ attributes: NodeAttributes,
    like original: StoredNode?, at path: PackagePath
  ) throws(FilePackageError) -> Made {
    do {
      var (made, old): (Made, OpenNode?) = (Made(), nil)
      if case .stored(let source) = contents {
        let bytes = try open(source)
        made = try write(contents, of: bytes, to: file)
        if original?.isSamePlace(as: source) == true { old = bytes }
      } else {
        made = try write(contents, of: nil, to: file)
      }
      var mode = attributes.modeIsExact ? attributes.mode : nil
      if let original, let status = original.status {
        let old = try old ?? open(original)
        try disk.copyAttributes(of: status, from: old.descriptor, on: file)
        mode = mode ?? status.mode
      }
      if let mode { try disk.setMode(permitted(mode), of: file) }
      if let modified = attributes.modified { try disk.setModified(modified, of: file) }
      if hashes { made.status = try disk.status(of: file) }
      return made
    } catch let error as FilePackageError where error.code != .cancelled {
      throw FilePackageError(renaming: error, to: path, of: location, operation)
    } catch {
      throw FilePackageError(any: error, operation, node(path), activity: "writing")
    }
  }

  /// Writes the contents; a file on disk shares its blocks if the file system can.
  private mutating func write(
    _ contents: FileContents, of original: OpenNode?, to file: borrowing OwnedDescriptor
  ) throws -> Made {
    var (hash, made) = (SHA256(), Made())
    if case .stored(let source) = contents, let original {
      // A disk in memory shares nothing with the machine's own.
      made.isCloned =
        try source.disk.isReal == location.disk.isReal && clone(original.descriptor, to: file)
    }
    if made.isCloned && !hashes, let size = contents.size {
      made.size = size
      location.progress.add(Int(clamping: size))
      return made
    }
    try contents.forEachChunk(of: original) { bytes in
      try checkCancellation()
      if hashes { hash.update(bytes) }
      if !made.isCloned { try disk.write(bytes, to: file, at: made.size) }
      made.size += UInt64(bytes.count)
      location.progress.add(bytes.count)
    }
    if hashes { made.content = hash.finalize() }
    return made
  }

  /// Shares the blocks of `source`; returns false if the file system cannot, and then does not try again.
  private mutating func clone(
    _ source: borrowing OwnedDescriptor, to file: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard canClone else { return false }
    do {
      try disk.clone(source, to: file)
      return true
    } catch {
      switch error.code {
      case .notSupported, .invalidArgument, .improperLink, .noFunction, .inappropriateIOCTLForDevice:
        canClone = false
        return false
      default: throw error
      }
    }
  }

  // MARK: Originals

  private mutating func open(_ source: StoredNode) throws(FilePackageError) -> OpenNode {
    let folder = try source.attempt(.read) { try self.folder(of: source) }
    return OpenNode(try source.openFile(in: folder.descriptor))
  }

  /// Opens the folder of a file on disk, and holds it for the next file.
  private mutating func folder(of source: StoredNode) throws(SystemError) -> OpenNode {
    let place = StoredNode(location: source.location, path: source.path.parent)
    if let originals, originals.place.isSamePlace(as: place) { return originals.folder }
    let folder = OpenNode(try place.location.openDirectory(place.path))
    originals = (place, folder)
    return folder
  }
}

extension SaveReport {
  /// Counts a file that a save made.
  mutating func count(_ made: NodeMaker.Made, at path: PackagePath) {
    if made.isReused {
      reused += 1
      bytesReused += made.size
      if made.isCopied { copied += 1 }
    } else {
      written.append(path.string)
      bytesWritten += made.size
    }
  }
}
