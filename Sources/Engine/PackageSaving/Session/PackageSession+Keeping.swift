import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension PackageSession {
  /// A node that is no longer in the package.
  struct Removed {
    let name: FileName
    weak var wrapper: FileWrapper?
  }

  /// Moves the node that the last published save took from `origin`, and gives its wrapper the new place (S6).
  ///
  /// The new place is `removed`, or the folder for versions if the save keeps a version. A node that cannot be moved is
  /// gone, as for any other program.
  func keep(_ wrapper: FileWrapper, from origin: StoredNode) throws(FilePackageError) {
    guard let staged = published?.leftover(of: origin.path) else { return }
    if published?.record.version != nil { return try keepInVersion(wrapper, from: origin) }
    do {
      let folder = try folderForRemoved()
      let name = FileName("\(staged.string)-removed")
      try disk.rename(staged, in: hidden.staging.descriptor, to: name, in: folder, .replace)
      removed.append(Removed(name: name, wrapper: wrapper))
      var place = StoredNode(location: hidden.location, path: PackageLayout.removedPath.appending(name))
      place.status = try disk.status(of: name, in: folder)
      try wrapper.rebase(onto: place, from: origin)
    } catch let error as FilePackageError {
      throw error
    } catch let error as SystemError where error.code == .noSuchFileOrDirectory {
      // A file system that cannot exchange has replaced it.
    } catch let error as SystemError {
      throw FilePackageError(error, .save, origin, activity: "keeping the removed files of")
    } catch {
      throw FilePackageError(.inputOutput, .save, origin)
    }
  }

  /// Leaves the node to its version, and gives its wrapper that place.
  private func keepInVersion(_ wrapper: FileWrapper, from origin: StoredNode) throws(FilePackageError) {
    guard let publisher = published, !history.isDamaged,
      let operation = publisher.record.operations.first(where: { $0.path == origin.path }),
      let name = operation.keptName
    else { return }
    do {
      try history.moveReplaced(
        of: operation, as: name, looking: publisher.mustLook)
      var place = StoredNode(location: hidden.location, path: PackageLayout.versionsPath.appending(name))
      place.status = try disk.statusIfPresent(of: name, in: history.openFolder().descriptor)
      if place.status == nil { return }
      heldInVersions.append(Removed(name: name, wrapper: wrapper))
      try wrapper.rebase(onto: place, from: origin)
    } catch let error as FilePackageError {
      throw error
    } catch {
      // Without room in the folder for versions, the node is gone for this wrapper; the version gets it later.
      return
    }
  }

  /// Whether the program holds a wrapper of a node that only a version has.
  var isHoldingVersions: Bool {
    heldInVersions.removeAll { node in
      let place = StoredNode(
        location: hidden.location, path: PackageLayout.versionsPath.appending(node.name))
      return node.wrapper?.isStored(at: place) != true
    }
    return !heldInVersions.isEmpty
  }

  private func folderForRemoved() throws(SystemError) -> OwnedDescriptor {
    try disk.makeDirectoryIfAbsent(PackageLayout.removed, in: hidden.folder)
    return try disk.openDirectory(PackageLayout.removed, in: hidden.folder)
  }

  /// Removes the nodes that the program does not hold any more, or that are in the package again.
  ///
  /// With `all`, it removes every node. A node that cannot be removed goes with the session.
  func prune(all: Bool = false) {
    guard !removed.isEmpty, let folder = try? folderForRemoved() else { return }
    removed.removeAll { node in
      let place = StoredNode(
        location: hidden.location, path: PackageLayout.removedPath.appending(node.name))
      guard all || node.wrapper?.isStored(at: place) != true else { return false }
      return disk.removeEverything(node.name, from: folder)
    }
  }
}

extension Publisher {
  /// Returns the name among the staged files of the node that an operation took away.
  func leftover(of path: PackagePath) -> FileName? {
    guard let operation = record.operations.first(where: { $0.path == path }), operation.old != nil else {
      return nil
    }
    return switch operation.action {
    case .put(let staged): staged.name
    case .remove(let name): name
    case .setAttributes: nil
    }
  }
}
