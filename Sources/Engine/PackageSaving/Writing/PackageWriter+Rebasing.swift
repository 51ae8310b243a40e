import DurableIO
import FileTrees
package import PackageFormat
import Synchronization

extension PackageWriter {
  /// Makes the saved state the baseline of the next save.
  ///
  /// If the disk cannot be looked at, the save has not failed; the store looks at it before the next save.
  package func rebase(onto saved: PublishedSave) {
    state = .published(saved)
    tree = saved.tree
    // The next save tries again.
    try? rebase()
  }

  /// Makes the state of the last save the baseline, if it is not yet.
  package func rebase() throws(FilePackageError) {
    try rebaseStale()
    guard case .published(let saved) = state else { return }
    try makeBaseline(of: saved)
    state = .clean
  }

  /// Makes a save that stands in the package's place the baseline.
  func makeBaseline(of saved: PublishedSave) throws(FilePackageError) {
    let made = saved.made
    if saved.way == .elsewhere {
      // Another package may stand in its place.
      guard try look()?.identity.isSameNode(as: made.identity) == true else {
        throw FilePackageError(.changedOnDisk, .save, node, reason: "it is no longer in its place")
      }
    }
    let root = StoredNode(location: location, path: .root, status: made)
    do {
      let removed = try saved.tree.rebase(onto: root, saved.snapshot.root, isInPlace: saved.way != .new)
      if saved.way != .nothingWritten { try session?.keep(removed) }
      if let plist = saved.metadata { try rebaseMetadata(plist.status, in: saved.tree) }
    } catch {
      state.noteDelay()
      throw error.during(.save)
    }
    if saved.isLate || saved.way == .elsewhere { saved.snapshot.root.disown() }
    tree = saved.tree
    baseline.status = made
    if let plist = saved.metadata { baseline.metadata = .present(plist.metadata, plist.status) }
  }

  private func rebaseStale() throws(FilePackageError) {
    let root = StoredNode(location: location, path: .root, status: baseline.status)
    do {
      while let tree = baseline.stale.last {
        if try look()?.identity.isSameNode(as: baseline.status.identity) == true {
          try tree.rebase(onto: root)
        }
        baseline.stale.removeLast()
      }
    } catch {
      throw error.during(.save)
    }
  }

  /// Makes a `Metadata.plist` in the tree, of whatever origin, the one on disk.
  private func rebaseMetadata(_ plist: FileStatus, in tree: FileWrapper) throws(FilePackageError) {
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
    if try look()?.identity.isSameNode(as: baseline.status.identity) == true { return }
    throw FilePackageError(
      .changedOnDisk, .save, node,
      reason: "another package is in its place now")
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
