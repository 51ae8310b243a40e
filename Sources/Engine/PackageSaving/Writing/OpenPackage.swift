package import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat
package import SystemPackage

/// An open package as its store knows it at one moment, for reading.
///
/// No method writes to the disk, publishes a save, or changes the store's tree.
package struct OpenPackage {
  package let location: Location
  /// The tree of the store, with its unsaved edits.
  package let tree: FileWrapper
  let baseline: StoreBaseline
  let state: SaveState

  var node: StoredNode { StoredNode(location: location, path: .root) }

  /// The metadata of the last save, published or not; nil if there is none that can be read.
  package var committedMetadata: PackageMetadata? { state.waiting?.metadata ?? baseline.metadata.known }

  /// Returns the role of `Metadata.plist` in a tree for a content that sees the metadata, or does not.
  package func metadataRole(isVisible: Bool) -> MetadataRole {
    if state.waiting?.metadata != nil { return isVisible ? .values : .hidden }
    return switch baseline.metadata {
    case .present: isVisible ? .values : .hidden
    case .unreadable: .values
    case .none: isVisible ? .values : .child
    case .child: .child
    }
  }

  // MARK: Trees

  /// Returns a tree of the present state of the disk.
  func newTree() -> FileWrapper {
    let tree = FileWrapper(StoredNode(location: location, path: .root, status: baseline.status))
    if baseline.metadata.isChild { tree.metadataRole = .child }
    return tree
  }

  /// Returns a tree of the document as it was last saved.
  ///
  /// It is the present state of the disk, overlaid with the save that waits to be published, if there is one.
  func savedTree() throws(FilePackageError) -> FileWrapper {
    let tree = newTree()
    if state.waiting == nil { return tree }
    return try node.attempt(.read, "checking the unpublished save in its log") {
      if let log = try SaveLog.find(of: location).log, let record = log.live {
        try tree.overlay(log.outstanding(record, at: location), at: location)
      }
      return tree
    }
  }

  // MARK: Parts of the hidden folder

  /// Returns the children of the state with those metadata, as saves noted them; nil if nothing is known of it.
  func table(of metadata: PackageMetadata) throws(FilePackageError) -> StateTable? {
    try node.attempt(.verify, "reading its log") {
      try SaveLog.find(of: location).ledger?.table(of: metadata.revision)
    }
  }

  /// Returns the history; nil if there is none.
  package func history() throws(FilePackageError) -> VersionHistory? {
    guard let known = try baseline.metadata.get() else { return nil }
    return try VersionHistory.load(location, try presentMetadata() ?? known, waiting: state.waiting?.metadata)
  }

  /// Returns the metadata on disk, if another program wrote them since this store read them.
  private func presentMetadata() throws(FilePackageError) -> PackageMetadata? {
    guard let known = baseline.metadata.status,
      let plist = try location.node(at: PackagePath([PackageLayout.metadata])), let status = plist.status,
      !status.isUnchanged(since: known),
      status.kind == .file, status.size <= UInt64(PackageMetadata.maximumSize)
    else { return nil }
    let bytes = try plist.attempt(.read) { try FileContents.stored(plist).data() }
    return try PackageMetadata(decoding: bytes, of: node)
  }

  /// Throws `noSuchVersion` if the history lacks one of these versions.
  func require(_ versions: Set<UUID>) throws(FilePackageError) {
    guard let history = try history() else { throw keepsNone }
    for version in versions { _ = try index(of: version, in: history) }  // Throws if there is none.
  }

  package func find(_ version: UUID) throws(FilePackageError) -> (history: VersionHistory, index: Int) {
    guard let history = try history() else { throw keepsNone }
    return (history, try index(of: version, in: history))
  }

  private func index(of version: UUID, in history: VersionHistory) throws(FilePackageError) -> Int {
    guard let index = history.index(of: version) else {
      throw FilePackageError(
        .noSuchVersion, .read, node, reason: "it has no version '\(version.uuidString)'")
    }
    return index
  }

  var keepsNone: FilePackageError {
    FilePackageError(.noSuchVersion, .read, node, reason: "the document has no history")
  }
}

extension SaveLog {
  /// Returns whether no save in a package's log waits to be published, without reading the records.
  ///
  /// False also for a log that only `find(of:)` can judge.
  static func isClean(at location: Location) throws(SystemError) -> Bool {
    guard let folder = try location.openHiddenFolder() else { return true }
    return try isClean(in: folder, on: location.disk)
  }

  /// Looks for the log of a package, for reading only.
  package static func find(of location: Location) throws(SystemError) -> Found {
    guard let folder = try location.openHiddenFolder() else { return .nothing }
    return try find(in: folder, on: location.disk, forWriting: false)
  }

  /// Returns the steps of a record that are not taken on the disk yet.
  func outstanding(
    _ record: SaveRecord, at location: Location
  ) throws -> [Publisher.Outstanding] {
    let disk = location.disk
    let root = OpenNode(try location.openDirectory(.root))
    let folder = try disk.openDirectory(PackageLayout.hidden, in: root.descriptor)
    let staging = OpenNode(try disk.openDirectory(PackageLayout.staging, in: folder))
    var publisher = Publisher(
      record, root: root, staging: staging, at: location, on: disk, isRecovery: true)
    publisher.isBound = header.isBound(to: try disk.status(of: root.descriptor))
    return try publisher.checkAll()
  }
}

extension StoredNode {
  /// Returns the node of a document at `path`; follows a symbolic link.
  package static func find(_ path: FilePath, on disk: any Disk) throws(FilePackageError) -> StoredNode {
    do {
      return try look(at: path, following: true, on: disk)
    } catch {
      throw error.during(.open)
    }
  }
}
