import DurableIO
import FoundationEssentials
import PackageFormat
import SystemPackage

// Handles the events of the system, and reports them.
extension WatchHub {
  func handle(_ event: Inotify.Event) {
    if event.mask.contains(.overflow) {
      for package in packages.values {
        package.news.markOverflow()
        touch(package)
      }
      return
    }
    guard let point = watchTable[event.watch] else { return }
    guard let name = event.name else { return handle(event, ofNodeAt: point) }
    if let documents = point.documents[name] {
      if event.mask.contains(.movedFrom) {
        // The two halves of a rename follow each other closely; most renames out of a folder have no second half.
        if renames.count > 256 { renames = [:] }
        renames[event.cookie] = documents
      }
      for id in documents { packages[id].map { handle(event, ofDocument: $0) } }
    }
    if event.mask.contains(.movedTo), let moved = renames.removeValue(forKey: event.cookie) {
      for id in moved { packages[id]?.lead = point.path?.appending(name) }
    }
    for (id, folder) in point.folders {
      packages[id].map { handle(event, of: name, in: folder, of: $0) }
    }
  }

  /// Handles the move or removal of a watched node, or the end of its file system.
  private func handle(_ event: Inotify.Event, ofNodeAt point: WatchPoint) {
    guard !event.mask.isDisjoint(with: [.movedItself, .deletedItself, .unmounted, .ended]) else { return }
    if event.mask.contains(.ended) { watchTable.forget(event.watch) }
    let standing = point.documents.values.reduce(point.beneath) { $0.union($1) }
    for id in standing {
      guard let package = packages[id] else { continue }
      if event.mask.contains(.ended) {
        package.placeWatches.removeAll { $0 == event.watch }
        package.isPlaceWatched = false
      }
      look(at: package)
      touch(package)
    }
    for (id, folder) in point.folders {
      guard let package = packages[id] else { continue }
      if event.mask.contains(.ended) { folder.watch = nil }
      // For any other folder, the watch of its parent reports the event.
      guard folder === package.root else { continue }
      look(at: package)
      touch(package)
    }
  }

  private func handle(_ event: Inotify.Event, ofDocument package: WatchedPackage) {
    let isWritten = !event.mask.isDisjoint(with: [.modified, .closedAfterWriting, .attributes])
    if isWritten {
      guard package.status?.kind == .file else { return }
      package.insert(.root)
    } else {
      look(at: package)
    }
    touch(package)
  }

  private func handle(
    _ event: Inotify.Event, of name: FileName, in folder: WatchedFolder, of package: WatchedPackage
  ) {
    if folder === package.root && name == PackageLayout.hidden { return }
    package.insert(folder.path.appending(name))
    if event.mask.contains(.isDirectory) {
      // A renamed folder gets new watches under its new name (WH2).
      if !event.mask.isDisjoint(with: [.movedFrom, .deleted, .movedTo, .created]) {
        if let old = folder.children.removeValue(forKey: name) { unwatch(old, of: package) }
      }
      if !event.mask.isDisjoint(with: [.movedTo, .created]) {
        watchChild(name, of: folder, of: package)
      }
    }
    touch(package)
  }

  // MARK: Reporting

  /// Notes an event; the report follows after a quiet period.
  func touch(_ package: WatchedPackage) {
    package.lastNews = .now
    package.firstNews = package.firstNews ?? .now
    setTimer(for: package, in: package.options.quietPeriod)
  }

  private func setTimer(for package: WatchedPackage, in delay: Duration) {
    guard !package.isTimerSet else { return }
    package.isTimerSet = true
    after(delay) { [id = package.id] hub in hub.timerFired(for: id) }
  }

  private func timerFired(for id: WatchedPackage.ID) {
    guard let package = packages[id] else { return }
    package.isTimerSet = false
    guard let first = package.firstNews, let last = package.lastNews, !package.isAsking else { return }
    let due = min(last + package.options.quietPeriod, first + package.options.latency)
    let now = ContinuousClock.Instant.now
    if now < due { return setTimer(for: package, in: now.duration(to: due)) }
    look(at: package)
    if let wait = decideAbsence(of: package) { return setTimer(for: package, in: wait) }
    (package.firstNews, package.lastNews) = (nil, nil)
    if package.isIncomplete { package.news.markOverflow() }
    if package.news.isOverflow { watchAgain(package) }
    tell(package)
    schedulePolling(of: package)
  }

  /// Reports the news that the known state does not have.
  private func tell(_ package: WatchedPackage) {
    let news = package.news
    package.news = WatchNews()
    if news.isEmpty { return }
    // The known state has nothing to say about a deleted document.
    guard let state = package.state, !news.isDeleted else { return package.report.post(news) }
    package.isAsking = true
    Task { [report = package.report, id = package.id] in
      report.post(await news.withoutKnown(to: state, at: report.url))
      self.asked(id)
    }
  }

  private func asked(_ id: WatchedPackage.ID) {
    guard let package = packages[id] else { return }
    package.isAsking = false
    if package.firstNews != nil { setTimer(for: package, in: package.options.quietPeriod) }
  }
}

extension WatchNews {
  /// Returns the news without the changes that the known state has.
  fileprivate func withoutKnown(to state: any WatchBaseline, at document: URL) async -> WatchNews {
    var news = self
    var places: [String] = []
    if isReplaced {
      guard await state.news(of: document, at: [""], found: []).isEmpty else { return news }
      news.isReplaced = false
      // The system reports no change between the exchange and the first look at the new folder.
      places = await state.news(of: document)
    }
    if !isUnchanged {
      places += await state.news(
        of: document, at: changed.sorted().map(\.string),
        found: found.subtracting(changed).sorted().map(\.string))
    }
    news.setChanged(places.map { PackagePath($0) })
    return news
  }
}
