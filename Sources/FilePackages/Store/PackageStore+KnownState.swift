import DurableIO
public import FoundationEssentials
import Synchronization
import SystemPackage

// (1) Between two of its calls, a store has no write under way: the tree knows what is on disk, or that a save was
//     committed and is not there yet.

extension PackageStore: KnownState {
  /// Which of these places are on disk not what the tree was read from or last saved as, by number, size and times of
  /// the file, never by contents; of a folder, by its number. A changed mode alone is no news.
  ///
  /// A status for each path, and what it takes to open its folder.
  public func news(of document: URL, at paths: [String], found: [String]) -> [String] {
    guard let place = try? FilePath(of: document, for: .watch) else { return paths + found }
    let location = Location(place, on: location.disk)
    // The folder of the last path, which is often the one of the next.
    var last: (path: PackagePath, node: OpenNode?)?
    func isNews(_ path: PackagePath, wasFound: Bool) -> Bool {
      guard let name = path.name else { return !isPackage(at: location) }
      let folder = last?.path == path.parent ? last?.node : open(path.parent, of: location)
      last = (path.parent, folder)
      return self.isNews(path, name, in: folder, known: tree.knownBaseline(at: path), unseenIsNews: !wasFound)
    }
    return paths.filter { isNews(PackagePath($0), wasFound: false) }
      + found.filter { isNews(PackagePath($0), wasFound: true) }
  }

  /// The places at which the disk holds something else than what the tree was read from or last saved as; the package
  /// itself where that cannot be told.
  public func news(of document: URL) -> [String] {
    do {
      return try placesOfNews(at: Location(FilePath(of: document, for: .watch), on: location.disk)).map(
        \.string)
    } catch {
      return [""]
    }
  }

  /// The same, in byte order; a folder that came or went stands for all that is in it.
  ///
  /// Only what is known can be found changed: the names in folders that were listed, and the children that are
  /// objects. Nothing else can be in anybody's way. Cost: a getdents64(2) loop for each listed folder, a statx(2) for
  /// each child that is an object.
  func placesOfNews(at place: Location) throws(SystemError) -> [PackagePath] {
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
        // What is there, and was never looked at, needs no look now.
        if case .present(nil)? = known[name] { names.remove(name) } else { names.insert(name) }
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

  /// Of the library's own names, the metadata are looked at, unless they could not be read when the package was
  /// opened.
  private func correct(_ names: inout Set<FileName>) {
    names.remove(PackageLayout.hidden)
    names.insert(PackageLayout.metadata)
    if case .unreadable = metadataState { names.remove(PackageLayout.metadata) }
  }

  /// Whether the package that this store opened, or last saved, stands there.
  func isPackage(at location: Location) -> Bool {
    // A package that cannot be looked at is not known.
    guard let directory = try? location.openDirectory(.root),
      let now = try? location.disk.status(of: directory)
    else { return false }
    return now.identity.isSameNode(as: status.identity) && now.born == status.born
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
    if path.names == [PackageLayout.metadata], let plist = knownPlist {
      return now.map { !$0.isUnchanged(since: plist) } ?? true
    }
    switch known {
    case .present(nil): return unseenIsNews || now == nil
    case nil, .absent: return now != nil
    case .present(let before?): return now.map { !$0.isUnchanged(since: before) } ?? true
    }
  }
}
