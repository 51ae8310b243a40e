package import DurableIO
import FilePackages
public import FoundationEssentials
package import SystemPackage

/// Objects as files of a folder, on a mounted or an external disk.
///
/// A file gets its name after its bytes are durable. A call returns after the name is durable, too. With `ifAbsent`,
/// `put` makes a hard link, which fails if the name exists. File systems without hard links rename without replacing.
/// Cost of a `put`: two flushes, and one more for each new folder.
public struct FolderStore: ObjectStore {
  /// The place of the store in the words of an error.
  public let place: String
  let path: FilePath
  let disk: any Disk

  /// Names in this folder are no keys: they begin with a dot.
  static let uploads: FileName = ".uploads"

  /// Makes a store in the existing folder at `url`.
  ///
  /// - Throws: `noSuchStore` if `url` is not a file URL. A missing folder is an error of each later call.
  public init(at url: URL) throws(ObjectStoreError) {
    do {
      self.init(try FilePath(of: url, for: .open), on: PosixDisk())
    } catch {
      throw ObjectStoreError(.noSuchStore, .open, in: url.path, reason: error.reason)
    }
  }

  package init(_ path: FilePath, on disk: any Disk) {
    (self.path, self.disk) = (path, disk)
    place = FileName(path).display
  }

  // MARK: Calls

