import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension NewChildren {
  /// Checks, before anything is made, that every node that the plan replaces or removes is as it was when it was read.
  mutating func checkSteps(beneath root: borrowing OwnedDescriptor) throws(FilePackageError) {
    for step in plan.steps { try check(step, beneath: root) }
    noteLost()
  }

  private mutating func check(
    _ step: SavePlan.Step, beneath old: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let now = try status(of: step.path, beneath: old)
    changes[step.path].work = .node
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
      (changes[step.path].work, changes[step.path].found) = (.attributes, now)
      changes[step.path].attributes = step.attributes
      return
    }
    if now.kind == .file && now.mode & 0o222 == 0 && !options.overwritesReadOnly {
      throw failure(.permissionDenied, step.path, reason: "the file is read-only")
    }
    var stored = node(step.path)
    stored.status = now
    try remove(PackageSnapshot.Node(stored, kind: now.kind), at: step.path, beneath: old)
  }

  /// Notes a node that goes, with everything in it: by the noted rows, or else by reading it.
  private mutating func remove(
    _ node: PackageSnapshot.Node, at path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    var row = Change(path)
    (row.work, row.found) = (.node, node.known)
    if hasMetadata && !PackageLayout.isOurs(path) {
      row.noted = known?.row(at: path)
      if let noted = row.noted, noted.isOf(node) { row.content = noted.child.content }
      // If the notes have all children and not this one, another program put it there.
      let isUnknown = row.noted == nil && known?.isComplete != true
      if row.content == nil && (isUnknown || keepsVersion && node.kind != .directory) {
        let child = try ChildSummary(reading: node, at: path)
        row.content = child.content
        if isUnknown { row.noted = node.known.map { NotedChild(child: child, modified: $0.modified) } }
      }
      if uncounted.contains(path) { row.noted = nil }
    }
    changes[path] = row
    guard case .directory = node.content else { return }
    let children = try node.children(at: path, looking: true)
    // The listing may have a file that another program has just put there.
    guard try status(of: path, beneath: root)?.modified == node.known?.modified else { throw changed(path) }
    for (name, child) in children { try remove(child, at: path.appending(name), beneath: root) }
  }

  /// Notes the saved children that another program removed where the plan makes or removes something.
  ///
  /// Cost: a look into the notes for each step; if a step is about the place of a folder, a look at each row.
  private mutating func noteLost() {
    guard hasMetadata, changes.recounted == nil, let known else { return }
    var folders: Set<PackagePath> = []
    for step in plan.steps where step.replacesContents && !PackageLayout.isOurs(step.path) {
      let row = known.row(at: step.path)
      let isFolder = row?.child.kind == .directory || changes[step.path].found?.kind == .directory
      if isFolder { folders.insert(step.path) }
      if let row { noteLost(row) }
    }
    if folders.isEmpty { return }
    for row in known.rows where row.child.path.prefixes.contains(where: folders.contains) { noteLost(row) }
  }

  private mutating func noteLost(_ row: NotedChild) {
    let path = row.child.path
    if changes[path].found == nil && !uncounted.contains(path) { changes[path].noted = row }
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

extension NotedChild {
  /// Returns whether a file or link on disk is as the row has it, by its size and date.
  fileprivate func isOf(_ node: PackageSnapshot.Node) -> Bool {
    child.kind == node.kind && child.kind != .directory && child.size == node.known?.size
      && modified == node.known?.modified
  }
}
