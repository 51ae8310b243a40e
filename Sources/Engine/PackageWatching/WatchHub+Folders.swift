import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// The folders of a package.
extension WatchHub {
  private static let events: Inotify.Mask = [
    .attributes, .closedAfterWriting, .created, .deleted, .deletedItself, .modified, .movedFrom, .movedItself,
    .movedTo,
  ]

  /// Watches a folder and all folders in it, without following links.
  ///
  /// - Parameter isNew: whether every entry in it is news.
  func watch(
    _ directory: borrowing OwnedDescriptor, as folder: WatchedFolder, of package: WatchedPackage, isNew: Bool
  ) {
    let path = folder.path
    guard path.names.count <= PackagePath.maximumDepth else { return }
    // Before the listing (WH1).
    startWatching(directory, as: folder, of: package)
    let listing: DirectoryListing
    do {
      listing = try disk.list(directory)
    } catch {
      return poll(folder, of: package, because: error)
    }
    if folder.isPolled || package.options.polls {
      folder.seen = statuses(of: listing, in: directory, of: folder, package)
    }
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      if folder === package.root && name == PackageLayout.hidden { continue }
      if isNew { package.insert(path.appending(name), isFound: true) }
      if listing.kind(at: position) == .directory {
        watchChild(name, of: folder, in: directory, of: package, isNew: isNew)
      }
    }
  }

  /// Watches a folder that has just appeared, and reports its entries.
  func watchChild(_ name: FileName, of folder: WatchedFolder, of package: WatchedPackage) {
    do {
      let directory = try open(folder, of: package)
      watchChild(name, of: folder, in: directory, of: package, isNew: true)
    } catch {
      // If a folder on the way was renamed or removed, the next event reports that. If the package itself is moving,
      // only its descriptor would lead to the folder.
      if !error.isAbsence || package.anchor == nil { package.isIncomplete = true }
    }
  }

  private func watchChild(
    _ name: FileName, of folder: WatchedFolder, in directory: borrowing OwnedDescriptor,
    of package: WatchedPackage, isNew: Bool
  ) {
    let child = WatchedFolder(name, in: folder)
    do {
      let inner = try disk.openDirectory(name, in: directory)
      folder.children[name] = child
      watch(inner, as: child, of: package, isNew: isNew)
    } catch {
      // The entry is gone again, or is of another kind: a later event reports that.
      if error.isAbsence { return }
      folder.children[name] = child
      poll(child, of: package, because: error)
    }
  }

  /// Adds a watch for one folder; if the system refuses, the hub polls the folder.
  private func startWatching(
    _ directory: borrowing OwnedDescriptor, as folder: WatchedFolder, of package: WatchedPackage
  ) {
    do throws(SystemError) {
      folder.watch = try watchTable.add { (inotify) throws(SystemError) in
        try inotify.watch(directory, for: Self.events)
      } _: {
        $0.folders[package.id] = folder
      }
      package.setPolled(folder, false)
    } catch {
      poll(folder, of: package, because: error)
    }
  }

  private func poll(_ folder: WatchedFolder, of package: WatchedPackage, because error: SystemError) {
    package.setPolled(folder, true)
    package.report.note(limitation(error, folder.path, of: package))
  }

  func limitation(_ error: SystemError, _ path: PackagePath, of package: WatchedPackage) -> FilePackageError {
    FilePackageError(limitation: error, StoredNode(location: Location(package.path, on: disk), path: path))
  }

  /// Releases the watches of a folder and of all folders in it; each ends if no other document needs it (WH3).
  func unwatch(_ folder: WatchedFolder, of package: WatchedPackage) {
    if let watch = folder.watch {
      folder.watch = nil
      watchTable.release(watch) { if $0.folders[package.id] === folder { $0.folders[package.id] = nil } }
    }
    package.setPolled(folder, false)
    for child in folder.children.values { unwatch(child, of: package) }
    folder.children = [:]
  }

  /// Watches the package again after lost events, since an unknown folder may have appeared.
  func watchAgain(_ package: WatchedPackage) {
    package.isIncomplete = false
    guard let root = package.root else { return }
    unwatch(root, of: package)
    let fresh = WatchedFolder(root.name, in: nil)
    package.root = fresh
    // If the package cannot be opened, a later poll looks at it again, as at an unknown package.
    guard let directory = try? open(fresh, of: package) else { return package.isPlaceWatched = false }
    watch(directory, as: fresh, of: package, isNew: false)
  }

  /// Opens a folder name by name.
  private func open(_ folder: WatchedFolder, of package: WatchedPackage) throws(SystemError)
    -> OwnedDescriptor
  {
    // While the document moves to another place, its anchor leads to it.
    let start = package.anchor.map { disk.link(to: $0.descriptor) } ?? package.path
    var directory = try disk.openDirectory(at: start)
    guard package.isNode(try disk.status(of: directory)) else {
      throw SystemError("open", code: .noSuchFileOrDirectory)
    }
    for name in folder.path.names { directory = try disk.openDirectory(name, in: directory) }
    return directory
  }

  // MARK: Looking from time to time

  /// Looks at the place and the folders of a document that have no watch, and schedules the next look.
  func poll(_ id: WatchedPackage.ID, isFirst: Bool = false) {
    guard let package = packages[id] else { return }
    package.isPollSet = false
    if !isFirst {
      if !package.isPlaceWatched { watchPlace(of: package) }
      let wasMissing = package.missingSince != nil
      look(at: package)
      if let root = package.root, package.missingSince == nil { poll(root, of: package) }
      if package.options.polls, package.status?.kind == .file { lookAtFile(package) }
      if !package.news.isEmpty || (package.missingSince != nil && !wasMissing) { touch(package) }
    }
    schedulePolling(of: package)
  }

  func schedulePolling(of package: WatchedPackage) {
    guard package.needsPolling, !package.isPollSet else { return }
    package.isPollSet = true
    after(package.options.pollInterval) { [id = package.id] hub in hub.poll(id) }
  }

  private func poll(_ folder: WatchedFolder, of package: WatchedPackage) {
    // A folder that cannot be opened is gone, as its parent shows, or a later poll tries again.
    if folder.isPolled || package.options.polls, let directory = try? open(folder, of: package) {
      // The folder may get a watch at this point; the comparison still finds earlier changes.
      if folder.watch == nil { startWatching(directory, as: folder, of: package) }
      compare(folder, in: directory, of: package)
    }
    for child in Array(folder.children.values) { poll(child, of: package) }
  }

  private func compare(
    _ folder: WatchedFolder, in directory: borrowing OwnedDescriptor, of package: WatchedPackage
  ) {
    // If a folder cannot be listed, its last seen state stays until it can.
    guard let listing = try? disk.list(directory) else { return }
    let (before, now) = (folder.seen, statuses(of: listing, in: directory, of: folder, package))
    folder.seen = now
    let path = folder.path
    for name in Set(before.keys).union(now.keys) {
      let status = now[name]
      if let status, before[name].map(status.isSame) == true { continue }
      package.insert(path.appending(name))
      if let old = folder.children.removeValue(forKey: name) { unwatch(old, of: package) }
      if status?.kind == .directory {
        watchChild(name, of: folder, in: directory, of: package, isNew: true)
      }
    }
  }

  private func statuses(
    of listing: DirectoryListing, in directory: borrowing OwnedDescriptor, of folder: WatchedFolder,
    _ package: WatchedPackage
  ) -> [FileName: FileStatus] {
    var statuses: [FileName: FileStatus] = [:]
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      if folder === package.root && name == PackageLayout.hidden { continue }
      // An entry without a status is gone.
      statuses[name] = try? disk.status(of: name, in: directory)
    }
    return statuses
  }
}

extension FileStatus {
  /// Returns whether the node is unchanged; the entries of a folder count for themselves.
  fileprivate func isSame(as earlier: FileStatus) -> Bool {
    if kind == .directory { return kind == earlier.kind && identity.isSameNode(as: earlier.identity) }
    return kind == earlier.kind && identity == earlier.identity
  }
}
