package import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat
import Synchronization
import SystemPackage

// The comparison of the disk with the state that a store's tree was read from or last saved as.
//
// Between two calls of a store no write of it is under way. So each difference is another program's change, or a save
// that is committed and not published.
extension OpenPackage {
  /// Returns the places among these at which the disk differs.
  ///
  /// It compares the inode number, size and times of a file, never its contents; of a folder, only the inode
  /// number. A changed mode alone is no news. Cost: one status for each path, and opening its folder.
  package func news(of document: URL, at paths: [String], found: [String]) -> [String] {
    guard let place = try? FilePath(of: document, for: .watch) else { return paths + found }
    let location = Location(place, on: location.disk)
    // The folder of the last path; the next path is often in the same folder.
    var last: (path: PackagePath, node: OpenNode?)?
    func isNews(_ path: PackagePath, wasFound: Bool) -> Bool {
      guard let name = path.name else { return !baseline.isPackage(at: location) }
      let folder = last?.path == path.parent ? last?.node : open(path.parent, of: location)
      last = (path.parent, folder)
      return self.isNews(path, name, in: folder, known: tree.knownBaseline(at: path), unseenIsNews: !wasFound)
    }
    return paths.filter { isNews(PackagePath($0), wasFound: false) }
      + found.filter { isNews(PackagePath($0), wasFound: true) }
  }

  /// Returns all places at which the disk differs; the package itself if that cannot be found out.
  package func news(of document: URL) -> [String] {
    do {
      return try placesOfNews(at: Location(FilePath(of: document, for: .watch), on: location.disk)).map(
        \.string)
    } catch {
      return [""]
    }
  }

  /// Returns the same places in byte order; a folder that came or went stands for its whole content.
  ///
  /// The store can find only changes of names in folders that were listed, and of children that are objects. No other
  /// change can conflict with the tree. Cost: a getdents64(2) loop for each listed folder, a statx(2) for each child
  /// that is an object.
  package func placesOfNews(at place: Location) throws(SystemError) -> [PackagePath] {
    var news: Set<PackagePath> = []
    try collectNews(of: tree, OpenNode(place.openDirectory(.root)), at: .root, on: place.disk, into: &news)
    return news.sorted()
  }

  private func collectNews(
    of folder: FileWrapper, _ directory: OpenNode, at path: PackagePath, on disk: any Disk,
    into news: inout Set<PackagePath>
  ) throws(SystemError) {
    let (known, isListed) = folder.knownBaselines
    var names = Set(known.keys)
    if isListed {
      let listing = try disk.list(directory.descriptor)
      for position in 0..<listing.count where listing.kind(at: position).isSupported {
        let name = listing.name(at: position)
        // A child that is there and has no known status needs no look.
        if case .present(let node)? = known[name], node?.status == nil {
          names.remove(name)
        } else {
          names.insert(name)
        }
      }
    }
    if path == .root { correct(&names) }
    for name in names {
      let child = path.appending(name)
      if isNews(child, name, in: directory, known: known[name] ?? .absent) { news.insert(child) }
    }
    for (name, child) in folder.objects where child.isDirectory {
      let place = path.appending(name)
      // A folder that was moved in memory, or came from another package, is somewhere else on disk.
      guard let stored = child.state.withLock({ $0.stored }), stored.location === location,
        stored.path == place,
        !news.contains(place), !PackageLayout.isOurs(place)
      else { continue }
      let folder = OpenNode(try disk.openDirectory(name, in: directory.descriptor))
      try collectNews(of: child, folder, at: place, on: disk, into: &news)
    }
  }

  /// Corrects the names at the top for the library's own ones: the hidden folder is never compared.
  ///
  /// The metadata is, unless the store could not read it at opening.
  private func correct(_ names: inout Set<FileName>) {
    names.remove(PackageLayout.hidden)
    names.insert(PackageLayout.metadata)
    if case .unreadable = baseline.metadata { names.remove(PackageLayout.metadata) }
  }

  private func open(_ path: PackagePath, of location: Location) -> OpenNode? {
    do {
      return OpenNode(try location.openDirectory(path))
    } catch {
      return nil
    }
  }

  private func isNews(
    _ path: PackagePath, _ name: FileName, in folder: OpenNode?, known: DirectoryNode.Baseline?,
    unseenIsNews: Bool = false
  ) -> Bool {
    let now: FileStatus?
    do {
      now = try folder.flatMap { folder throws(SystemError) in
        try location.disk.statusIfPresent(of: name, in: folder.descriptor)
      }
    } catch {
      return true
    }
    if path.names == [PackageLayout.metadata], let plist = baseline.metadata.status {
      return now.map { !$0.isUnchanged(since: plist) } ?? true
    }
    switch known {
    case nil, .absent: return now != nil
    case .present(let node):
      guard let before = node?.status else { return unseenIsNews || now == nil }
      return now.map { !$0.isUnchanged(since: before) } ?? true
    }
  }
}