  /// Makes a call, on a thread of its own.
  public func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    do throws(SystemError) {
      return try await BlockingThread().run { () throws(SystemError) in try answer(call) }
    } catch {
      throw ObjectStoreError(error, call.operation, in: place, key: call.key)
    }
  }

  private func answer(_ call: StoreCall) throws(SystemError) -> StoreAnswer {
    switch call {
    case .put(let bytes, let key, let ifAbsent):
      .stored(try store(bytes, at: key, ifAbsent: ifAbsent))
    case .get(let key, let limit): .bytes(try read(key, limit: limit))
    case .head(let key): .object(try status(of: key))
    case .list(let prefix, let start, let limit):
      .page(
        try FolderWalk(disk: disk, prefix: prefix, start: start, limit: max(1, limit)).page(
          of: path))
    case .delete(let key): try remove(key)
    }
  }

  private func store(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) throws(SystemError) -> Bool {
    let root = try disk.openDirectory(at: path)
    if ifAbsent, try exists(key) { return false }
    let uploads = try folder([Self.uploads], in: root)
    let staged = FileName(UUID().uuidString)
    do throws(SystemError) {
      let file = try disk.createFile(staged, in: uploads, mode: 0o666)
      try disk.write(Array(bytes), to: file, at: 0)
      try disk.synchronize(file)
      let (names, name) = (key.folderNames, key.fileName)
      let parent = try folder(names, in: root)
      let isStored = try publish(staged, in: uploads, as: name, in: parent, ifAbsent: ifAbsent)
      // Also if another program has made the name: it may not have synced it yet.
      try disk.synchronize(parent)
      if !isStored || ifAbsent { disk.removeEverything(staged, from: uploads) }
      return isStored
    } catch {
      // The error counts, not the remains: `removeRemains()` removes them.
      disk.removeEverything(staged, from: uploads)
      throw error
    }
  }

  private func read(_ key: ObjectKey, limit: Int) throws(SystemError) -> Data? {
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try disk.openFile(key.fileName, in: directory(key.folderNames))
    } catch {
      if try isAbsent(error) { return nil }
      throw error
    }
    let size = min(limit, Int(clamping: try disk.status(of: file).size))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    var count = 0
    while count < size {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let read = try disk.read(file, at: UInt64(count), into: rest)
      if read == 0 { break }
      count += read
    }
    return Data(buffer[..<count])
  }

  private func status(of key: ObjectKey) throws(SystemError) -> StoredObject? {
    do throws(SystemError) {
      let status = try disk.status(of: key.fileName, in: directory(key.folderNames))
      return status.kind == .file ? StoredObject(key, status) : nil
    } catch {
      if try isAbsent(error) { return nil }
      throw error
    }
  }

  private func remove(_ key: ObjectKey) throws(SystemError) -> StoreAnswer {
    do throws(SystemError) {
      let parent = try directory(key.folderNames)
      try disk.removeFile(key.fileName, in: parent)
      try disk.synchronize(parent)
    } catch {
      if try !isAbsent(error) { throw error }
    }
    return .removed
  }

  /// Removes the staged files of puts that were cut off more than two days ago.
  public func removeRemains() async throws(ObjectStoreError) {
    do throws(SystemError) {
      try await BlockingThread().run { () throws(SystemError) in try removeUploads() }
    } catch {
      throw ObjectStoreError(error, .delete, in: place, key: nil)
    }
  }

  private func removeUploads() throws(SystemError) {
    let root = try disk.openDirectory(at: path)
    guard try disk.statusIfPresent(of: Self.uploads, in: root) != nil else { return }
    let uploads = try disk.openDirectory(Self.uploads, in: root)
    let listing = try disk.list(uploads)
    // The clock of a file server dates the files: this machine's may be days ahead.
    let new = FileName(UUID().uuidString)
    let now = try disk.status(of: disk.createFile(new, in: uploads, mode: 0o666)).modified.seconds
    try disk.removeFile(new, in: uploads)
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      guard let status = try disk.statusIfPresent(of: name, in: uploads) else { continue }
      if now - status.modified.seconds > 48 * 3_600 { disk.removeEverything(name, from: uploads) }
    }
  }

  // MARK: Steps

  private func directory(_ names: [FileName]) throws(SystemError) -> OwnedDescriptor {
    var directory = try disk.openDirectory(at: path)
    for name in names { directory = try disk.openDirectory(name, in: directory) }
    return directory
  }

  /// Opens a folder, and makes it and those above it.
  private func folder(
    _ names: [FileName], in root: borrowing OwnedDescriptor
  ) throws(SystemError) -> OwnedDescriptor {
    guard let first = names.first else { return try disk.openDirectory(at: path) }
    if try disk.makeDirectoryIfAbsent(first, in: root) { try disk.synchronize(root) }
    var directory = try disk.openDirectory(first, in: root)
    for name in names.dropFirst() {
      if try disk.makeDirectoryIfAbsent(name, in: directory) { try disk.synchronize(directory) }
      directory = try disk.openDirectory(name, in: directory)
    }
    return directory
  }

  /// Gives a staged file its name.
  ///
  /// - Returns: false if there is a file of that name, and `ifAbsent` is true.
  private func publish(
    _ staged: FileName, in uploads: borrowing OwnedDescriptor, as name: FileName,
    in parent: borrowing OwnedDescriptor, ifAbsent: Bool
  ) throws(SystemError) -> Bool {
    guard ifAbsent else {
      try disk.rename(staged, in: uploads, to: name, in: parent, .replace)
      return true
    }
    do throws(SystemError) {
      do throws(SystemError) {
        try disk.link(staged, in: uploads, to: name, in: parent)
      } catch {
        guard [.notPermitted, .notSupported, .tooManyLinks, .noFunction].contains(error.code) else {
          throw error
        }
        try disk.rename(staged, in: uploads, to: name, in: parent, .noReplace)
      }
      return true
    } catch {
      if error.code == .fileExists { return false }
      throw error
    }
  }

  private func exists(_ key: ObjectKey) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let parent = try directory(key.folderNames)
      guard let status = try disk.statusIfPresent(of: key.fileName, in: parent) else { return false }
      // No reader gets an object of that name.
      guard status.kind == .file else { throw SystemError("openat", key.fileName, code: .fileExists) }
      // The program that made the name may not have synced it yet.
      try disk.synchronize(parent)
      return true
    } catch {
      if error.isAbsence { return false }
      throw error
    }
  }

  /// Returns whether only the object is absent.
  ///
  /// - Throws: the error if the store's folder is absent, too, as after a disk was removed.
  private func isAbsent(_ error: SystemError) throws(SystemError) -> Bool {
    // A folder of that name is no object.
    guard error.isAbsence || error.code == .invalidArgument || error.code == .isDirectory else {
      return false
    }
    _ = try disk.openDirectory(at: path)  // It throws if the store's folder is absent.
    return true
  }
}

extension ObjectKey {
  fileprivate var folderNames: [FileName] { segments.dropLast().map { FileName(String($0)) } }
  fileprivate var fileName: FileName { FileName(String(segments.last ?? "")) }
}

extension StoredObject {
  init(_ key: ObjectKey, _ status: FileStatus) {
    let seconds = Double(status.modified.seconds) + Double(status.modified.nanoseconds) / 1e9
    self.init(
      key: key, size: Int(clamping: status.size), modificationDate: Date(timeIntervalSince1970: seconds))
  }
}

extension ObjectStoreError {
  fileprivate init(
    _ error: SystemError, _ operation: Operation, in place: String, key: ObjectKey?
  ) {
    let code: Code =
      switch error.code {
      case .noSpace, .diskQuotaExceeded: .noSpace
      case .noSuchFileOrDirectory, .notDirectory: .noSuchStore
      default: .file
      }
    self.init(code, operation, in: place, key: key, reason: error.code.description)
  }
}
