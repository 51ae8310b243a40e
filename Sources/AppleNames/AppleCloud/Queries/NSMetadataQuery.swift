import Documents
public import Foundation
import Synchronization

// MQ1 The results change on the query's queue alone, and not between `disableUpdates()` and `enableUpdates()`.
// MQ2 Each change of the results has a notification, which follows it on the same queue.

/// Finds documents in containers and folders, and notifies a program of their changes.
///
/// Counterpart of Apple's `NSMetadataQuery`, over `DocumentQuery`. It finds documents: flat files and packages, also
/// placeholders. It does not find plain folders.
///
/// ```swift
/// let query = NSMetadataQuery()
/// query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
/// query.predicate = NSPredicate(format: "%K LIKE %@", NSMetadataItemFSNameKey, "*.imageNotes")
/// query.start()
/// ```
///
/// Notifications are posted on `operationQueue`; without one on the main queue, which then has to run. Unlike Apple's,
/// any thread may call the members.
///
/// Cost: that of `CloudContainer.query(for:)` for each registered container in the scopes.
// `@unchecked`: the properties are constants, and `state` guards its own value. A subclass guards its own properties.
open class NSMetadataQuery: NSObject, @unchecked Sendable {
  fileprivate enum Phase { case idle, gathering, live, stopped }

