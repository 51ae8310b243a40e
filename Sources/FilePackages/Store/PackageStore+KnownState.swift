import DurableIO
public import FoundationEssentials
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
      let known = tree.knownBaseline(at: path)
      if wasFound, case .present(nil)? = known { return false }
      return self.isNews(path, name, in: folder, known: known)
    }
    return paths.filter { isNews(PackagePath($0), wasFound: false) }
      + found.filter { isNews(PackagePath($0), wasFound: true) }
  }

  /// The places at which the disk holds something else than what the tree was read from or last saved as.
  ///
  /// Lists every folder that the tree listed, and looks at every child that is an object.
  public func news(of document: URL) -> [String] {
    guard let place = try? FilePath(of: document, for: .watch) else { return [] }
    let location = Location(place, on: location.disk)
    var news: [PackagePath] = []
    for (path, known) in tree.knownBaselines() {
      // A folder that is gone is news of the one that held it.
      guard let folder = open(path, of: location), let listing = try? location.disk.list(folder.descriptor)
      else { continue }
      var names = Set(known.keys)
      for position in 0..<listing.count { names.insert(listing.name(at: position)) }
      for name in names {
        let child = path.appending(name)
        if child.names == [PackageLayout.hidden] { continue }
        let isListed = listing.position(of: name) != nil
        if case .present(nil)? = known[name], isListed { continue }
        if isNews(child, name, in: folder, known: known[name] ?? .absent) { news.append(child) }
      }
    }
    return news.sorted().map(\.string)
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
    _ path: PackagePath, _ name: FileName, in folder: OpenNode?, known: DirectoryNode.Baseline?
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
    case .present(nil): return true
    case nil, .absent: return now != nil
    case .present(let before?): return now.map { !$0.isUnchanged(since: before) } ?? true
    }
  }
}
