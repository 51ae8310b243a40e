package import DurableIO
public import FilePackages
import FoundationEssentials
import Synchronization

/// Finds documents in folders, and tells what becomes of them: what `NSMetadataQuery` is on Apple's systems.
///
/// ```swift
/// let query = DocumentQuery(DocumentSearch(in: [folder], for: [.imageNotes], sortedBy: .name))
/// query.start()
/// for await update in query {
///   switch update {
///   case .startedGathering: list = []
///   case .gathered(let items): list += items
///   case .finishedGathering: show(query.results)
///   case .updated(let changes): …
///   case .unreadable(let problem): …
///   case .readable: …
///   }
/// }
/// ```
///
/// First it gathers, and then it is live: a document that is made, saved, renamed, moved or removed by whatever program is
/// told, and no such event is lost, however many there are: what could not be told by the system is found by looking. What
/// nobody has asked for yet is put together, so that a slow listener costs no memory, and is told of the newest state only.
///
/// No package is opened. A document is told as changed when something was made, renamed, removed, or written and closed, in
/// its own directory: each save of this library does that. What other programs write in folders within a package is not told.
///
/// **Limits.** The kernel tells of local changes only; for folders that other machines write to there is `Options.polls`. Each
/// folder and each package has one of the watches that a user may have (`fs.inotify.max_user_watches`); where there are no
/// more, the rest is looked at every `Options.pollInterval`, and `limitation` says so. What is mounted over a folder within
/// those that are searched is found only by `polls`.
///
/// **Cost.** Gathering reads each folder once and asks for the status of each document that has the type. A running query has
/// a thread and an inotify descriptor of its own, some 250 bytes a document, and what the kernel keeps for a watch.
public final class DocumentQuery: Sendable {
  /// Where a query stands.
  public enum Phase: Sendable, Hashable {
    /// Never started.
    case idle
    /// Finding what there is.
    case gathering
    /// Telling what changes.
    case live
    /// Ended; the results are those of the moment at which it was stopped.
    case stopped
  }

  /// How a query works.
  public struct Options: Sendable {
    /// How long at least there is between two updates.
    public var batchingInterval: Duration = .seconds(1)
    /// How long is waited before something that happened is told, for what belongs to it.
    public var quietPeriod: Duration = .milliseconds(50)
    /// How often is looked at what the system does not tell of: at least ten times as long as looking takes.
    public var pollInterval: Duration = .seconds(2)
    /// Whether everything is looked at every `pollInterval`, for file systems that other machines write to.
    public var polls = false
    /// Whether packages are watched, so that a save in place is told; otherwise only documents that come, go, move or
    /// are replaced, and flat files that are written.
    public var watchesPackages = true

    /// The usual way.
    public init() {}
  }

  /// How this query works.
  public let options: Options
  private let watches: Bool
  private let maximumWatches: Int
  private let disk: any Disk
  private let report = QueryReport()
  private let current: Mutex<Current>

  private struct Current {
    var search: DocumentSearch
    var run: QueryRun?
  }

  /// A query that waits to be started.
  public convenience init(_ search: DocumentSearch, options: Options = Options()) {
    self.init(search, options: options, watching: true)
  }

  package init(
    _ search: DocumentSearch, options: Options = Options(), watching: Bool, maximumWatches: Int = .max,
    on disk: any Disk = PosixDisk()
  ) {
    (self.options, watches, self.maximumWatches, self.disk) = (options, watching, maximumWatches, disk)
    current = Mutex(Current(search: search))
  }

  deinit {
    if let run = current.withLock({ $0.run }) { Task { await run.stop() } }
  }

  // MARK: Starting and stopping

  /// What is searched for. Setting it while the query runs starts it anew.
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

  /// Begins to gather, and goes on with telling what changes. Results of an earlier run are discarded.
  ///
  /// - Returns: false when it runs already.
  @discardableResult
  public func start() -> Bool {
    if current.withLock({ $0.run != nil }) { return false }
    restart()
    return true
  }

  private func restart() {
    let (old, new) = current.withLock { current in
      let run = QueryRun(
        current.search, options, report, number: report.begin(), watches: watches,
        maximumWatches: maximumWatches, on: disk)
      defer { current.run = run }
      return (current.run, run)
    }
    Task {
      await old?.stop()
      await new.start()
    }
  }

  /// Ends the watching, and every iteration once it has told what happened; gives back the watches before it returns.
  /// The results stay.
  public func stop() async {
    let run = current.withLock { current in
      defer { current.run = nil }
      return current.run
    }
    report.stop()
    await run?.stop()
  }

  /// Where the query stands.
  public var phase: Phase { report.phase }

  /// Why some folders or packages are looked at from time to time instead of being watched, and what to do; nil when
  /// all are watched.
  public var limitation: FilePackageError? { report.limitation }

  // MARK: Results

  /// What was found so far, in the search's order. A copy, which nothing changes. O(n), with an order O(n log n).
  public var results: [DocumentItem] {
    let items = report.results
    guard let order = search.order else { return items }
    return items.sorted(by: order.areInIncreasingOrder)
  }

  /// How many documents were found so far.
  public var resultCount: Int { report.resultCount }

  /// Lets `results` stay as they are, and tells no updates, until `enableUpdates()`. Calls nest.
  public func disableUpdates() { report.setUpdates(enabled: false) }

  /// Tells what happened since `disableUpdates()`, put together.
  public func enableUpdates() { report.setUpdates(enabled: true) }

  /// Brings the results up to date with all that happened before the call, without waiting for the next batch.
  public func update() async {
    await current.withLock { $0.run }?.update()
  }

  /// Holds up the query's thread until `gate` is open, for tests of a full queue.
  package func block(until gate: @Sendable () -> Void) async {
    await current.withLock { $0.run }?.block(until: gate)
  }

  /// What the next listener would hear now, for tests that wait for nothing.
  package func takeUpdate() -> Update? { report.takeFirst() }

  package var watchCount: Int {
    get async { await current.withLock { $0.run }?.watchCount ?? 0 }
  }
}

extension DocumentQuery: AsyncSequence {
  /// One listener. When there are several, each update goes to one of them.
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

    /// The next update; nil after `stop()`, once all was told, and when the task is cancelled.
    public mutating func next() async -> Update? { await next(isolation: #isolation) }

    /// The same.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Update? {
      while !Task.isCancelled {
        if let update = query.report.takeFirst() { return update }
        guard await rings.next(isolation: actor) != nil else { return query.report.takeFirst() }
      }
      return nil
    }
  }

  /// Listens from now on, and to what nobody heard so far.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
