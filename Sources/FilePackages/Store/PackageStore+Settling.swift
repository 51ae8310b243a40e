import DurableIO
import Synchronization

extension PackageStore {
  /// What a save brought to the disk, until the tree tells its changes from it.
  struct Unsettled {
    let tree: FileWrapper
    let snapshot: PackageSnapshot
    /// The package's own directory as it was made.
    let made: FileStatus?
    let metadata: (metadata: PackageMetadata, status: FileStatus)?
    /// Whether only what was saved is other files than before: not after a staged save, which links everything.
    let isInPlace: Bool
    /// False after an error at the last moment: whether it is what stands under the package's name has to be
    /// looked at, and it has to be saved again before it is sure to survive a power cut.
    let isConfirmed: Bool
    /// Whether the disk was not looked at just when it was saved: others may have written since.
    var isLate = false
    /// Whether the package was not in its place any more when it was published.
    var isElsewhere = false
    /// Whether nothing was written, since the disk had all of it: what wrappers know of the disk is still there.
    var isUnchanged = false

    init(_ tree: FileWrapper, _ snapshot: PackageSnapshot, _ staged: StagedPackage, isConfirmed: Bool) {
      self.tree = tree
      self.snapshot = snapshot
      made = staged.made
      metadata = staged.madeMetadata
      isInPlace = false
      self.isConfirmed = isConfirmed
    }

    /// What was published in the package's own directory.
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

  /// Makes what was saved the state that the next save starts from. A disk that cannot be looked at now is no
  /// failure of the save; it is looked at before the next one.
  func adopt(_ saved: Unsettled) {
    unsettled = saved
    tree = saved.tree
    _ = try? settle()
  }

  /// Does what is left of the last save. False when that has to be saved once more to be sure.
  @discardableResult
  func settle() throws(FilePackageError) -> Bool {
    try refresh()
    guard var saved = unsettled, let made = saved.made else { return true }
    if saved.isElsewhere {
      // What stands in its place is another one.
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
        // It was taken back, or somebody put something else there, which saving finds out.
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

  /// A `Metadata.plist` in the tree, whoever put it there, is the one on disk by now.
  private func settle(_ plist: FileStatus, in tree: FileWrapper) throws(FilePackageError) {
    tree.list(PackageLayout.metadata)
    let child = tree.state.withLock { state in state.withDirectory { $0.children[PackageLayout.metadata] } }
    guard let child, child.isRegularFile else { return }
    child.reread(
      at: StoredNode(location: location, path: PackagePath([PackageLayout.metadata]), status: plist))
  }

  /// Whether another program moved the package that a session has open, or removed it.
  func isElsewhere(_ session: PackageSession) -> Bool {
    do {
      return try look()?.identity.isSameNode(as: session.hidden.packageStatus.identity) != true
    } catch {
      // A disk that cannot be looked at now is looked at before the next save.
      return false
    }
  }

  /// Refuses to go on where another package stands in this one's place, or none.
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
  /// The places of the files that a save wrote.
  fileprivate func savedFiles(at path: PackagePath) -> [PackagePath] {
    switch content {
    case .file: [path]
    case .link: []
    case .directory(let changes):
      changes.flatMap { name, change in change.now?.savedFiles(at: path.appending(name)) ?? [] }
    }
  }
}
