import Dispatch
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// (1) A folder is watched before it is listed, and a package before its status is compared: what happens in between is
//     found by the one or told by the other.
// (2) An event only says where to look; what happened is the difference between what is known and what is on disk.
// (3) What cannot be looked at now stays marked, and is looked at again.
// (4) A document that is gone in one place and came in another one at the same look is one that moved.

/// A query from its start to its end: what is known of the folders, and the watches.
actor QueryRun {
  private nonisolated let executor = QueueExecutor(label: "com.filepackages.finding")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let disk: any Disk
  let search: DocumentSearch
  let options: DocumentQuery.Options
  let report: QueryReport
  let number: Int
  let watches: Bool
  private let maximumWatches: Int

  var kinds: DocumentKinds
  var scopes: [SearchedFolder] = []
  var foldersByNode: [DocumentNode: SearchedFolder] = [:]
  /// Folders that were found and not read yet.
  var unread: [SearchedFolder] = []
  /// Documents that were found and not told yet.
  var gathered: [(folder: SearchedFolder, name: FileName, item: DocumentItem)] = []
  /// Packages that were found and are not watched yet.
  var unarmed: [(folder: SearchedFolder, name: FileName)] = []
  var isArming = false
  /// Folders in which something is to be looked at.
  var queued: [SearchedFolder] = []
  /// Documents whose place another one has, or nobody, by the look that is under way.
  var gone: [Int32] = []
  /// Since when they are looked for in vain.
  var goneSince: [Int32: ContinuousClock.Instant] = [:]
  /// Whether some folder is not watched.
  var hasUnwatched = false

  private enum Stage {
    case idle, gathering, live, over
  }

  private var stage = Stage.idle
  private var source: InotifySource?
  private var points: [Int32: WatchPoint] = [:]
  /// Whether the system allowed no more watches.
  var isAtLimit = false
  /// Whether that was told.
  var isLimited = false
  /// First halves of renames whose second halves have not come.
  var halves: Set<UInt32> = []
  private var firstNews: ContinuousClock.Instant?
  private var lastLook: ContinuousClock.Instant?
  private var isTimerSet = false

  /// What one watch is for: a folder that is searched, a package that was found, or a directory that is both.
  struct WatchPoint {
    var folder: SearchedFolder?
    var package: (name: FileName, folder: SearchedFolder)?
  }

  init(
    _ search: DocumentSearch, _ options: DocumentQuery.Options, _ report: QueryReport, number: Int,
    watches: Bool, maximumWatches: Int, on disk: any Disk
  ) {
    (self.search, self.options, self.report, self.number) = (search, options, report, number)
    (self.watches, self.maximumWatches, self.disk) = (watches, maximumWatches, disk)
    kinds = DocumentKinds(for: search.contentTypes, packages: search.packageExtensions)
  }

  // MARK: From start to end

  func start() {
    guard stage == .idle else { return }
    stage = .gathering
    addScopes()
    gather()
  }

  func stop() {
    stage = .over
    source = nil
    points = [:]
    (scopes, foldersByNode, unread, unarmed, queued, gone) = ([], [:], [], [], [], [])
  }

  /// Reads the folders one after the other, so that events and timers have their turn.
  private func gather() {
    guard stage == .gathering else { return }
    guard !unread.isEmpty else { return becomeLive() }
    gatherNext()
    later { $0.gather() }
  }

  private func becomeLive() {
    stage = .live
    report.finishGathering(run: number)
    guard watches else { return }
    arm()
    schedulePolling(after: .zero)
    if firstNews != nil { setTimer() }
  }

  /// Does now what a timer would do later.
  func update() {
    if stage == .idle { start() }
    while stage == .gathering {
      if unread.isEmpty { becomeLive() } else { gatherNext() }
    }
    guard stage == .live, watches else { return }
    while !unarmed.isEmpty { armSome() }
    _ = markUnwatched()
    for scope in scopes { queue(scope) }
    lookNow()
    repeat { armSome() } while !unarmed.isEmpty
    // Where things go on happening, the rest is told with them.
    for _ in 0..<8 where !queued.isEmpty || !gone.isEmpty { lookNow() }
  }

  func block(until gate: @Sendable () -> Void) { gate() }

  // MARK: Time

  /// Does something once events and timers had their turn.
  func later(_ body: @escaping @Sendable (isolated QueryRun) -> Void) {
    executor.queue.async { [weak self] in self?.assumeIsolated { body($0) } }
  }

  /// Something happened: it is looked at once what belongs to it has happened, too.
  func touch() {
    firstNews = firstNews ?? .now
    setTimer()
  }

  private func setTimer() {
    guard stage == .live, !isTimerSet, let first = firstNews else { return }
    isTimerSet = true
    let due = max(first + options.quietPeriod, lastLook.map { $0 + options.batchingInterval } ?? first)
    executor.after(ContinuousClock.now.duration(to: due)) { [weak self] in
      self?.assumeIsolated { run in
        run.isTimerSet = false
        run.look()
      }
    }
  }

  /// Finds out what happened, and tells it.
  private func look() {
    guard stage == .live else { return }
    readEvents()
    if !halves.isEmpty {
      // The other halves are about to come, or lead out of the folders.
      halves = []
      return executor.after(.milliseconds(10)) { [weak self] in self?.assumeIsolated { $0.lookNow() } }
    }
    lookNow()
  }

  private func lookNow() {
    guard stage == .live else { return }
    readEvents()
    halves = []
    firstNews = nil
    lastLook = .now
    reconcile()
    arm()
    if !queued.isEmpty || !gone.isEmpty { touch() }
  }

  /// Looks from time to time at what the system does not tell of.
  private func schedulePolling(after took: Duration) {
    executor.after(max(options.pollInterval, took * 10)) { [weak self] in self?.assumeIsolated { $0.poll() } }
  }

  private func poll() {
    guard stage == .live else { return }
    let took = ContinuousClock().measure {
      if markUnwatched() { lookNow() }
    }
    schedulePolling(after: took)
  }

  // MARK: Watches

  private func openSource() throws(SystemError) -> InotifySource {
    if let source { return source }
    let source = InotifySource(try Inotify.open(), on: executor.queue) { [weak self] in
      self?.assumeIsolated { run in
        // Some at a time, so that timers have their turn.
        run.readEvents(atMost: 16)
      }
    }
    self.source = source
    return source
  }

  /// Has the system tell of a directory.
  ///
  /// - Throws: ENOSPC, EMFILE or ENFILE at the system's limits; what else the system says.
  func addWatch(
    _ add: (borrowing Inotify) throws(SystemError) -> Int32, _ note: (inout WatchPoint) -> Void
  ) throws(SystemError) -> Int32 {
    let source = try openSource()
    let watch = try add(source.inotify)
    if points[watch] == nil && points.count >= maximumWatches {
      source.inotify.remove(watch)
      throw SystemError("inotify_add_watch", code: .noSpace)
    }
    note(&points[watch, default: WatchPoint()])
    return watch
  }

  func point(_ watch: Int32) -> WatchPoint? { points[watch] }

  /// The system has ended it.
  func forget(_ watch: Int32) { points[watch] = nil }

  /// Gives up what a folder or a package has of a watch.
  func release(_ watch: Int32, _ note: (inout WatchPoint) -> Void) {
    guard var point = points[watch] else { return }
    note(&point)
    points[watch] = point
    guard point.folder == nil && point.package == nil else { return }
    points[watch] = nil
    source?.inotify.remove(watch)
  }

  var watchCount: Int { points.count }

  /// Reads what happened until there is nothing more.
  func readEvents(atMost count: Int = .max) {
    guard let source, stage != .over else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { buffer.deallocate() }
    for _ in 0..<count {
      // A failure to read leaves the descriptor readable, and this is called again.
      guard let events = try? source.inotify.read(into: buffer), !events.isEmpty else { return }
      for event in events { handle(event) }
    }
  }
}
