import Dispatch
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// Q1 A query watches a folder before it lists it, and a package before it compares its status. The list or an event
//    shows each change in between.
// Q2 An event only says where to look. The changes are the difference between the known state and the disk.
// Q3 A folder that cannot be read stays marked, and the query looks again.
// Q4 A document has moved if its node is gone in one place and new in another one when the query tells the changes.

/// A query from its start to its end: the known state of the folders, and the watches.
actor QueryRun: DocumentQueryRun {
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
  /// Folders that were found and not yet read.
  var unread: [SearchedFolder] = []
  /// Documents that were found and not yet told, each with its folder.
  var found: [(folder: SearchedFolder, item: DocumentItem)] = []
  /// Packages that were found and not yet watched.
  var unarmed: [(folder: SearchedFolder, name: FileName)] = []
  var isArming = false
  /// Folders with marks, for the next look.
  var queued: [SearchedFolder] = []
  /// The places that are empty or hold another document, each with the search for its document.
  var gone: [DocumentPlace: Absence] = [:]
  /// Whether some folder has no watch.
  var hasUnwatched = false

  private enum Stage {
    case idle, gathering, live, over
  }

  private var stage = Stage.idle
  var isGathering: Bool { stage == .gathering }
  private(set) lazy var watchTable: WatchTable<WatchPoint> = WatchTable(
    maximum: maximumWatches, on: executor.queue
  ) { [weak self] in
    // Some at a time, so that timers run between them.
    self?.assumeIsolated { $0.readEvents(atMost: 16) }
  }
  /// Whether the kernel allows no more watches.
  var isAtLimit = false
  /// Whether the limitation was told.
  var isLimited = false
  /// First halves of renames without their second halves.
  var halves: Set<UInt32> = []
  private var firstNews: ContinuousClock.Instant?
  private var lastLook: ContinuousClock.Instant?
  private var isTimerSet = false

  /// The use of one watch: for a searched folder, a found package, or a directory that is both.
  struct WatchPoint: WatchUse {
    var folder: SearchedFolder?
    var package: (name: FileName, folder: SearchedFolder)?

    var isEmpty: Bool { folder == nil && package == nil }
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
    watchTable.removeAll()
    (scopes, foldersByNode, unread, unarmed, queued, gone) = ([], [:], [], [], [], [:])
  }

  /// Reads one folder after the other, so that events and timers run between them.
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

  /// Does at once the work that a timer would do later.
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
    // If events go on, the next look tells the rest.
    for _ in 0..<8 where !queued.isEmpty || !gone.isEmpty { lookNow() }
  }

  func block(until gate: @Sendable () -> Void) { gate() }

  // MARK: Time

  /// Runs a closure after waiting events and timers.
  func later(_ body: @escaping @Sendable (isolated QueryRun) -> Void) {
    executor.queue.async { [weak self] in self?.assumeIsolated { body($0) } }
  }

  /// Schedules a look after an event, late enough for the events that belong to it.
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

  /// Finds the changes and tells them.
  private func look() {
    guard stage == .live else { return }
    readEvents()
    if !halves.isEmpty {
      // The other halves are about to come, or the new places are outside the folders.
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

  /// Looks from time to time at everything without a watch.
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

  var watchCount: Int { watchTable.count }

  /// Reads the waiting events, in at most `count` steps.
  func readEvents(atMost count: Int = .max) {
    guard stage != .over else { return }
    watchTable.readEvents(atMost: count) { handle($0) }
  }
}
