package import DurableIO
public import FilePackages
import FoundationEssentials
import Synchronization

/// Finds documents in folders and reports their changes: the counterpart of `NSMetadataQuery`.
///
/// ```swift
/// let query = DocumentQuery(DocumentSearch(in: [folder], for: [.imageNotes], sortedBy: .name))
/// query.start()
/// for await update in query {
///   switch update {
///   case .startedGathering: list = []
///   case .typesWithoutExtension(let types): …
///   case .gathered(let items): list += items
///   case .finishedGathering: show(query.results)
///   case .updated(let changes): …
///   case .unreadable(let problem): …
///   case .readable: …
///   }
/// }
/// ```
///
/// A query first gathers, then it is live. A live query reports each document that a program makes, saves, renames,
/// moves or removes. If the kernel's queue of events overflows, the query compares the folders, so it misses no change.
/// It combines updates until a listener asks, so a slow listener costs no memory and receives only the newest state.
///
/// A query opens no package. It reports a package as changed if a program makes, renames, removes, or writes and closes
/// a file in the package's own directory. Each save of this library does that. It does not report writes of other
/// programs in folders within a package.
///
/// **Limits.** The kernel reports local changes only; `Options.polls` is for folders that other machines write to. Each
/// folder and each package takes one of the user's watches (`fs.inotify.max_user_watches`). If none is left, the query
/// looks at the rest every `Options.pollInterval`, and `limitation` says so. Only `polls` finds a file system that is
/// mounted over a folder within the searched ones.
///
/// **Cost.** A gathering reads each folder once and the status of each document that has the type. A running query has
/// a thread and an inotify descriptor, up to 450 bytes a document, and the kernel's memory for each watch.
public final class DocumentQuery: Sendable {
  /// The state of a query.
  public enum Phase: Sendable, Hashable {
    /// The query was never started.
    case idle
    /// The query reads the folders.
    case gathering
    /// The query reports changes.
    case live
    /// The query has ended, and its results no longer change.
    case stopped
  }

  /// The options of a query.
  public struct Options: Sendable {
    /// The minimum time between two updates.
    public var batchingInterval: Duration
    /// The time that the query waits after an event for related events.
    public var quietPeriod: Duration
    /// The time between two looks at unwatched folders: at least ten times as long as a look takes.
    public var pollInterval: Duration
    /// Whether the query looks at everything each `pollInterval`, for file systems that other machines write to.
    public var polls: Bool
    /// Whether the query watches packages, so that it reports a save in place.
    ///
    /// Otherwise the query reports a package only if it is added, removed, moved or replaced.
    public var watchesPackages: Bool

    /// Makes options; without arguments the usual ones.
    public init(
      batchingInterval: Duration = .seconds(1),
      quietPeriod: Duration = .milliseconds(50),
      pollInterval: Duration = .seconds(2),
      polls: Bool = false,
      watchesPackages: Bool = true
    ) {
      self.batchingInterval = batchingInterval
      self.quietPeriod = quietPeriod
      self.pollInterval = pollInterval
      self.polls = polls
      self.watchesPackages = watchesPackages
    }
  }

  /// The options of this query.
  public let options: Options
  private let source: (any DocumentSource)?
  private let watches: Bool
  private let maximumWatches: Int
  private let disk: any Disk
  private let report = QueryReport()
  private let current: Mutex<Current>

  private struct Current {
    var search: DocumentSearch
    var run: (any DocumentQueryRun)?
  }

  /// Makes a query that waits for `start()`.
  public convenience init(_ search: DocumentSearch, options: Options = Options()) {
    self.init(search, options: options, watching: true)
  }

  package init(
    _ search: DocumentSearch, of source: (any DocumentSource)? = nil, options: Options = Options(),
    watching: Bool = true, maximumWatches: Int = .max, on disk: any Disk = PosixDisk()
  ) {
    (self.options, watches, self.maximumWatches, self.disk) = (options, watching, maximumWatches, disk)
    self.source = source
    current = Mutex(Current(search: search))
  }

  deinit {
    if let run = current.withLock({ $0.run }) { Task { await run.stop() } }
  }

  // MARK: Starting and stopping

