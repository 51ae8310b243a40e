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

  /// Moves the nodes that the last published save took from their places to names of their own in the staging folder,
  /// and gives their wrappers these places (S5).
  ///
  /// A folder is made there again from the files that were in it. If the save keeps a version, that has these files, too.
  func keep(_ taken: [(wrapper: FileWrapper, origin: StoredNode)]) throws(FilePackageError) {
    guard let publisher = published else { return }
    let origins = Set(taken.map(\.origin.path))
    var gone: [PackagePath: [Change]] = [:]
    for change in publisher.record.changes.rows where change.takes || change.removesFolder {
      for place in change.path.prefixes where origins.contains(place) {
        gone[place, default: []].append(change)
      }
    }
    for (wrapper, origin) in taken { try keep(wrapper, from: origin, gone[origin.path] ?? [], of: publisher) }
  }

  private func keep(
    _ wrapper: FileWrapper, from origin: StoredNode, _ gone: [Change], of publisher: Publisher
  ) throws(FilePackageError) {
    // A folder that stays has lost only children.
    guard let first = gone.first, first.path == origin.path else { return }
    let top = heldName(keptCount)
    let folder = hidden.staging
    try origin.attempt(.save, "keeping the removed files of") {
      for change in gone {
        var parent = folder
        let names = [top] + change.path.names.dropFirst(origin.path.names.count)
        for name in names.dropLast() {
          parent = OpenNode(try disk.openDirectory(name, in: parent.descriptor))
        }
        try keep(change, of: publisher, as: names[names.count - 1], in: parent.descriptor)
      }
      var place = StoredNode(location: hidden.location, path: PackageLayout.stagingPath.appending(top))
      place.status = try disk.statusIfPresent(of: top, in: folder.descriptor)
      if place.status == nil { return }
      removed.append(Removed(name: top, wrapper: wrapper))
      keptCount += 1
      try wrapper.rebase(onto: place)
    }
  }

  private func keep(
    _ change: Change, of publisher: Publisher, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    if change.removesFolder {
      do {
        return try disk.makeDirectory(name, in: folder, mode: (change.found?.mode ?? 0) & 0o777 | 0o700)
      } catch  where error.code == .fileExists {
        // An earlier attempt made it.
        return
      }
    }
    do {
      guard publisher.record.keepsVersion, let kept = change.keptName else {
        return try disk.rename(change.name, in: hidden.staging.descriptor, to: name, in: folder, .replace)
      }
      try self.kept.keepReplaced(by: change, publisher)
      let versions = try self.kept.open()
      do {
        try disk.link(kept, in: versions.descriptor, to: name, in: folder)
      } catch {
        // Without hard links, the wrapper gets a copy.
        try disk.copy(kept, in: versions.descriptor, to: name, in: folder)
      }
    } catch  where error.code == .noSuchFileOrDirectory {
      // A file system that cannot exchange has replaced it.
    }
  }

  /// Removes the nodes that the program does not hold any more, or that are in the package again.
  ///
  /// With `all`, it removes every node. A node that cannot be removed goes with the session.
  func prune(all: Bool = false) {
    removed.removeAll { node in
      let place = StoredNode(
        location: hidden.location, path: PackageLayout.stagingPath.appending(node.name))
      guard all || node.wrapper?.isStored(at: place) != true else { return false }
      return disk.removeEverything(node.name, from: hidden.staging.descriptor)
    }
  }
}
