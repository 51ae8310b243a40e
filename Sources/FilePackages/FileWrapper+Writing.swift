package import DurableIO
public import FoundationEssentials
import Synchronization
package import SystemPackage

extension FileWrapper {
  /// Writes the tree to `url`, each child under its key.
  ///
  /// A directory is made beside its place and put there in one step, so that a failed or interrupted write
  /// leaves what was there before; a regular file and a link likewise. Without `.atomic`, a regular file at
  /// `url` is replaced and a directory there is an error; with it, whatever is there is replaced. When it
  /// returns, what was written survives a power cut.
  ///
  /// - Parameter originalContentsURL: an earlier state of the same package. Its files are linked instead of
  ///   written where this tree has them unchanged, which is told without reading them: the child's `filename`
  ///   leads to the file that it was read from or last written as, with that file's date and permissions. So
  ///   write with `.withNameUpdating`, and keep using the same children. Where links are not to be had, files
  ///   are cloned or copied.
  /// - Throws: `CocoaError.fileWriteFileExists` (516) for a directory in the way, and others, with a
  ///   `FilePackageError` as `NSUnderlyingError`. Names in the tree stay as they were.
  public func write(
    to url: URL, options: FileWrapper.WritingOptions = [], originalContentsURL: URL?
  ) throws {
    do {
      try write(
        to: FilePath(lossless: url.path), options: options,
        original: originalContentsURL.map { FilePath(lossless: $0.path) }, on: PosixDisk())
    } catch {
      throw error.cocoaError
    }
  }

  package func write(
    to path: FilePath, options: FileWrapper.WritingOptions, original: FilePath?, on disk: any Disk
  ) throws(FilePackageError) {
    let location = Location(path, on: disk)
    let snapshot = snapshot()
    let original = original.map { StoredNode(location: Location($0, on: disk), path: .root) }
    let destination: StagedPackage.Destination =
      options.contains(.atomic) ? .anything : isDirectory ? .absent : .file
    var staged = StagedPackage(
      try SavePlan(making: snapshot, original: original), at: location, over: destination)
    _ = try staged.commit()

    let updatesNames = options.contains(.withNameUpdating)
    if let stored = snapshot.root.stored, stored.path.isRoot, stored.location.path == path {
      // The tree was read from what it has just replaced: what it has not read yet is in the new state.
      var place = stored
      place.status = try StoredNode.look(at: path, following: false, on: disk).status
      settle(as: place, snapshot.root, updatesNames: updatesNames)
    }
    if updatesNames { snapshot.root.updateNames(at: StoredNode(location: location, path: .root)) }
  }
}

extension PackageSnapshot.Node {
  /// Tells the wrappers beneath under which names, and as which files, they were written.
  fileprivate func updateNames(at place: StoredNode) {
    guard case .directory(let changes) = content else { return }
    let statuses = place.statuses(of: Array(changes.keys))
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
