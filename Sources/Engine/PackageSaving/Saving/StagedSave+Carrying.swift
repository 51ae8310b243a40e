import DurableIO
import FileTrees
import PackageFormat

extension StagedSave {
  /// Carries the old directory's content into the new one, without the nodes that the plan replaces or removes.
  ///
  /// Then it carries out the plan's steps there.
  mutating func carry(
    from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor, at path: PackagePath,
    _ attributes: NodeAttributes? = nil
  ) throws(FilePackageError) {
    if path.names.count > PackagePath.maximumDepth { throw failure(.tooDeep, path) }
    let status: FileStatus
    let listing: DirectoryListing
    do {
      status = try disk.status(of: old)
      listing = try disk.list(old)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "listing")
    }
    carried.append((path, status))
    let steps = children.steps[path] ?? []
    let named = Dictionary(steps.compactMap { step in step.path.name.map { ($0, step) } }) { $1 }
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      let place = path.appending(name)
      if PackageLayout.isOfSession(place) { continue }
      var attributes: NodeAttributes?
      if let step = named[name] {
        guard case .setAttributes = step.action else { continue }
        attributes = step.attributes
      }
      if listing.kind(at: position) == .directory {
        if place.names == [PackageLayout.hidden], try isOfSessionOnly(in: old) { continue }
        try carryDirectory(name, from: old, to: new, at: place, attributes)
      } else {
        try carryEntry(name, from: old, to: new, at: place)
      }
    }
    try makeChildren(in: new, at: path)
    if path.isRoot { try writeManifest(in: new) }
    let isTouched = steps.contains { if case .setAttributes = $0.action { false } else { true } }
    try finish(new, at: path, like: old, status, keepsDate: !isTouched, attributes)
    if attributes != nil && !path.isRoot { children.report.written.append(path.string) }
  }

  /// Returns whether the hidden folder has only files of stores that have the package open.
  private func isOfSessionOnly(in old: borrowing OwnedDescriptor) throws(FilePackageError) -> Bool {
    let place = PackagePath([PackageLayout.hidden])
    do {
      let listing = try disk.list(disk.openDirectory(PackageLayout.hidden, in: old))
      return (0..<listing.count).allSatisfy {
        PackageLayout.isOfSession(place.appending(listing.name(at: $0)))
      }
    } catch {
      throw FilePackageError(error, options.operation, node(place), activity: "listing")
    }
  }

  private mutating func carryDirectory(
    _ name: FileName, from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor,
    at path: PackagePath, _ attributes: NodeAttributes?
  ) throws(FilePackageError) {
    let disk = disk
    let source = try attempt(path, "opening") { () throws(SystemError) in
      try disk.openDirectory(name, in: old)
    }
    let directory = try children.makeDirectory(name, in: new, at: path, mode: 0o700)
    try carry(from: source, to: directory, at: path, attributes)
  }

  /// Carries a file, a symbolic link or a node of another kind: by a hard link, or else by a copy.
  private mutating func carryEntry(
    _ name: FileName, from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor,
    at path: PackagePath
  ) throws(FilePackageError) {
    let status: FileStatus
    do {
      status = try disk.status(of: name, in: old)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "looking at")
    }
    if status.kind.isSupported {
      children.report.reused += 1
      if status.kind == .file { children.report.bytesReused += status.size }
    } else {
      children.report.leftAlone.append(path.string)
    }
    if try children.link(name, in: old, to: name, in: new, at: path) { return }
    try children.copy(name, status, from: old, to: name, in: new, at: path)
    children.report.copied += 1
    carried.append((path, status))
  }

  private func finish(
    _ new: borrowing OwnedDescriptor, at path: PackagePath, like old: borrowing OwnedDescriptor,
    _ status: FileStatus, keepsDate: Bool, _ attributes: NodeAttributes?
  ) throws(FilePackageError) {
    let mode = attributes.flatMap { $0.modeIsExact ? $0.mode : nil } ?? status.mode
    let date = path.isRoot ? rootDate ?? status.modified : status.modified
    let modified = attributes?.modified ?? (keepsDate ? date : nil)
    do {
      try disk.copyOwner(of: status, on: new)
      for (name, value) in try disk.extendedAttributes(of: old) {
        try disk.setExtendedAttribute(name, value, of: new)
      }
      try disk.setMode(mode, of: new)
      if let modified { try disk.setModified(modified, of: new) }
      try disk.synchronize(new)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "finishing the folder")
    }
  }

  /// Writes the manifest of the new state.
  ///
  /// It is not synchronised. A manifest that is not whole after a power cut does not count, and the digest in the
  /// metadata is enough to find damage.
  func writeManifest(in new: borrowing OwnedDescriptor) throws(FilePackageError) {
    guard children.madeMetadata != nil else { return }
    let manifest: Manifest
    if let known = children.known, known.revision == children.batch.parent {
      manifest = known.compacted()
    } else {
      // If the plan makes the whole package, the batch has every child.
      manifest = Manifest(isComplete: children.plan.base == nil)
    }
    _ = manifest.append(children.batch)
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
