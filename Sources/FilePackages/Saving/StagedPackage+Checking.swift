import DurableIO
import SystemPackage

extension StagedPackage {
  /// Before anything is made: the package is the one that was opened, nobody else saves it, and everything
  /// that the plan replaces or removes is what it was when it was read.
  mutating func check(
    _ old: borrowing OwnedDescriptor, was known: FileStatus, _ siblings: Siblings,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let now: FileStatus
    do {
      now = try disk.status(of: old)
    } catch {
      throw FilePackageError(error, options.operation, node(.root))
    }
    guard now.identity.isSameNode(as: known.identity) else {
      throw failure(.changedOnDisk, .root, reason: "another package stands in its place by now")
    }
    // A file system without locks answers with an error; `checkAgain` finds the other then.
    if let isOurs = try? disk.lock(old, .exclusive), !isOurs { throw isBusy }
    // Before any status is taken: removing links moves the status time of the files that they lead to.
    try cleanUp(siblings, in: folder)
    for step in plan.steps { try check(step, beneath: old) }
  }

  private mutating func check(
    _ step: SavePlan.Step, beneath old: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let now = try status(of: step.path, beneath: old)
    guard let expected = step.replaced else {
      if now != nil { throw changed(step.path) }
      return
    }
    guard let now, expected.status.map({ isSame(now, as: $0, for: step) }) ?? true else {
      throw changed(step.path)
    }
    guard now.kind.isSupported else {
      throw failure(.wrongKind, step.path, reason: "it is \(now.kind.words), which is left alone")
    }
    if case .setAttributes = step.action { return }
    if now.kind == .file && now.mode & 0o222 == 0 && !options.overwritesReadOnly {
      throw failure(.permissionDenied, step.path, reason: "the file is read-only")
    }
    replaced[step.path] = now
    if metadata != nil {
      var stored = node(step.path)
      stored.status = now
      var (change, gone) = (change, gone)
      try summarize(PackageSnapshot.Node(stored, kind: now.kind), at: step.path) { child in
        change.subtract(child)
        gone[child.path] = child
      }
      (self.change, self.gone) = (change, gone)
    }
  }

  /// Whether what is there is what the plan was made for. A directory that goes has to have the entries that it
  /// had; one that stays may have got others.
  private func isSame(_ now: FileStatus, as expected: FileStatus, for step: SavePlan.Step) -> Bool {
    if case .setAttributes = step.action { return now.isUnchanged(since: expected) }
    return now.isUnchanged(since: expected)
      && (now.kind != .directory || now.modified == expected.modified)
  }

  /// After the exchange: what came out of it is the old state, and nobody changed that since it was carried
  /// over.
  func checkAgain(
    _ old: borrowing OwnedDescriptor, as gone: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let isOld: Bool
    do {
      isOld = try disk.isName(gone, in: folder, of: old)
    } catch {
      throw FilePackageError(error, options.operation, node(.root), activity: "looking at what it replaces")
    }
    guard isOld else {
      throw failure(.changedOnDisk, .root, reason: "another program saved it at the same moment")
    }
    for (path, before) in carried {
      guard let now = try status(of: path, beneath: old),
        now.identity.hasSameContents(as: before.identity)
      else { throw changed(path) }
    }
    for (path, before) in replaced {
      guard let now = try status(of: path, beneath: old), now.isUnchanged(since: before) else {
        throw changed(path)
      }
    }
  }

  private func changed(_ path: PackagePath) -> FilePackageError {
    failure(.changedOnDisk, path)
  }

  /// What is at `path`, nil when nothing is.
  private func status(
    of path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> FileStatus? {
    do {
      guard let name = path.name else { return try disk.status(of: root) }
      guard let first = path.names.first, path.names.count > 1 else {
        return try disk.status(of: name, in: root)
      }
      var folder = try disk.openDirectory(first, in: root)
      for name in path.parent.names.dropFirst() { folder = try disk.openDirectory(name, in: folder) }
      return try disk.status(of: name, in: folder)
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels: return nil
      default: throw FilePackageError(error, options.operation, node(path), activity: "looking at")
      }
    }
  }
}

extension StagedPackage {
  /// Before anything is made: nothing is where the document is to be.
  func refuseAnything(
    _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let disk = disk
    let exists = try attempt(.root, "looking at what is there") { () throws(SystemError) in
      try disk.exists(name, in: folder)
    }
    if exists { throw failure(.fileExists, .root) }
  }
}
