import DurableIO
import SystemPackage

// (1) What a save took out of the package stays as long as the session, and somebody holds its wrapper: it can be read,
//     and put back, which then costs no copying.
// (2) It is of this process alone: whoever comes after it removes it.

extension PackageSession {
  /// A node that is no longer in the package.
  struct Removed {
    let name: FileName
    weak var wrapper: FileWrapper?
  }

  /// Keeps what the save that was published just now took away from under `origin`, where its wrapper is told of it.
  /// What cannot be kept is gone, as for any other program.
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
      try wrapper.settle(as: place, from: origin)
    } catch let error as FilePackageError {
      throw error
    } catch let error as SystemError where error.code == .noSuchFileOrDirectory {
      // A file system that cannot exchange has replaced it.
    } catch let error as SystemError {
      throw FilePackageError(error, .save, origin, activity: "keeping what was removed of")
    } catch {
      throw FilePackageError(.inputOutput, .save, origin)
    }
  }

  /// What a version needs stays there, and the wrapper learns that place.
  private func keepInVersion(_ wrapper: FileWrapper, from origin: StoredNode) throws(FilePackageError) {
    guard let publisher = published, !hasDamagedHistory,
      let operation = publisher.record.operations.first(where: { $0.path == origin.path }),
      let name = operation.keptName
    else { return }
    do {
      try moveReplaced(
        of: operation, as: name, looking: publisher.mustLook)
      var place = StoredNode(location: hidden.location, path: PackageLayout.versionsPath.appending(name))
      place.status = try disk.statusIfPresent(of: name, in: versionsFolder().descriptor)
      if place.status == nil { return }
      heldInVersions.append(Removed(name: name, wrapper: wrapper))
      try wrapper.settle(as: place, from: origin)
    } catch let error as FilePackageError {
      throw error
    } catch {
      // Without room for it it is gone for this wrapper, as for any other program; the version has it later.
      return
    }
  }

  /// Whether somebody holds a wrapper of what only a version has.
  var isHoldingVersions: Bool {
    heldInVersions.removeAll { node in
      let place = StoredNode(
        location: hidden.location, path: PackageLayout.versionsPath.appending(node.name))
      return node.wrapper?.isStored(at: place) != true
    }
    return !heldInVersions.isEmpty
  }

  private func folderForRemoved() throws(SystemError) -> OwnedDescriptor {
    _ = try disk.makeDirectoryIfAbsent(PackageLayout.removed, in: hidden.folder)
    return try disk.openDirectory(PackageLayout.removed, in: hidden.folder)
  }

  /// Removes what nobody holds any more, or what is in the package again; with `all`, everything. What cannot be removed
  /// now goes with the session.
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
  /// The name among the staged files of what an operation took away.
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
