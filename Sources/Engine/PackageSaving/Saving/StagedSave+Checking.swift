import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension StagedSave {
  /// Checks, before it makes anything, that the package is the one that was opened, and that no other program saves it.
  ///
  /// Every node that the plan replaces or removes must also be as it was when it was read.
  mutating func check(
    _ old: borrowing OwnedDescriptor, was known: FileStatus, at place: StagingLocation
  ) throws(FilePackageError) {
    let now: FileStatus
    do {
      now = try disk.status(of: old)
    } catch {
      throw FilePackageError(error, options.operation, node(.root))
    }
    guard now.identity.isSameNode(as: known.identity) else {
      throw failure(.changedOnDisk, .root, reason: "another package is in its place now")
    }
    // Without locks, `checkAgain` finds the other program's save.
    do {
      _ = try LockWait().take(.exclusive, of: old, on: disk)
    } catch {
      if error.code == .wouldBlock { throw isBusy }
      throw FilePackageError(error, options.operation, node(.root), activity: "locking it")
    }
    // This comes before any status is read: removing links changes the status time of their files.
    try cleanUp(place)
    try children.checkSteps(beneath: old)
  }

  /// Checks, after the exchange, that the old state came out of it, unchanged since it was carried over.
  func checkAgain(
    _ old: borrowing OwnedDescriptor, as gone: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let isOld: Bool
    do {
      isOld = try disk.isName(gone, in: folder, of: old)
    } catch {
      throw FilePackageError(
        error, options.operation, node(.root), activity: "checking the document that it replaces")
    }
    guard isOld else {
      throw failure(.changedOnDisk, .root, reason: "another program saved it at the same moment")
    }
    for (path, before) in carried {
      guard let now = try children.status(of: path, beneath: old),
        now.identity.hasSameContents(as: before.identity)
      else { throw children.changed(path) }
    }
    for (path, before) in children.replaced {
      guard let now = try children.status(of: path, beneath: old), now.isUnchanged(since: before) else {
        throw children.changed(path)
      }
    }
  }
}

extension StagedSave {
  /// Checks, before the new state comes to its place, that its children have the sums that they must have.
  func checkSummary() throws(FilePackageError) {
    guard let summary, summary != children.madeMetadata?.metadata.summary else { return }
    throw failure(.changedOnDisk, .root, reason: "another program changed a file of the original")
  }

  /// Checks, before it makes anything, that nothing is at the document's place.
  func refuseAnything(at place: StagingLocation) throws(FilePackageError) {
    if try status(at: place) != nil { throw failure(.fileExists, .root) }
  }
}
