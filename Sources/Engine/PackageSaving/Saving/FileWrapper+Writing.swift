package import DurableIO
public import FileTrees
public import FoundationEssentials
package import PackageFormat
import Synchronization
package import SystemPackage

extension FileWrapper {
  /// Writes the tree to `url`, each child under its key.
  ///
  /// It makes the node beside its place, and puts it there in one step. So a failed or interrupted write leaves the old
  /// state. Without `.atomic`, a regular file at `url` is replaced and a directory there is an error; with it, any node
  /// there is replaced. A file system that cannot exchange names refuses to replace a directory. The tree is durable
  /// when the method returns.
  ///
  /// - Parameter originalContentsURL: an earlier state of the same package. Its files are linked instead of written if
  ///   this tree has them unchanged. The check reads no bytes. The child's `filename` must lead to the file that it was
  ///   read from or last written as, with that file's date and permissions. So write with `.withNameUpdating`, and use
  ///   the same children again. If links are impossible, files are cloned or copied.
  /// - Throws: `CocoaError.fileWriteFileExists` (516) for a directory in the way, or another `CocoaError`, with a
  ///   `FilePackageError` as `NSUnderlyingError`. Names in the tree then stay as they were.
  public func write(
    to url: URL, options: FileWrapper.WritingOptions = [], originalContentsURL: URL? = nil
  ) throws {
    do throws(FilePackageError) {
      let path = try FilePath(of: url, for: .save)
      var original: FilePath?
      if let url = originalContentsURL { original = try FilePath(of: url, for: .save) }
      try write(to: path, options: options, original: original, on: PosixDisk())
    } catch {
      throw error.cocoaError
    }
  }

  /// - Parameter replacesFile: whether a regular file may replace another one without `.atomic`.
  package func write(
    to path: FilePath, options: FileWrapper.WritingOptions, original: FilePath?, replacesFile: Bool = true,
    on disk: any Disk
  ) throws(FilePackageError) {
    let location = Location(path, on: disk)
    // The commit reports a node that cannot be looked at.
    let replaced = (try? StoredNode.look(at: path, following: false, on: disk))?.status
    let destination: StagedSave.Destination =
      options.contains(.atomic) ? .anything : isDirectory || !replacesFile ? .absent : .file
    let snapshot = snapshot()
    let original = original.map { StoredNode(location: Location($0, on: disk), path: .root) }
    let plan: SavePlan
    do {
      plan = try SavePlan(making: snapshot, original: original)
    } catch {
      throw error.of(location)
    }
    var staged = StagedSave(plan, at: location, over: destination)
    _ = try staged.commit()  // Apple's method has no report.

    // A later read reports a node that cannot be looked at.
    if let replaced, let now = try? StoredNode.look(at: path, following: false, on: disk) {
      let readFromThere = snapshot.root.stored?.status?.identity.isSameNode(as: replaced.identity) == true
      snapshot.root.rebase(at: now, insteadOf: path, isReplaced: readFromThere)
    }
    if options.contains(.withNameUpdating) {
      snapshot.root.updateNames(at: StoredNode(location: location, path: .root))
    }
  }
}

extension StoredNode {
  /// Returns whether the node stands at `path` or within it.
  fileprivate func isWithin(_ path: FilePath) -> Bool {
    var own = location.path
    for name in self.path.names { own.append(FilePath(lossless: name.string).components) }
    return own.starts(with: path)
  }
}

extension PackageSnapshot.Node {
  /// Moves wrappers from the replaced state to the new one, which holds everything that they have not read yet.
  fileprivate func rebase(at place: StoredNode, insteadOf path: FilePath, isReplaced: Bool = false) {
    if let wrapper, let stored, isReplaced || stored.isWithin(path) {
      var place = place
      // Nodes that share the location still share it afterwards.
      if stored.location.path == place.location.path { place.location = stored.location }
      // The known status of a node that cannot be looked at stays; a later read reports the error.
      _ = try? wrapper.rebase(onto: place, self, updatesNames: false)
    } else if case .directory(let changes) = content {
      // The same for a folder that cannot be looked at.
      let statuses = (try? place.presentStatuses(of: changes.keys)) ?? [:]
      for (name, change) in changes {
        var child = place.child(name)
        child.status = statuses[name]
        change.now?.rebase(at: child, insteadOf: path)
      }
    }
  }

  /// Tells the wrappers beneath the names and files under which they were written.
  fileprivate func updateNames(at place: StoredNode) {
    guard case .directory(let changes) = content else { return }
    // Without their statuses, the next writing copies the files.
    let statuses = (try? place.presentStatuses(of: changes.keys)) ?? [:]
    for (name, change) in changes {
      guard let node = change.now else { continue }
      node.wrapper?.state.withLock { state in
        state.filename = name.string
        state.written = statuses[name]
      }
      node.updateNames(at: place.child(name))
    }
  }
}
