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
    let new = Set(children.plan.steps.lazy.filter(\.makesFolder).map(\.path))
    var folders: [PackagePath: FileStatus] = [:]
    var checked: Set<PackagePath> = []
    for path in places {
      let row = children.changes[path]
      if row.work == .attributes {
        if let folder = row.found { try refuse(PublishObstacle(settingAttributesOf: folder, by: user), path) }
        continue
      }
      let parent = path.parent
      if new.contains(parent) { continue }
      if folders[parent] == nil { folders[parent] = children.changes[parent].found }
      if folders[parent] == nil {
        folders[parent] = try children.status(of: parent, beneath: session.hidden.root.descriptor)
      }
      guard let folder = folders[parent], folder.kind == .directory else { throw children.changed(path) }
      try refuse(PublishObstacle(changing: row.found, in: folder, of: package, by: user), path)
      if user != 0 && folder.user != user && checked.insert(parent).inserted {
        try checkRights(in: parent, path)
      }
    }
    if children.plan.rootAttributes != nil {
      try refuse(PublishObstacle(settingAttributesOf: package, by: user), .root)
    }
  }

  private func refuse(_ obstacle: PublishObstacle?, _ path: PackagePath) throws(FilePackageError) {
    if let obstacle { throw children.failure(obstacle.code, path, reason: obstacle.words) }
  }

  /// Checks the rights in a folder of another user, which only the system knows.
  private func checkRights(in path: PackagePath, _ child: PackagePath) throws(FilePackageError) {
    do {
      try session.disk.checkWritable(".", in: open(path).descriptor)
    } catch {
      if error.code == .permissionDenied { try refuse(.otherUsersFolder, child) }
      throw FilePackageError(error, .save, children.node(child), activity: "looking at the folder of")
    }
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
    let new = children.plan.steps.filter { $0.makesNode && children.changes[$0.path].found == nil }
    for (folder, steps) in Dictionary(grouping: new, by: \.path.parent).sorted(by: { $0.key < $1.key }) {
      let names = steps.compactMap(\.path.name).sorted()
      var trial = NameTrial(PackageSession.trial, in: session.hidden.staging, on: session.disk)
      let refused = try children.attempt(folder, "trying names for") {
        () throws(SystemError) -> (name: FileName, problem: NameTrial.Problem)? in
        try session.limitsNames() ? trial.firstRefusal(of: names) : nil
      }
      if let mode = trial.fixedMode { fixedMode = mode }
      guard let refused else { continue }
      throw children.failure(
        refused.problem.code, folder.appending(refused.name), reason: refused.problem.words)
    }
  }
}
