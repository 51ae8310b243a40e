import DurableIO
import FileTrees
import Glibc
import PackageFormat
import SystemPackage

// A save refuses, before its commit, what the disk does not have any more, and what its publishing could not do.
extension SaveDraft {
  /// Checks, before anything is made, that every node that the plan replaces or removes is as it was when it was read.
  mutating func checkSteps() throws(FilePackageError) {
    for step in plan.steps { try check(step) }
    noteLost()
    guard let attributes = plan.rootAttributes else { return }
    setAttributes(attributes, at: .root, over: session.seen.package ?? session.hidden.packageStatus)
  }

  private mutating func setAttributes(
    _ attributes: NodeAttributes, at path: PackagePath, over now: FileStatus
  ) {
    // A row that is there takes the folder over, or counts it.
    changes[path].isNotedKnown = changes[path].new != nil
    (changes[path].work, changes[path].found) = (.attributes, Entry(now))
    changes[path].set(attributes)
  }

  private mutating func check(_ step: SavePlan.Step) throws(FilePackageError) {
    let now = try status(of: step.path)
    if step.replacesContents { changes[step.path].work = .node }
    guard let expected = step.replaced else {
      if now != nil { throw occupied(step.path) }
      return
    }
    guard let now, expected.status.map({ isSame(now, as: $0, for: step) }) ?? true else {
      throw changed(step.path)
    }
    guard now.kind.isSupported else {
      throw failure(.wrongKind, step.path, reason: "it is \(now.kind.words), which no save changes")
    }
    if case .setAttributes = step.action {
      statuses[step.path] = now
      return setAttributes(step.attributes, at: step.path, over: now)
    }
    if now.kind == .file && now.mode & 0o222 == 0 && !options.overwritesReadOnly {
      throw failure(.permissionDenied, step.path, reason: "the file is read-only")
    }
    var stored = node(step.path)
    stored.status = now
    try remove(PackageSnapshot.Node(stored, kind: now.kind), now, at: step.path)
  }

  /// Notes a node that goes, with everything in it: by the noted rows, or else by reading it.
  private mutating func remove(
    _ node: PackageSnapshot.Node, _ status: FileStatus, at path: PackagePath
  ) throws(FilePackageError) {
    var row = Change(path)
    row.work = .node
    var content: ContentHash?
    if metadata != nil && !PackageLayout.isOurs(path) {
      row.noted = known?.row(at: path)
      if let noted = row.noted, noted.isOf(node) { content = noted.child.content }
      // If the notes have all children and not this one, another program put it there.
      let isUnknown = row.noted == nil && known?.isComplete != true
      if content == nil && (isUnknown || keepsVersion && node.kind != .directory) {
        let child = try ChildSummary(reading: node, at: path)
        content = child.content
        if isUnknown { row.noted = NotedChild(child: child, modified: status.modified) }
      }
    }
    row.found = Entry(status, content: content)
    (changes[path], statuses[path]) = (row, status)
    guard case .directory = node.content else { return }
    let children = try node.children(at: path, looking: true)
    // The listing may have a file that another program has just put there.
    guard try self.status(of: path)?.modified == status.modified else { throw changed(path) }
    for (name, child) in children {
      guard let status = child.known else { throw changed(path.appending(name)) }
      try remove(child, status, at: path.appending(name))
    }
  }