  /// The search.
  ///
  /// A new search restarts a running query.
  public var search: DocumentSearch {
    get { current.withLock { $0.search } }
    set {
      let isRunning = current.withLock { current in
        current.search = newValue
        return current.run != nil
      }
      if isRunning { restart() }
    }
  }

  /// Begins to gather, then reports changes; discards results of an earlier run.
  ///
  /// - Returns: false if the query runs already.
  @discardableResult
  public func start() -> Bool {
    if current.withLock({ $0.run != nil }) { return false }
    restart()
    return true
  }

  private func restart() {
    let (old, new) = current.withLock { current in
      let run = makeRun(current.search)
      defer { current.run = run }
      return (current.run, run)
    }
    Task {
      await old?.stop()
      await new.start()
    }
  }

  private func makeRun(_ search: DocumentSearch) -> any DocumentQueryRun {
    let number = report.begin(search)
    if let source { return SourceRun(source, search, options, report, number: number, watches: watches) }
    return QueryRun(
      search, options, report, number: number, watches: watches, maximumWatches: maximumWatches, on: disk)
  }

  /// Ends the query, and releases its watches before the return. An iteration ends after it has delivered all updates.
  ///
  /// The results stay.
  public func stop() async {
    let run = current.withLock { current in
      defer { current.run = nil }
      return current.run
    }
    report.stop()
    await run?.stop()
  }

  /// The state of the query.
  public var phase: Phase { report.phase }

  /// The reason why some folders or packages have no watch, and advice; nil if all have one.
  ///
  /// The query looks at folders and packages without a watch from time to time.
  public var limitation: FilePackageError? { report.limitation }

  // MARK: Results

  /// The documents found so far, in the search's order, as a copy.
  ///
  /// O(n), with an order O(n log n).
  public var results: [DocumentItem] {
    let items = report.results
    guard let order = search.order else { return items }
    return items.sorted(by: order.areInIncreasingOrder)
  }

  /// The number of documents found so far.
  public var resultCount: Int { report.resultCount }

  /// Freezes `results` and holds back `Update.updated` until `enableUpdates()`.
  ///
  /// Calls nest.
  public func disableUpdates() { report.setUpdates(enabled: false) }

  /// Takes back one `disableUpdates()`. After the last one, the query reports all changes since then in one update.
  public func enableUpdates() { report.setUpdates(enabled: true) }

  /// Brings the results up to date with all events before the call, without waiting for the next batch.
  public func update() async {
    await current.withLock { $0.run }?.update()
  }

  /// Holds up the query's thread until `gate` is open, for tests of a full queue.
  package func block(until gate: @Sendable () -> Void) async {
    await (current.withLock { $0.run } as? QueryRun)?.block(until: gate)
  }

  /// Takes the next update, for tests that wait for nothing.
  package func takeUpdate() -> Update? { report.takeFirst() }

  package var watchCount: Int {
    get async { await (current.withLock { $0.run } as? QueryRun)?.watchCount ?? 0 }
  }
}

extension DocumentQuery: AsyncSequence {
  /// A listener.
  ///
  /// If a query has several listeners, each update reaches only one of them.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private final class Bell: Sendable {
      let report: QueryReport
      let number: Int

      init(_ report: QueryReport, _ number: Int) { (self.report, self.number) = (report, number) }

      deinit { report.removeBell(number) }
    }

    private let query: DocumentQuery
    private let bell: Bell
    private var rings: AsyncStream<Void>.Iterator

    fileprivate init(_ query: DocumentQuery) {
      let (number, rings) = query.report.addBell()
      (self.query, self.rings) = (query, rings.makeAsyncIterator())
      bell = Bell(query.report, number)
    }

    /// Returns the next update.
    ///
    /// It is nil if the task is cancelled, and after `stop()` if no update waits.
    public mutating func next() async -> Update? { await next(isolation: #isolation) }

    /// Returns the next update, on the given actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Update? {
      while !Task.isCancelled {
        if let update = query.report.takeFirst() { return update }
        guard await rings.next(isolation: actor) != nil else { return query.report.takeFirst() }
      }
      return nil
    }
  }

  /// Makes a listener, which first receives the updates that no listener has received.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
