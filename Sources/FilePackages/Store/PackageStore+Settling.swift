import DurableIO
import Synchronization

extension PackageStore {
  /// A save on the disk that is not the tree's baseline yet.
  struct Unsettled {
    let tree: FileWrapper
    let snapshot: PackageSnapshot
    /// The package's own directory as it was made.
    let made: FileStatus?
    let metadata: (metadata: PackageMetadata, status: FileStatus)?
    /// Whether the save touched only the files that it saved; false after a staged save, which links every file.
    let isInPlace: Bool
    /// Whether the save is sure to be in place and durable; false after an error at the last moment. The store then
    /// compares it with the directory under the package's name, and saves it again.
    let isConfirmed: Bool
    /// Whether the store looked at the disk only after the save: other programs may have written between the two.
    var isLate = false
    /// Whether the package was not in its place when the save was published.
    var isElsewhere = false
    /// Whether the save wrote nothing, since the disk had all of it: the files that wrappers know are still there.
    var isUnchanged = false

    init(_ tree: FileWrapper, _ snapshot: PackageSnapshot, _ staged: StagedPackage, isConfirmed: Bool) {
      self.tree = tree
      self.snapshot = snapshot
      made = staged.made
      metadata = staged.madeMetadata
      isInPlace = false
      self.isConfirmed = isConfirmed
    }

    /// A save that was published in the package's own directory.
    init(
      _ tree: FileWrapper, _ snapshot: PackageSnapshot, in package: FileStatus,
      _ metadata: (metadata: PackageMetadata, status: FileStatus)?
    ) {
      self.tree = tree
      self.snapshot = snapshot
      made = package
      self.metadata = metadata
      isInPlace = true
      isConfirmed = true
    }
  }

  /// Makes the saved state the baseline of the next save.
  ///
  /// If the disk cannot be looked at, the save has not failed; the store looks at it before the next save.
  func adopt(_ saved: Unsettled) {
    unsettled = saved
    tree = saved.tree
    _ = try? settle()
  }

  /// Does the rest of the last save.
  ///
  /// - Returns: false if only another save can confirm it.
  @discardableResult
  func settle() throws(FilePackageError) -> Bool {
    try refresh()
    guard var saved = unsettled, let made = saved.made else { return true }
    if saved.isElsewhere {
      // Another package may stand in its place.
      guard try look()?.identity.isSameNode(as: made.identity) == true else {
        throw FilePackageError(
          .changedOnDisk, .save, StoredNode(location: location, path: .root),
          reason: "it is no longer in its place")
      }
      saved.isLate = true
    }
    if !saved.isConfirmed {
      let now = try look()
      guard now?.identity.isSameNode(as: made.identity) == true else {
        // The save was taken back, or another program put something else there, which the next save detects.
        unsettled = nil
        return true
      }
    }
    let root = StoredNode(location: location, path: .root, status: made)
    do {
      let removed = try saved.tree.settle(as: root, saved.snapshot.root, isInPlace: saved.isInPlace)
      for (wrapper, origin) in removed where !saved.isUnchanged {
        try session?.keep(wrapper, from: origin)
      }
      if let plist = saved.metadata { try settle(plist.status, in: saved.tree) }
    } catch {
      unsettled?.isLate = true
      throw error.during(.save)
    }
    if saved.isLate {
      for path in saved.snapshot.root.savedFiles(at: .root) {
        saved.tree.disown(path, saved: saved.snapshot.root)
      }
    }
    tree = saved.tree
    status = made
    if let plist = saved.metadata { metadataState = .present(plist.metadata, plist.status) }
    if saved.isConfirmed { unsettled = nil }
    return saved.isConfirmed
  }

  private func refresh() throws(FilePackageError) {
    let root = StoredNode(location: location, path: .root, status: status)
    do {
      while let tree = stale.last {
        if try look()?.identity.isSameNode(as: status.identity) == true {
          try tree.settle(as: root, nil, updatesNames: false)
        }
        stale.removeLast()
      }
    } catch {
      throw error.during(.save)
    }
  }

  /// Makes a `Metadata.plist` in the tree, of whatever origin, the one on disk.
  private func settle(_ plist: FileStatus, in tree: FileWrapper) throws(FilePackageError) {
    tree.list(PackageLayout.metadata)
    let child = tree.state.withLock { state in state.withDirectory { $0.children[PackageLayout.metadata] } }
    guard let child, child.isRegularFile else { return }
    child.reread(
      at: StoredNode(location: location, path: PackagePath([PackageLayout.metadata]), status: plist))
  }

  /// Returns whether another program moved or removed the package that a session has open.
  func isElsewhere(_ session: PackageSession) -> Bool {
    do {
      return try look()?.identity.isSameNode(as: session.hidden.packageStatus.identity) != true
    } catch {
      // If the disk cannot be looked at, the store looks before the next save.
      return false
    }
  }

  /// Throws `changedOnDisk` if another package, or none, stands in this one's place.
  func requirePlace() throws(FilePackageError) {
    if try look()?.identity.isSameNode(as: status.identity) == true { return }
    throw FilePackageError(
      .changedOnDisk, .save, StoredNode(location: location, path: .root),
      reason: "another package stands in its place by now")
  }

  private func look() throws(FilePackageError) -> FileStatus? {
    do {
      return try StoredNode.look(at: location.path, following: false, on: location.disk).status
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error.during(.save)
    }
  }
}

extension PackageSnapshot.Node {
  /// Returns the places of the files that a save wrote.
  fileprivate func savedFiles(at path: PackagePath) -> [PackagePath] {
    switch content {
    case .file: [path]
    case .link: []
    case .directory(let changes):
      changes.flatMap { name, change in change.now?.savedFiles(at: path.appending(name)) ?? [] }
    }
  }
}