  /// Notes the saved children that another program removed where the plan makes or removes something.
  ///
  /// Cost: a look into the notes for each step; if a step is about the place of a folder, a look at each row.
  private mutating func noteLost() {
    guard metadata != nil, !changes.isComplete, let known else { return }
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
    if changes[path].found == nil { changes[path].noted = row }
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
  private func occupied(_ path: PackagePath) -> FilePackageError {
    do throws(SystemError) {
      guard let name = path.name, try disk.limitsNames(in: session.hidden.root.descriptor),
        try disk.list(location.openDirectory(path.parent)).position(of: name) == nil
      else { return changed(path) }
    } catch {
      // The folder is changing.
      return changed(path)
    }
    return failure(NameTrial.Problem.folded, path)
  }

  func changed(_ path: PackagePath) -> FilePackageError {
    failure(.changedOnDisk, path)
  }

  /// Returns the status of the node at `path`; nil if there is none.
  func status(of path: PackagePath) throws(FilePackageError) -> FileStatus? {
    // The writer looked at both when it took the lock. The publisher looks at the plist again, when it exchanges it (P2).
    if path.isRoot, let package = session.seen.package { return package }
    if path.names == [PackageLayout.metadata] { return session.seen.metadata }
    return try attempt(path, "looking at") {
      do throws(SystemError) {
        guard let name = path.name else { return try disk.status(of: session.hidden.root.descriptor) }
        return try disk.status(of: name, in: folders.folder(path.parent).descriptor)
      } catch {
        if error.isAbsence { return nil }
        throw error
      }
    }
  }

  // MARK: Places

  /// Refuses places at which no rename is possible, and folders whose attributes cannot be set.
  func checkPlaces() throws(FilePackageError) {
    let package = try status(of: .root)
    guard let package else { throw changed(.root) }
    let user = geteuid()
    let new = Set(plan.steps.lazy.filter(\.makesFolder).map(\.path))
    var folders: [PackagePath: FileStatus] = [:]
    var checked: Set<PackagePath> = []
    for row in changes.rows where row.work != .none && !row.path.isRoot {
      let path = row.path
      if row.work == .attributes {
        if let folder = statuses[path] {
          try refuse(PublishObstacle(settingAttributesOf: folder, by: user), path)
        }
        continue
      }
      let parent = path.parent
      if new.contains(parent) { continue }
      if folders[parent] == nil { folders[parent] = statuses[parent] }
      if folders[parent] == nil {
        folders[parent] = try status(of: parent)
      }
      guard let folder = folders[parent], folder.kind == .directory else { throw changed(path) }
      try refuse(PublishObstacle(changing: statuses[path], in: folder, of: package, by: user), path)
      if user != 0 && folder.user != user && checked.insert(parent).inserted {
        try checkRights(in: parent, path)
      }
    }
    if plan.rootAttributes != nil {
      try refuse(PublishObstacle(settingAttributesOf: package, by: user), .root)
    }
  }

  private func refuse(_ obstacle: PublishObstacle?, _ path: PackagePath) throws(FilePackageError) {
    if let obstacle { throw failure(obstacle.code, path, reason: obstacle.words) }
  }

  /// Checks the rights in a folder of another user, which only the system knows.
  private func checkRights(in path: PackagePath, _ child: PackagePath) throws(FilePackageError) {
    do {
      try disk.checkWritable(".", in: folders.folder(path).descriptor)
    } catch {
      if error.code == .permissionDenied { try refuse(.otherUsersFolder, child) }
      throw FilePackageError(error, .save, node(child), activity: "looking at the folder of")
    }
  }

  // MARK: Names

  /// Refuses new names that the file system does not take, or writes in another way.
  ///
  /// Also finds out whether the file system has modes.
  mutating func checkNames() throws(FilePackageError) {
    let new = plan.steps.filter { $0.makesNode && changes[$0.path].found == nil }
    for (folder, steps) in Dictionary(grouping: new, by: \.path.parent).sorted(by: { $0.key < $1.key }) {
      let names = steps.compactMap(\.path.name).sorted()
      var trial = NameTrial(PackageSession.trial, in: staging, on: disk)
      let refused = try attempt(folder, "trying names for") {
        () throws(SystemError) -> (name: FileName, problem: NameTrial.Problem)? in
        try session.limitsNames() ? trial.firstRefusal(of: names) : nil
      }
      if let mode = trial.fixedMode { fixedMode = mode }
      guard let refused else { continue }
      throw failure(refused.problem, folder.appending(refused.name))
    }
  }
}

extension NotedChild {
  /// Returns whether a file or link on disk is as the row has it, by its size and date.
  func isOf(_ node: PackageSnapshot.Node) -> Bool {
    child.kind == node.kind && child.kind != .directory && child.size == node.known?.size
      && modified == node.known?.modified
  }
}
