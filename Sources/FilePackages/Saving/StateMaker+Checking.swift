import DurableIO
import SystemPackage

extension StateMaker {
  /// Before anything is made: everything that the plan replaces or removes is what it was when it was read.
  mutating func checkSteps(beneath root: borrowing OwnedDescriptor) throws(FilePackageError) {
    for step in plan.steps { try check(step, beneath: root) }
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
    if case .setAttributes = step.action { return keepAttributes(of: now, at: step.path) }
    if now.kind == .file && now.mode & 0o222 == 0 && !options.overwritesReadOnly {
      throw failure(.permissionDenied, step.path, reason: "the file is read-only")
    }
    replaced[step.path] = now
    if metadata != nil { try subtract(now, at: step.path) }
  }

  /// Takes what goes out of the sums: what the manifest has of it, or else what is read from it.
  private mutating func subtract(_ now: FileStatus, at path: PackagePath) throws(FilePackageError) {
    var stored = node(path)
    stored.status = now
    // Collected first: sums that a closure adds to would be copied for each step.
    var children: [SummarizedChild] = []
    try summarize(PackageSnapshot.Node(stored, kind: now.kind), at: path, known: known) {
      children.append($0)
    }
    for child in children {
      if let accounted = child.accounted {
        change.subtract(accounted)
        batch.remove(accounted.path)
      }
      if let actual = child.actual { gone[actual.path] = actual }
    }
    try keep(children, of: path)
  }

  /// Whether what is there is what the plan was made for. A directory that goes has to have the entries that it
  /// had; one that stays may have got others.
  private func isSame(_ now: FileStatus, as expected: FileStatus, for step: SavePlan.Step) -> Bool {
    if case .setAttributes = step.action { return now.isUnchanged(since: expected) }
    return now.isUnchanged(since: expected)
      && (now.kind != .directory || now.modified == expected.modified)
  }

  func changed(_ path: PackagePath) -> FilePackageError {
    failure(.changedOnDisk, path)
  }

  /// What is at `path`, nil when nothing is.
  func status(
    of path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> FileStatus? {
    do {
      guard let name = path.name else { return try disk.status(of: root) }
      guard path.names.count > 1 else { return try disk.status(of: name, in: root) }
      return try disk.status(of: name, in: folder(path.parent, beneath: root).descriptor)
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels: return nil
      default: throw FilePackageError(error, options.operation, node(path), activity: "looking at")
      }
    }
  }

  /// A folder of the old state, which stays open for the other children in it.
  func folder(
    _ path: PackagePath, beneath root: borrowing OwnedDescriptor
  ) throws(SystemError) -> OpenNode {
    if let known = folders.open[path] { return known }
    guard let first = path.names.first else { throw SystemError("openat", code: .invalidArgument) }
    var directory = try disk.openDirectory(first, in: root)
    for name in path.names.dropFirst() { directory = try disk.openDirectory(name, in: directory) }
    let folder = OpenNode(directory)
    folders.keep(folder, at: path)
    return folder
  }
}
