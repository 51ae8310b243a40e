package import DurableIO
public import FoundationEssentials
package import SystemPackage

/// One open package: its tree, and the only place that reads and writes it on disk.
///
/// An actor on a thread of its own: nothing here blocks Swift's thread pool.
///
/// ```swift
/// let package = try await PackageStore.open(at: url)
/// let tree = await package.tree
/// tree.addRegularFile(withContents: data, preferredFilename: "Notes.txt")
/// let report = try await package.save()
/// ```
public actor PackageStore {
  nonisolated let location: Location
  private nonisolated let executor: BlockingExecutor

  /// The tree that `save()` saves: change it, or hand another to `save(_:options:)`.
  public internal(set) var tree: FileWrapper
  /// The package's directory as it was when it was opened or last saved.
  var status: FileStatus
  var metadataState: MetadataState

  /// What is known of `Metadata.plist`.
  enum MetadataState {
    /// A package of another program's, which gets none.
    case none
    case present(PackageMetadata)
    case unreadable(FilePackageError)
  }

  /// The thread that everything here runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ node: StoredNode, status: FileStatus, tree: FileWrapper) {
    location = node.location
    executor = BlockingExecutor(label: "com.filepackages.store")
    self.tree = tree
    self.status = status
    metadataState = .none
  }

  // MARK: Opening

  /// Opens the package at `url`, which may be any directory; a symbolic link to one is followed.
  ///
  /// Writes nothing, except that it puts back a package which a crash left under its hidden name. The cost does
  /// not depend on what is in the package.
  ///
  /// - Throws: `noSuchFile`, `notAPackage`, or the system's reason. Metadata that cannot be read is no error
  ///   here; `metadata()` and saving report it.
  public static func open(at url: URL) async throws(FilePackageError) -> PackageStore {
    try await open(FilePath(lossless: url.path), on: PosixDisk())
  }

  package static func open(
    _ path: FilePath, on disk: any Disk
  ) async throws(FilePackageError) -> PackageStore {
    let node = try find(path, on: disk)
    guard let status = node.status, status.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: path.string)
    }
    let name = node.location.path.lastComponent.map(FileName.init)
    let tree = FileWrapper(state: FileWrapper.State(node, name: name))
    let store = PackageStore(node, status: status, tree: tree)
    await store.loadMetadata()
    return store
  }

  private static func find(_ path: FilePath, on disk: any Disk) throws(FilePackageError) -> StoredNode {
    do {
      return try StoredNode.look(at: path, following: true, on: disk)
    } catch {
      guard error.code == .noSuchFile, let last = path.lastComponent, last.kind == .regular,
        // Whatever goes wrong here, the package is still not to be found.
        let folder = try? disk.openDirectory(at: path.folder),
        (try? Siblings(of: FileName(last), on: disk).recover(in: folder)) != nil
      else { throw error.during(.open) }
    }
    do {
      return try StoredNode.look(at: path, following: true, on: disk)
    } catch {
      throw error.during(.open)
    }
  }

  func loadMetadata() {
    do {
      guard let plist = try tree.child(PackageLayout.metadata) else { return metadataState = .none }
      guard plist.isRegularFile else {
        throw FilePackageError(
          .metadataDamaged, .open, document: location.path.string,
          reason: "its 'Metadata.plist' is not a file")
      }
      do {
        if plist.regularFileSize.map({ $0 > UInt64(PackageMetadata.maximumSize) }) == true {
          throw PackageMetadata.Problem.tooLarge
        }
        metadataState = .present(try PackageMetadata(decoding: plist.contents()))
      } catch let problem as PackageMetadata.Problem {
        throw FilePackageError(
          problem.code, .open, document: location.path.string, reason: problem.words)
      }
    } catch {
      metadataState = .unreadable(
        error as? FilePackageError
          ?? FilePackageError(.metadataDamaged, .open, document: location.path.string))
    }
  }

  // MARK: Looking

  /// The regular file at a path within the package, for reading.
  ///
  /// - Throws: `noSuchFile`; `wrongKind` for anything else, which is never opened; what
  ///   `FileWrapper.descendant(at:)` throws.
  public func file(at path: String) throws -> FileWrapper {
    guard let node = try tree.descendant(at: path) else {
      throw FilePackageError(.noSuchFile, .read, node(path))
    }
    guard node.isRegularFile else {
      let target = node.symbolicLinkDestinationURL.map { " to '\($0.relativePath)'" } ?? ""
      throw FilePackageError(
        .wrongKind, .read, self.node(path),
        reason: node.isDirectory ? "it is a folder" : "it is a symbolic link\(target), which is not followed")
    }
    return node
  }

  private func node(_ path: String) -> StoredNode {
    StoredNode(location: location, path: PackagePath(path))
  }

  /// Where the package is.
  public nonisolated var url: URL {
    URL(filePath: FileName(location.path).string, directoryHint: .isDirectory)
  }

  /// The package's metadata, nil for a package of another program's.
  ///
  /// - Throws: `metadataDamaged` or `newerFormat` when there is a `Metadata.plist` that is not for us.
  public func metadata() throws(FilePackageError) -> PackageMetadata? {
    switch metadataState {
    case .none: return nil
    case .present(let metadata): return metadata
    case .unreadable(let error): throw error
    }
  }
}

extension FilePackageError {
  func during(_ operation: Operation) -> FilePackageError {
    var error = self
    error.operation = operation
    return error
  }
}
