import DurableIO
import FilePackages
import SystemPackage

// The kernel's events, and the folders without them.
extension QueryRun {
  private static let folderEvents: Inotify.Mask = [
    .attributes, .closedAfterWriting, .created, .deleted, .deletedItself, .movedFrom, .movedItself, .movedTo,
  ]
  /// The folder around a package tells the package's name and its end.
  private static let packageEvents: Inotify.Mask = [
    .closedAfterWriting, .created, .deleted, .movedFrom, .movedTo,
  ]

  // MARK: Events

  func handle(_ event: Inotify.Event) {
    if event.mask.contains(.overflow) {
      for scope in scopes { scope.forEachFolder { mark($0) } }
      return
    }
    if event.mask.contains(.movedFrom) { halves.insert(event.cookie) }
    if event.mask.contains(.movedTo) { halves.remove(event.cookie) }
    guard let point = watchTable[event.watch] else { return }
    if event.mask.contains(.ended) { watchTable.forget(event.watch) }
    if let folder = point.folder { handle(event, in: folder) }
    if let package = point.package { handle(event, inPackage: package.name, in: package.folder) }
  }

  private func handle(_ event: Inotify.Event, in folder: SearchedFolder) {
    guard let name = event.name else {
      // New attributes may make a folder readable. All other events of this kind concern its place.
      if event.mask.contains(.ended) {
        folder.watch = nil
        mark(folder)
      }
      if let parent = folder.parent { mark(folder.name, in: parent) } else { queue(folder) }
      return
    }
    // These names make a plain folder a package.
    if name == PackageLayout.hidden || name == PackageLayout.metadata, let parent = folder.parent {
      mark(folder.name, in: parent)
    }
    if !name.isHidden { mark(name, in: folder) }
  }

  private func handle(_ event: Inotify.Event, inPackage name: FileName, in folder: SearchedFolder) {
    if event.mask.contains(.ended) { setWatch(nil, of: name, in: folder) }
    mark(name, in: folder, isTouched: event.name.map { $0 != PackageLayout.hidden } ?? false)
  }

  // MARK: Marking

  /// Marks a name after an event.
  func mark(_ name: FileName, in folder: SearchedFolder, isTouched: Bool = false) {
    if folder.isDetached { return }
    folder.dirty[name] = isTouched || folder.dirty[name] == true
    queue(folder)
  }

  /// Marks everything in a folder.
  func mark(_ folder: SearchedFolder) {
    folder.isDirty = true
    queue(folder)
  }

  /// Queues a folder, so that the next look checks at least that it exists.
  func queue(_ folder: SearchedFolder) {
    touch()
    guard !folder.isQueued else { return }
    folder.isQueued = true
    queued.append(folder)
  }

  /// Marks everything that the kernel does not watch; returns false if there is nothing to look at.
  func markUnwatched() -> Bool {
    if options.polls || hasUnwatched {
      isAtLimit = false
      hasUnwatched = false
      for scope in scopes {
        scope.forEachFolder { folder in
          if folder.hasUnwatched { unarmed += folder.unwatched.map { (folder, $0) } }
          let isUnwatched = folder.watch == nil || folder.hasUnwatched || folder.problem != nil
          folder.hasUnwatched = false
          if options.polls || isUnwatched { mark(folder) }
        }
      }
    }
    // No event tells a mount, or a move of a folder above.
    for scope in scopes where !isInPlace(scope) { queue(scope) }
    return !queued.isEmpty
  }

  /// Whether the folder can be opened at its path; if not, the search looks again, and has the error.
  private func isInPlace(_ scope: SearchedFolder) -> Bool {
    scope.node != nil && (try? open(scope)) != nil
  }

  // MARK: Watches

  /// Watches a folder. If the kernel refuses, the query looks at the folder from time to time.
  func startWatching(_ directory: borrowing OwnedDescriptor, as folder: SearchedFolder) {
    guard watches, folder.watch == nil else { return }
    do throws(SystemError) {
      folder.watch = try watchTable.add { (inotify) throws(SystemError) in
        try inotify.watch(directory, for: Self.folderEvents)
      } _: {
        $0.folder = folder
      }
    } catch {
      hasUnwatched = true
      note(limitation: error, folder)
    }
  }

  /// Watches the packages that were found, some at a time.
  func arm() {
    guard !isArming, !unarmed.isEmpty || isLimited && !hasUnwatched else { return }
    isArming = true
    later { run in
      run.isArming = false
      run.armSome()
      run.arm()
    }
  }

  func armSome() {
    guard options.watchesPackages else { return unarmed.removeAll() }
    let last = unarmed.suffix(1_000)
    unarmed.removeLast(last.count)
    var rest = last[...]
    while let folder = rest.first?.folder {
      let names = rest.prefix { $0.folder === folder }.map(\.name)
      rest = rest.dropFirst(names.count)
      arm(names, in: folder)
    }
    noteNoLimits()
  }

  private func arm(_ names: [FileName], in folder: SearchedFolder) {
    guard !folder.isDetached else { return }
    if isAtLimit {
      (hasUnwatched, folder.hasUnwatched) = (true, true)
      return
    }
    do throws(SystemError) {
      let directory = try open(folder)
      for name in names {
        guard case .document(nil)? = folder.entries[name],
          let item = report.item(at: DocumentPlace(name, in: folder.path))
        else { continue }
        do throws(SystemError) {
          let watch = try watchTable.add { (inotify) throws(SystemError) in
            try inotify.watch(name, in: directory, for: Self.packageEvents)
          } _: {
            $0.package = (name, folder)
          }
          setWatch(watch, of: name, in: folder)
        } catch {
          if ![.noSuchFileOrDirectory, .notDirectory].contains(error.code) {
            (hasUnwatched, folder.hasUnwatched) = (true, true)
            note(limitation: error, folder)
            if isAtLimit { return }
          }
        }
        // The status may have changed before the watch began (Q1).
        let now = try disk.statusIfPresent(of: name, in: directory)
        if now.map({ DocumentItem(name, in: folder, item.kind, $0) == item }) != true {
          mark(name, in: folder)
        }
      }
    } catch {
      note(error, of: folder)
    }
  }

  /// Withdraws the limitation if it no longer holds.
  private func noteNoLimits() {
    guard isLimited, !hasUnwatched, unarmed.isEmpty else { return }
    isLimited = false
    report.note(limitation: nil, run: number)
  }

  func setWatch(_ watch: Int32?, of name: FileName, in folder: SearchedFolder) {
    if case .document? = folder.entries[name] { folder.entries[name] = .document(watch: watch) }
  }

  private func note(limitation error: SystemError, _ folder: SearchedFolder) {
    let node = StoredNode(location: Location(folder.path.path, on: disk), path: .root)
    let limitation = FilePackageError(limitation: error, node)
    if limitation.code == .watchLimit { isAtLimit = true }
    isLimited = true
    report.note(limitation: limitation, run: number)
  }
}
