import DurableIO
import FileTrees
import Glibc
import PackageFormat
import SystemPackage

// A save refuses, before its commit, a step whose publishing would fail after it.
extension InPlaceSave {
  /// Refuses places at which no rename is possible, and folders whose attributes cannot be set.
  func checkPlaces() throws(FilePackageError) {
    let package = try children.status(of: .root, beneath: session.hidden.root.descriptor)
    guard let package else { throw children.changed(.root) }
    let user = geteuid()
    var folders: [PackagePath: FileStatus] = [:]
    var checked: Set<PackagePath> = []
    for step in top {
      let parent = step.path.parent
      var found = folders[parent]
      if found == nil { found = try children.status(of: parent, beneath: session.hidden.root.descriptor) }
      guard let folder = found, folder.kind == .directory else { throw children.changed(step.path) }
      folders[parent] = folder
      if case .setAttributes = step.action {
        if let folder = children.staying[step.path] {
          try refuse(PublishObstacle(settingAttributesOf: folder, by: user), step.path)
        }
        continue
      }
      let old = children.replaced[step.path]
      try refuse(PublishObstacle(changing: old, in: folder, of: package, by: user), step.path)
      if checked.insert(parent).inserted { try checkFolder(parent, folder, step.path, user) }
      if let old, old.kind == .directory { try checkMove(of: old, step.path, user) }
    }
    if children.plan.rootAttributes != nil {
      try refuse(PublishObstacle(settingAttributesOf: package, by: user), .root)
    }
  }

  private func refuse(_ obstacle: PublishObstacle?, _ path: PackagePath) throws(FilePackageError) {
    if let obstacle { throw children.failure(obstacle.code, path, reason: obstacle.words) }
  }

  /// Checks what only the system tells of a folder: the rights in one of another user, and once in a session its project.
  private func checkFolder(
    _ path: PackagePath, _ status: FileStatus, _ child: PackagePath, _ user: UInt32
  ) throws(FilePackageError) {
    let isOthers = user != 0 && status.user != user
    if !isOthers && session.asked.folders.contains(path) { return }
    do {
      let folder = try open(path)
      if isOthers { try session.disk.checkWritable(".", in: folder.descriptor) }
      if try session.isInProject(folder, path) { return }
    } catch {
      if error.code == .permissionDenied { try refuse(.otherUsersFolder, child) }
      throw FilePackageError(error, .save, children.node(child), activity: "looking at the folder of")
    }
    throw children.failure(.unsupported, child, reason: "its folder counts for the quota of another project")
  }

  /// Checks whether a folder that is replaced or removed can be renamed to the staging folder.
  private func checkMove(
    of folder: FileStatus, _ path: PackagePath, _ user: UInt32
  ) throws(FilePackageError) {
    let moves = try children.attempt(path, "looking at") { () throws(SystemError) in
      if user != 0 && folder.user != user { try session.disk.checkWritable(".", in: open(path).descriptor) }
      return try session.limits().contains(.movingFolders) ? isMovable(path) : true
    }
    if moves { return }
    throw children.failure(
      .unsupported, path, reason: "the folder is in a lower layer of the file system, and cannot be moved")
  }

  /// Tries to rename a folder over one that is not empty, which changes nothing.
  private func isMovable(_ path: PackagePath) throws(SystemError) -> Bool {
    guard let name = path.name else { return true }
    let (disk, staging, trial) = (session.disk, session.hidden.staging, PackageSession.trial)
    // A folder that cannot be removed goes with the session.
    defer { disk.removeEverything(trial, from: staging.descriptor) }
    try disk.makeDirectory(trial, in: staging.descriptor, mode: 0o700)
    try disk.makeDirectory(trial, in: disk.openDirectory(trial, in: staging.descriptor), mode: 0o700)
    let folder = try open(path.parent)
    do {
      try disk.rename(name, in: folder.descriptor, to: trial, in: staging.descriptor, .replace)
    } catch {
      return error.code != .improperLink
    }
    // No known file system replaces a folder that has entries.
    try disk.rename(trial, in: staging.descriptor, to: name, in: folder.descriptor, .noReplace)
    return true
  }

  private func open(_ path: PackagePath) throws(SystemError) -> OpenNode {
    let root = session.hidden.root
    return path.isRoot ? root : try children.folder(path, beneath: root.descriptor)
  }

  // MARK: Names

  /// Refuses new names that the file system does not take, or writes in another way.
  ///
  /// Also finds out whether the file system has modes.
  mutating func checkNames() throws(FilePackageError) {
    let new = top.filter { $0.makesNode && children.replaced[$0.path] == nil }
    for (folder, steps) in Dictionary(grouping: new, by: \.path.parent).sorted(by: { $0.key < $1.key }) {
      let names = steps.compactMap(\.path.name).sorted()
      var trial = NameTrial(PackageSession.trial, in: session.hidden.staging, on: session.disk)
      let refused = try children.attempt(folder, "trying names for") {
        () throws(SystemError) -> (name: FileName, problem: NameTrial.Problem)? in
        try session.limits().contains(.names) ? trial.firstRefusal(of: names) : nil
      }
      if let mode = trial.fixedMode { fixedMode = mode }
      guard let refused else { continue }
      throw children.failure(
        refused.problem.code, folder.appending(refused.name), reason: refused.problem.words)
    }
  }
}
