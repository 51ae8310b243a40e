import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension StagedSave {
  /// Makes a document that is one file or one link.
  mutating func makeAlone(
    _ step: SavePlan.Step, at place: StagingLocation
  ) throws(FilePackageError) -> Placement {
    var file: OwnedDescriptor?
    switch step.action {
    case .write(let contents):
      let new = try stage(.file, at: place, mode: step.attributes.mode)
      do {
        try copyAttributes(of: place, on: new)
        try children.write(contents, to: new, step)
        try children.synchronizeAlone(new)
        made = try status(of: new)
      } catch {
        place.removeStaged()
        throw error
      }
      file = consume new
    case .link(let link):
      let destination = try children.destination(of: link, step)
      try children.makeLink(destination, as: place.staged, in: place.folder, step)
    default: throw failure(.wrongKind, step.path)
    }
    do {
      // The file that comes out of an exchange has no lock until it is confirmed.
      place.holdOffSweeps()
      defer { place.allowSweeps() }
      let placement = try putInPlace(place)
      try confirm(placement, at: place) { (staged: borrowing StagedSave) throws(FilePackageError) in
        try staged.checkReplaced(placement, at: place)
      }
      // The new file's lock is held until here.
      _ = consume file
      return placement
    } catch {
      if error.code != .indeterminate { place.removeStaged() }
      throw error
    }
  }

  /// Makes the node of the new state; no other program makes or removes it while this one holds its lock.
  func stage(
    _ kind: FileKind, at place: StagingLocation, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    let new = try attempt(.root, "making the new state beside it") { () throws(SystemError) in
      try place.stage(kind, mode: mode)
    }
    guard let new else { throw failure(.busy, .root, reason: "another program is saving it") }
    return new
  }

  func cleanUp(_ place: StagingLocation) throws(FilePackageError) {
    try attempt(.root, "cleaning up beside it") { () throws(SystemError) in try place.cleanUp() }
  }

  /// Writes the manifest of the new state.
  ///
  /// It is not synchronised. A manifest that is not whole after a power cut does not count, and the digest in the
  /// metadata is enough to find damage.
  func writeManifest(in new: borrowing OwnedDescriptor) throws(FilePackageError) {
    guard let batch = children.batch else { return }
    // The plan makes the whole package, so that the batch has every child.
    let manifest = Manifest(isComplete: true)
    _ = manifest.append(batch)
    do {
      try disk.makeDirectoryIfAbsent(PackageLayout.hidden, in: new)
      let folder = try disk.openDirectory(PackageLayout.hidden, in: new)
      let file = try disk.createFile(PackageLayout.manifest, in: folder, mode: 0o666)
      try disk.write(manifest.contents, to: file, at: 0)
    } catch {
      throw FilePackageError(error, options.operation, node(.root), activity: "writing its manifest")
    }
  }
}