  fileprivate struct State {
    var settings = QuerySettings()
    var queue: OperationQueue?
    var run: MetadataRun?
    var phase = Phase.idle
    var results: [NSMetadataItem] = []
    var items: [String: NSMetadataItem] = [:]
    var disabled = 0
    var holds: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Mutex(State())

  /// Makes a query, which needs a predicate before `start()`.
  public override init() { super.init() }

  deinit {
    let state = state.withLock { $0 }
    for hold in state.holds { hold.finish() }
    state.run?.stop()
  }

  // MARK: The question

  /// The condition for the documents; initially nil. A running query starts again with a new value.
  ///
  /// The block of a predicate runs on a thread of the query. Its argument is an `NSMetadataItem`.
  open var predicate: NSPredicate? {
    get { settings.predicate }
    set { change { [box = QuerySettings(predicate: newValue)] in $0.predicate = box.predicate } }
  }

  /// The order of the results; if empty, the order in which the query found them.
  ///
  /// A running query starts again with a new value.
  open var sortDescriptors: [NSSortDescriptor] {
    get { settings.sortDescriptors }
    set {
      change { [box = QuerySettings(sortDescriptors: newValue)] in $0.sortDescriptors = box.sortDescriptors }
    }
  }

  /// The places to search: constants such as `NSMetadataQueryUbiquitousDocumentsScope`, URLs and paths of folders.
  ///
  /// If empty, a query searches all registered containers. A running query starts again with a new value. A container
  /// that is registered later is searched after the next `start()`.
  open var searchScopes: [Any] {
    get { settings.scopes }
    set { change { [box = QuerySettings(scopes: newValue)] in $0.scopes = box.scopes } }
  }

  /// The minimum time between two updates in seconds, initially 1. A change applies from the next start on.
  open var notificationBatchingInterval: TimeInterval {
    get { settings.batchingInterval }
    set { state.withLock { $0.settings.batchingInterval = newValue } }
  }

  /// The queue on which the results change and the notifications are posted; nil for the main queue.
  ///
  /// A change applies from the next start on.
  open var operationQueue: OperationQueue? {
    get { state.withLock { $0.queue } }
    set { state.withLock { $0.queue = newValue } }
  }

  private var settings: QuerySettings { state.withLock { $0.settings } }

  /// Changes the question, and starts a running query again.
  private func change(_ body: (inout QuerySettings) -> Void) {
    let isRunning = state.withLock { state in
      body(&state.settings)
      return state.run != nil
    }
    guard isRunning else { return }
    stop()
    start()
  }

  // MARK: Starting and stopping

  /// Begins to gather results, and then reports changes. It discards the results of an earlier run.
  ///
  /// - Returns: false if there is no predicate or the query runs already.
  @discardableResult
  open func start() -> Bool {
    let (settings, queue) = state.withLock { ($0.settings, $0.queue) }
    guard settings.predicate != nil else { return false }
    let run = MetadataRun(settings, on: queue ?? .main) { [weak self] run, event in
      self?.take(event, of: run) ?? .taken
    }
    let isStarted = state.withLock { state in
      guard state.run == nil else { return false }
      (state.run, state.phase, state.results, state.items) = (run, .gathering, [], [:])
      return true
    }
    if isStarted { run.start() }
    return isStarted
  }

  /// Ends the query; the results stay, and no notification follows.
  open func stop() {
    let run = state.withLock { state in
      defer { state.run = nil }
      if state.run != nil { state.phase = .stopped }
      return state.run
    }
    run?.stop()
    releaseHolds()
  }

  /// Whether the query was started, and not stopped since.
  open var isStarted: Bool { state.withLock { $0.run != nil } }
  /// Whether the query still gathers its first results.
  open var isGathering: Bool { state.withLock { $0.phase == .gathering } }
  /// Whether the query was stopped, and not started since.
  open var isStopped: Bool { state.withLock { $0.phase == .stopped } }

  // MARK: Results

  /// Holds back changes of the results and notifications until `enableUpdates()` (MQ1). Calls nest.
  open func disableUpdates() { state.withLock { $0.disabled += 1 } }

  /// Ends a `disableUpdates()`. The changes since then follow, combined.
  open func enableUpdates() {
    let isEnabled = state.withLock { state in
      state.disabled = max(0, state.disabled - 1)
      return state.disabled == 0
    }
    if isEnabled { releaseHolds() }
  }

  private func releaseHolds() {
    let holds = state.withLock { state in
      defer { state.holds = [] }
      return state.holds
    }
    for hold in holds { hold.finish() }
  }

  /// The items found so far, as `NSMetadataItem`s in the order of the query. The array is a copy.
  open var results: [Any] { items }
  /// The number of items found so far.
  open var resultCount: Int { items.count }

  private var items: [NSMetadataItem] { state.withLock { $0.results } }

  /// Returns the item at an index. An index that is not below `resultCount` is a programming error.
  open func result(at index: Int) -> Any { items[index] }

  /// Returns the index of an item; `NSNotFound` if it is not among the results.
  open func index(ofResult result: Any) -> Int {
    guard let item = result as? NSMetadataItem else { return NSNotFound }
    return items.firstIndex { $0 === item } ?? NSNotFound
  }

  /// Returns an attribute of the item at an index; nil if the document has none.
  open func value(ofAttribute attributeName: String, forResultAt index: Int) -> Any? {
    items[index].value(forAttribute: attributeName)
  }

  /// Calls `block` with each item and its index, until the block sets its last parameter to true.
  ///
  /// The results do not change meanwhile.
  open func enumerateResults(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
    enumerateResults(options: [], using: block)
  }

  /// Calls `block` with each item, as `enumerateResults(_:)`; with `.reverse` from the last one on.
  open func enumerateResults(
    options: NSEnumerationOptions, using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {
    disableUpdates()
    defer { enableUpdates() }
    let found = Array(items.enumerated())
    var isOver: ObjCBool = false
    for (index, item) in options.contains(.reverse) ? found.reversed() : found {
      block(item, index, &isOver)
      if isOver.boolValue { return }
    }
  }

  // MARK: Events

  fileprivate struct News {
    var name: NSNotification.Name
    var changes: ItemChanges?
  }

  /// Takes an event of a run, on its queue (MQ1, MQ2).
  private func take(_ event: MetadataRun.Event, of run: MetadataRun) -> MetadataRun.Delivery {
    let (delivery, news) = state.withLock { state -> (MetadataRun.Delivery, News?) in
      guard state.run === run else { return (.taken, nil) }
      if state.disabled > 0 {
        let (hold, continuation) = AsyncStream.makeStream(of: Void.self)
        state.holds.append(continuation)
        return (.held(hold), nil)
      }
      return (.taken, Self.apply(event, to: &state, run.settings))
    }
    if let news {
      NotificationCenter.default.post(name: news.name, object: self, userInfo: news.changes?.userInfo)
    }
    return delivery
  }

  private static func apply(
    _ event: MetadataRun.Event, to state: inout State, _ settings: QuerySettings
  ) -> News? {
    switch event {
    case .started: return News(name: .NSMetadataQueryDidStartGathering)
    case .finished:
      state.phase = .live
      settings.sort(&state.results)
      return News(name: .NSMetadataQueryDidFinishGathering)
    case .update(.gathered(let items), let container):
      for item in items { state.add(item, container) }
      return items.isEmpty ? nil : News(name: .NSMetadataQueryGatheringProgress)
    case .update(.updated(let changes), let container):
      let news = state.apply(changes, container)
      settings.sort(&state.results)
      let isLive = state.phase == .live
      return News(
        name: isLive ? .NSMetadataQueryDidUpdate : .NSMetadataQueryGatheringProgress,
        changes: isLive ? news : nil)
    // A folder that cannot be read has no items.
    case .update: return nil
    }
  }
}

/// The items of one update.
private struct ItemChanges {
  var added: [NSMetadataItem] = []
  var changed: [NSMetadataItem] = []
  var removed: [NSMetadataItem] = []

  var userInfo: [AnyHashable: Any] {
    [
      NSMetadataQueryUpdateAddedItemsKey: added, NSMetadataQueryUpdateChangedItemsKey: changed,
      NSMetadataQueryUpdateRemovedItemsKey: removed,
    ]
  }
}

extension NSMetadataQuery.State {
  @discardableResult
  fileprivate mutating func add(_ item: DocumentItem, _ container: String?) -> NSMetadataItem {
    let new = NSMetadataItem(item, container: container)
    results.append(new)
    items[item.path] = new
    return new
  }

  /// Takes out the removed items and the old places, and then puts in the rest.
  fileprivate mutating func apply(
    _ changes: DocumentQuery.Changes, _ container: String?
  ) -> ItemChanges {
    var news = ItemChanges()
    news.removed = changes.removed.compactMap { items.removeValue(forKey: $0.path) }
    let gone = Set(news.removed.map(ObjectIdentifier.init))
    results.removeAll { gone.contains(ObjectIdentifier($0)) }
    let moving = changes.moved.map { (new: $0.new, item: items.removeValue(forKey: $0.old.path)) }
    for (new, item) in moving {
      guard let item else {
        news.added.append(add(new, container))
        continue
      }
      (item.item, items[new.path]) = (new, item)
      news.changed.append(item)
    }
    for new in changes.changed {
      guard let item = items[new.path] else { continue }
      item.item = new
      news.changed.append(item)
    }
    news.added += changes.added.map { add($0, container) }
    return news
  }
}
