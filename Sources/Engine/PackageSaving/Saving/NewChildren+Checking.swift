import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension NewChildren {
  /// Checks, before anything is made, that every node that the plan replaces or removes is as it was when it was read.
  mutating func checkSteps(beneath root: borrowing OwnedDescriptor) throws(FilePackageError) {
    for step in plan.steps { try check(step, beneath: root) }
    subtractLost()
  }

  private mutating func check(
    _ step: SavePlan.Step, beneath old: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let now = try status(of: step.path, beneath: old)
    guard let expected = step.replaced else {
      if now != nil { throw occupied(step.path, beneath: old) }
      return
    }
    guard let now, expected.status.map({ isSame(now, as: $0, for: step) }) ?? true else {
      throw changed(step.path)
    }
    guard now.kind.isSupported else {
      throw failure(.wrongKind, step.path, reason: "it is \(now.kind.words), which no save changes")
    }
    if case .setAttributes = step.action {
      staying[step.path] = now
      return keepAttributes(of: now, at: step.path)
    }
    if now.kind == .file && now.mode & 0o222 == 0 && !options.overwritesReadOnly {
      throw failure(.permissionDenied, step.path, reason: "the file is read-only")
    }
    var stored = node(step.path)
    stored.status = now
    try remove(PackageSnapshot.Node(stored, kind: now.kind), at: step.path, beneath: old)
  }

  /// Notes a node that goes, with everything in it, and subtracts it from the sums: by the manifest's rows, or else by
  /// reading it.
  private mutating func remove(
    _ node: PackageSnapshot.Node, at path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    replaced[path] = node.known
    if hasMetadata && !PackageLayout.isOurs(path) {
      let child = try SummarizedChild(node, at: path, known: known)
      if let accounted = child.accounted, !uncounted.contains(path) {
        change.subtract(accounted)
        batch.remove(path)
      }
      if let actual = child.actual { oldChildren[path] = actual }
      try keep(child)
    }
    guard case .directory = node.content else { return }
    let children = try node.children(at: path, looking: true)
    // The listing may have a file that another program has just put there.
    guard try status(of: path, beneath: root)?.modified == node.known?.modified else { throw changed(path) }
    for (name, child) in children { try remove(child, at: path.appending(name), beneath: root) }
  }

  /// Subtracts from the sums the saved children that another program removed where the plan makes or removes something.
  ///
  /// Cost: a look into the manifest for each step; if a step is about the place of a folder, a look at each row.
  private mutating func subtractLost() {
    guard hasMetadata, !batch.isWhole, let known else { return }
    var folders: Set<PackagePath> = []
    for step in plan.steps where step.replacesContents && !PackageLayout.isOurs(step.path) {
      let row = known.row(at: step.path)
      if row?.child.kind == .directory || replaced[step.path]?.kind == .directory {
        folders.insert(step.path)
      }
      if let row { subtractIfLost(row) }
    }
    if folders.isEmpty { return }
    for row in known.rows where row.child.path.prefixes.contains(where: folders.contains) {
      subtractIfLost(row)
    }
  }

  private mutating func subtractIfLost(_ row: ManifestRow) {
    let path = row.child.path
    guard replaced[path] == nil, !uncounted.contains(path), missing.insert(path).inserted else { return }
    change.subtract(row.child)
    batch.remove(path)
  }

  /// Returns whether the node is the one that the plan was made for.
  ///
  /// A directory that goes must have the entries that it had; one that stays may have got other ones.
  private func isSame(_ now: FileStatus, as expected: FileStatus, for step: SavePlan.Step) -> Bool {
    if case .setAttributes = step.action { return now.isUnchanged(since: expected) }
    return now.isUnchanged(since: expected)
      && (now.kind != .directory || now.modified == expected.modified)
  }

  /// Returns the error for a name that should be free: another program took it, or the file system takes it for the
  /// name of another child.
  private func occupied(
    _ path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) -> FilePackageError {
    do throws(SystemError) {
      guard let name = path.name, try disk.limitsNames(in: root),
        try disk.list(location.openDirectory(path.parent, on: disk)).position(of: name) == nil
      else { return changed(path) }
    } catch {
      // The folder is changing.
      return changed(path)
    }
    return failure(NameTrial.Problem.folded.code, path, reason: NameTrial.Problem.folded.words)
  }

  func changed(_ path: PackagePath) -> FilePackageError {
    failure(.changedOnDisk, path)
  }

  /// Returns the status of the node at `path`; nil if there is none.
  func status(
    of path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> FileStatus? {
    // The writer looked at both when it took the lock. The publisher looks at the plist again, when it exchanges it (P2).
    if path.isRoot, let package = seen?.package { return package }
    if let seen, path.names == [PackageLayout.metadata] { return seen.metadata }
    do {
      guard let name = path.name else { return try disk.status(of: root) }
      guard path.names.count > 1 else { return try disk.status(of: name, in: root) }
      return try disk.status(of: name, in: folder(path.parent, beneath: root).descriptor)
    } catch {
      if error.isAbsence { return nil }
      throw FilePackageError(error, options.operation, node(path), activity: "looking at")
    }
  }

  /// Returns a folder of the old state, which stays open for the other children in it.
  func folder(
    _ path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) throws(SystemError) -> OpenNode {
    if let known = folders.open[path] { return known }
    guard let first = path.names.first else { throw SystemError("openat", code: .invalidArgument) }
    var directory = try disk.openDirectory(first, in: root)
    for name in path.names.dropFirst() { directory = try disk.openDirectory(name, in: directory) }
    let folder = OpenNode(directory)
    folders.hold(folder, at: path)
    return folder
  }
}
