package import Documents
package import DurableIO
import FilePackages
package import FoundationEssentials
import Glibc
package import SystemPackage

/// The folder of a container on this machine, with the container's own files in a hidden folder.
package struct ContainerFolder: Sendable {
  private static let settings: FileName = "container.plist"
  private static let state: FileName = "state.sqlite"
  private static let lock: FileName = "lock"

  /// The folder's path.
  package let path: FilePath
  package let disk = PosixDisk()

  package init(_ path: FilePath) { self.path = path }

  package init(_ url: URL) throws(FilePackageError) { self.init(try FilePath(of: url, for: .open)) }

  /// The settings of a container folder. They have no secret.
  package struct Settings: Sendable, Hashable, Codable {
    /// The address of the store, as `docpkg cloud init` got it.
    package var address: String
    /// Further values that the address needs, such as an endpoint, a region and a profile.
    package var options: [String: String]
    /// The identity of the container, which its store also has.
    package var container: String
    /// The identity of this device among those of the container.
    package var device: String
    /// The name of this device for people.
    package var deviceName: String
    /// The patterns of the documents that this machine always has; nil or none for those that a program asked for.
    package var kept: [String]?
    /// Whether the store has only encrypted objects; nil stands for no. The folder then has the key in a file.
    package var isEncrypted: Bool?

    package init(
      address: String, options: [String: String] = [:], container: String, device: String, deviceName: String
    ) {
      (self.address, self.options, self.container) = (address, options, container)
      (self.device, self.deviceName) = (device, deviceName)
    }

    /// The address with the further values, to find that the store is another one.
    var storePlace: String {
      ([address] + options.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: "\n")
    }
  }

  private var hiddenPath: FilePath { path.appending(PackageLayout.containerFolder) }

  /// The path of the database.
  package var statePath: FilePath { hiddenPath.appending(Self.state) }

  /// The folder as a location of documents.
  package var location: FolderLocation { FolderLocation(url) }

  package var url: URL { path.url(isDirectory: true) }

  /// Returns the path of a document.
  package func path(of name: String) throws -> FilePath {
    guard let parts = DocumentName.parts(name) else {
      throw FilePackageError(.invalidName, .open, document: name)
    }
    return parts.reduce(path) { $0.appending($1) }
  }

  /// Returns the URL of a document.
  package func url(of name: String, isPackage: Bool) throws -> URL {
    try path(of: name).url(isDirectory: isPackage)
  }

  /// The path of a package that is made in the hidden folder.
  package func path(ofStaged id: UUID) -> FilePath { hiddenPath.appending(FileName(id.uuidString)) }

  /// Removes a package in the hidden folder, if it is there.
  package func removeStaged(_ id: UUID) throws(SystemError) {
    let name = FileName(id.uuidString)
    guard disk.removeEverything(name, from: try disk.openDirectory(at: hiddenPath)) else {
      throw SystemError("unlinkat", name, code: .ioError)
    }
  }

  // MARK: Settings

  /// Reads the settings.
  ///
  /// - Throws: `noSuchFile` if the folder belongs to no container.
  package func settings() throws(FilePackageError) -> Settings {
    do {
      let folder = try disk.openDirectory(at: hiddenPath)
      let bytes = try disk.readAll(disk.openFile(Self.settings, in: folder), atMost: 64 << 10)
      guard PropertyListShape.isBounded(Data(bytes)) else { throw DecodingError.bounds }
      return try PropertyListDecoder().decode(Settings.self, from: Data(bytes))
    } catch let error as SystemError where error.isAbsence {
      throw FilePackageError(
        .noSuchFile, .open, document: FileName(path).string,
        reason: "it is no folder of a container; add it to a container first")
    } catch let error as SystemError {
      throw path.error(error, .open, "reading the settings of its container")
    } catch {
      throw FilePackageError(
        .invalidContent, .open, document: FileName(path).string,
        reason: "the settings of its container are damaged; add it to the container again")
    }
  }

  private enum DecodingError: Error { case bounds }

  /// Whether there are neither settings nor a state: the hidden folder is absent, or its making was cut short.
  var isUnfinished: Bool {
    get throws(SystemError) {
      do throws(SystemError) {
        let folder = try disk.openDirectory(at: hiddenPath)
        for name in [Self.settings, Self.state] where try disk.exists(name, in: folder) { return false }
        return true
      } catch {
        if error.isAbsence { return true }
        throw error
      }
    }
  }

  /// Makes the hidden folder, the key file of an encrypted container, and the settings, durably.
  ///
  /// - Throws: `fileExists` if the folder belongs to a container already, or if an earlier call that was cut short left
  ///   the key of another container.
  package func make(_ settings: Settings, key: ContainerKey? = nil) async throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    let bytes = try encoder.encode(settings)
    let root = try disk.openDirectory(at: path)
    try disk.makeDirectoryIfAbsent(PackageLayout.containerFolder, in: root)
    try disk.synchronize(root)
    if let key { try write(key.text(container: settings.container)) }
    let file = FileWrapper(regularFileWithContents: bytes)
    file.preferredFilename = Self.settings.string
    _ = try await FlatFileStore.create(  // The report has nothing to show.
      file, at: hiddenPath.appending(Self.settings).url(isDirectory: false))
  }

  /// Writes other settings over those of the folder, in one step.
  package func replace(_ settings: Settings) async throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    let file = FileWrapper(regularFileWithContents: try encoder.encode(settings))
    let url = hiddenPath.appending(Self.settings).url(isDirectory: false)
    _ = try await FlatFileStore.open(at: url).save(file)  // The report has nothing to show.
  }

  // MARK: Key

  private static let keyFile: FileName = "key"

  /// Writes the key file. That of a call that was cut short has the same key, or is cut short itself.
  ///
  /// - Throws: `fileExists` if it has another key, which may be the only copy.
  private func write(_ text: String) throws {
    let folder = try disk.openDirectory(at: hiddenPath)
    if try disk.exists(Self.keyFile, in: folder) {
      let bytes = try disk.readAll(disk.openFile(Self.keyFile, in: folder), atMost: 4 << 10)
      let present = String(decoding: bytes, as: UTF8.self)
      if present != text, let other = ContainerKey.parse(present) {
        let path = hiddenPath.appending(Self.keyFile)
        throw FilePackageError(
          .fileExists, .create, document: FileName(path).string,
          reason: "it has the key of another container, \(displayString(other.container)), "
            + "to which an earlier call did not add the folder")
      }
      try disk.removeFile(Self.keyFile, in: folder)
    }
    try ContainerKey.write(text, to: hiddenPath.appending(Self.keyFile), on: disk)
  }

  /// Reads the key of the container; nil if it is not encrypted.
  ///
  /// - Throws: `invalidContent` if the key file is missing or damaged; the system's reasons.
  package func key(of settings: Settings) throws(FilePackageError) -> ContainerKey? {
    guard settings.isEncrypted == true else { return nil }
    do throws(SystemError) {
      let folder = try disk.openDirectory(at: hiddenPath)
      let bytes = try disk.readAll(disk.openFile(Self.keyFile, in: folder), atMost: 4 << 10)
      if let found = ContainerKey.parse(String(decoding: bytes, as: UTF8.self)),
        found.container == settings.container
      {
        return found.key
      }
    } catch  where !error.isAbsence {
      throw path.error(error, .open, "reading the key of its container")
    } catch {}
    throw FilePackageError(
      .invalidContent, .open, document: FileName(path).string,
      reason: "the key of its container is missing or damaged; leave the container and add the folder again")
  }

  /// The node of the hidden folder, which no copy of the container folder has: its inode, and its time of birth.
  ///
  /// The inode alone tells little: the root of a file system has the same one in each, and so may a first folder. On a
  /// file system without times of birth, the identity of the file system takes their place. It may change with a mount,
  /// and the folder then counts as a copy.
  package func identity() throws(SystemError) -> String {
    let status = try disk.status(of: disk.openDirectory(at: hiddenPath))
    if let born = status.born { return "\(status.identity.inode) \(born.seconds).\(born.nanoseconds)" }
    var system = statvfs()
    guard statvfs(FileName(hiddenPath).string, &system) == 0 else {
      throw SystemError("statvfs", PackageLayout.containerFolder, code: Errno(rawValue: errno))
    }
    return "\(status.identity.inode) on \(system.f_fsid)"
  }

  // MARK: Lock

  /// The right to bring the folder up to date, while the value lives: one process at a time has it.
  package final class Lock: Sendable {
    private let file: OwnedDescriptor
    init(_ file: consuming OwnedDescriptor) { self.file = file }
  }

  /// Takes the lock; nil if another process has it.
  package func lock() throws(SystemError) -> Lock? {
    let folder = try disk.openDirectory(at: hiddenPath)
    do {
      _ = try disk.createFile(Self.lock, in: folder, mode: 0o600)  // The lock is on the file opened below.
    } catch  where error.code == .fileExists {}
    let file = try disk.openFileForWriting(Self.lock, in: folder)
    guard try disk.lock(file, .exclusive) else { return nil }
    try? disk.write([0], to: file, at: 0)  // On a full disk, the time stays an earlier one.
    return Lock(file)
  }

  /// The time of the last `lock()` by the clock that dates the files here, which may be that of a file server.
  package func time() throws(SystemError) -> FileTime? {
    try disk.statusIfPresent(of: Self.lock, in: disk.openDirectory(at: hiddenPath))?.modified
  }
}
