import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// Finds the place of a document, and the node that stands there.
extension WatchHub {
  private static let moves: Inotify.Mask = [.movedItself, .deletedItself]
  private static let names: Inotify.Mask = [.created, .deleted, .movedFrom, .movedTo]
  private static let writes: Inotify.Mask = [.modified, .closedAfterWriting, .attributes]

  /// Watches the folder that holds the document, and watches the folders above it for moves.
  func watchPlace(of package: WatchedPackage) {
    unwatchPlace(of: package)
    guard let name = package.path.lastComponent.map(FileName.init) else { return }
    package.placeName = name
    var folder = package.path
    var isParent = true
    var isWatched = true
    repeat {
      folder = folder.removingLastComponent()
      let path = folder
      do throws(SystemError) {
        let node = try disk.openPlace(at: path)
        let isFlat = package.status.map { $0.kind != .directory } ?? true
        let events = isParent ? Self.moves.union(Self.names).union(isFlat ? Self.writes : []) : Self.moves
        let watch = try watchTable.add { (inotify) throws(SystemError) in
          try inotify.watch(node, for: events)
        } _: { [id = package.id] point in
          if isParent {
            point.documents[name, default: []].insert(id)
            point.path = path
          } else {
            point.beneath.insert(id)
          }
        }
        package.placeWatches.append(watch)
      } catch {
        // A folder without read permission cannot be watched; the hub then polls the place.
        isWatched = false
        let limitation = limitation(error, .root, of: package)
        if limitation.code == .watchLimit { package.report.note(limitation) }
      }
      isParent = false
    } while folder.lastComponent != nil
    package.isPlaceWatched = isWatched
    package.noteLimits()
  }

  func unwatchPlace(of package: WatchedPackage) {
    let watches = package.placeWatches
    package.placeWatches = []
    guard let name = package.placeName else { return }
    for watch in watches {
      watchTable.release(watch) { [id = package.id] point in
        point.beneath.remove(id)
        point.documents[name]?.remove(id)
        if point.documents[name]?.isEmpty == true { point.documents[name] = nil }
      }
    }
  }

  /// Makes the node in the document's place the document.
  func install(_ place: consuming OwnedDescriptor, in package: WatchedPackage) throws(SystemError) {
    let status = try disk.status(of: place)
    if let old = package.root { unwatch(old, of: package) }
    package.root = nil
    package.status = status
    package.isIncomplete = false
    package.missingSince = nil
    package.lead = nil
    if status.kind == .directory {
      let root = WatchedFolder(FileName(bytes: []), in: nil)
      package.root = root
      // Opens the same node, regardless of its current name.
      watch(try disk.openDirectory(at: disk.link(to: place)), as: root, of: package, isNew: false)
    }
    anchor(package, at: place)
  }

  /// Checks whether the document or another node is in its place.
  func look(at package: WatchedPackage) {
    do throws(SystemError) {
      let place = try disk.openPlace(at: package.path)
      let now = try disk.status(of: place)
      if package.isNode(now), package.root.map({ $0.watch != nil || $0.isPolled }) ?? true {
        package.missingSince = nil
        return
      }
      // A link to the document's new place is no document, and neither is a FIFO.
      guard now.kind == .directory || now.kind == .file else { return markMissing(package) }
      try install(place, in: package)
      watchPlace(of: package)
      package.news.append(WatchNews(isReplaced: true), limit: package.options.maximumPaths)
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .notDirectory: markMissing(package)
      // If the place cannot be looked at, a later poll tries again.
      default: package.isPlaceWatched = false
      }
    }
  }

  func lookAtFile(_ package: WatchedPackage) {
    guard let place = try? disk.openPlace(at: package.path), let now = try? disk.status(of: place),
      package.isNode(now), now.identity != package.status?.identity
    else { return }
    package.status = now
    package.insert(.root)
  }

  private func markMissing(_ package: WatchedPackage) {
    if package.status != nil { package.missingSince = package.missingSince ?? .now }
  }

  /// Finds the new path of a document that left its place.
  ///
  /// - Returns: the time to wait before the answer is certain; nil if it is certain.
  func decideAbsence(of package: WatchedPackage) -> Duration? {
    guard let since = package.missingSince else { return nil }
    let left = package.options.absence - since.duration(to: .now)
    if left > .zero { return left }
    switch whereabouts(of: package) {
    case .underway: return package.options.absence
    case .found(let path):
      package.path = path
      package.missingSince = nil
      package.lead = nil
      watchPlace(of: package)
      package.news.moved = path
    case .unknown:
      if let root = package.root { unwatch(root, of: package) }
      package.root = nil
      package.status = nil
      package.missingSince = nil
      drop(&package.anchor)
      package.news.append(WatchNews(isDeleted: true), limit: package.options.maximumPaths)
    }
    return nil
  }

  private enum Whereabouts {
    case found(FilePath)
    /// The document has one of the temporary names that a save gives it.
    case underway
    case unknown
  }

  private func whereabouts(of package: WatchedPackage) -> Whereabouts {
    var places: [FilePath] = []
    // If the call fails, the path is unknown.
    if let anchor = package.anchor, let path = try? disk.path(of: anchor.descriptor) { places.append(path) }
    if let lead = package.lead { places.append(lead) }
    for path in places {
      guard let place = try? disk.openPlace(at: path), let status = try? disk.status(of: place),
        package.isNode(status), let name = path.lastComponent
      else { continue }
      return FileName(name).bytes.starts(with: PackageLayout.siblingPrefix) ? .underway : .found(path)
    }
    return .unknown
  }
}
