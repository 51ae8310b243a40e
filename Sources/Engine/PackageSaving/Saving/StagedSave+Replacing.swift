import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// How one file replaces the file that it was read from.
extension StagedSave {
  /// Checks, before it makes anything, that the file is the one that was read or last written.
  func refuseChanged(_ known: FileStatus, at place: StagingLocation) throws(FilePackageError) {
    let now = try status(at: place)
    guard let now else { throw failure(.changedOnDisk, .root, reason: "it is no longer in its place") }
    guard now.isUnchanged(since: known) else { throw failure(.changedOnDisk, .root) }
    if now.mode & 0o222 == 0 && !options.overwritesReadOnly {
      throw failure(.permissionDenied, .root, reason: "the file is read-only")
    }
  }

  /// Checks, after the exchange, that this file came out of it, and that no program wrote to it meanwhile.
  func checkReplaced(
    _ placement: Placement, at place: StagingLocation
  ) throws(FilePackageError) {
    guard case .unchanged(let known) = destination, placement == .swapped else { return }
    let disk = disk
    let now = try attempt(.root, "checking the document that it replaces") { () throws(SystemError) in
      try disk.status(of: place.staged, in: place.folder)
    }
    guard now.identity.hasSameContents(as: known.identity) else { throw failure(.changedOnDisk, .root) }
  }

  /// Gives the new file the attributes that the user may have given the one that it replaces, or is a copy of.
  func copyAttributes(
    of place: StagingLocation, on new: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let disk = disk
    do {
      if let original = children.plan.original, let status = original.status {
        try disk.copyAttributes(of: status, from: original.openFile(), on: new)
      }
      guard case .unchanged(let known) = destination else { return }
      let old = try disk.openFile(place.name, in: place.folder)
      try disk.copyAttributes(of: known, from: old, on: new)
      try disk.setMode(known.mode, of: new)
    } catch {
      throw FilePackageError(
        any: error, options.operation, node(.root), activity: "copying the attributes of")
    }
  }
}
