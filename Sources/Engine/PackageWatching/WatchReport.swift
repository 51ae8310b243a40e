import DurableIO
import FoundationEssentials
import PackageFormat
import Synchronization
import SystemPackage

/// The changes to a document since the last report.
struct WatchNews: Sendable {
  var moved: FilePath?
  var isDeleted = false
  var isReplaced = false
  var isOverflow = false
  /// The places with an event.
  private(set) var changed: Set<PackagePath> = []
  /// The entries of folders that came as a whole.
  private(set) var found: Set<PackagePath> = []

  var isEmpty: Bool { moved == nil && !isDeleted && !isReplaced && !isOverflow && isUnchanged }
  var isUnchanged: Bool { changed.isEmpty && found.isEmpty }

  /// Adds a place, or marks an overflow if there are more than `limit`.
  mutating func insert(_ path: PackagePath, isFound: Bool = false, limit: Int) {
    guard !isOverflow else { return }
    if isFound { found.insert(path) } else { changed.insert(path) }
    if changed.count + found.count > limit { markOverflow() }
  }

  mutating func markOverflow() {
    isOverflow = true
    setChanged([])
  }

  /// Replaces the places with these.
  mutating func setChanged(_ paths: some Sequence<PackagePath>) {
    (changed, found) = (Set(paths), [])
  }

  /// Adds later news.
  mutating func append(_ later: WatchNews, limit: Int) {
    if let path = later.moved { moved = path }
    if later.isDeleted || later.isReplaced {
      (isDeleted, isReplaced, isOverflow) = (later.isDeleted, later.isReplaced, false)
      setChanged([])
    }
    if later.isOverflow { markOverflow() }
    // A report of a replaced or deleted document names no places.
    if isReplaced || isDeleted { return }
    for path in later.changed { insert(path, limit: limit) }
    for path in later.found { insert(path, isFound: true, limit: limit) }
  }

  /// Removes and returns the first event to report.
  mutating func takeFirst() -> PackageWatcher.Event? {
    if let path = moved {
      moved = nil
      return .moved(to: path.url)
    }
    if isDeleted {
      isDeleted = false
      return .deleted
    }
    if isReplaced {
      (isReplaced, isOverflow) = (false, false)
      return .replaced
    }
    if isOverflow {
      isOverflow = false
      return .overflow
    }
    if isUnchanged { return nil }
    defer { setChanged([]) }
    return .changed(changed.union(found).sorted().map(\.string))
  }
}

/// The news of a watcher, combined until a listener asks.
final class WatchReport: Sendable {
  private struct State {
    var news = WatchNews()
    var waiting: [(ticket: UInt64, listener: CheckedContinuation<PackageWatcher.Event?, Never>)] = []
    var nextTicket: UInt64 = 0
    var isEnded = false
    var path = FilePath()
    var limitation: FilePackageError?
  }

  private let state = Mutex(State())
  private let maximumPaths: Int

  init(maximumPaths: Int) { self.maximumPaths = maximumPaths }

  var url: URL { state.withLock { $0.path }.url }
  var limitation: FilePackageError? { state.withLock { $0.limitation } }

  func note(_ path: FilePath) { state.withLock { $0.path = path } }
  func note(_ limitation: FilePackageError?) { state.withLock { $0.limitation = limitation } }

  func post(_ news: WatchNews) {
    let told = state.withLock { state in
      state.news.append(news, limit: maximumPaths)
      var told: [(CheckedContinuation<PackageWatcher.Event?, Never>, PackageWatcher.Event)] = []
      while !state.waiting.isEmpty, let event = state.news.takeFirst() {
        told.append((state.waiting.removeFirst().listener, event))
      }
      return told
    }
    for (listener, event) in told { listener.resume(returning: event) }
  }

  func next() async -> PackageWatcher.Event? {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { listener in
        let answer: PackageWatcher.Event?? = state.withLock { state in
          if state.isEnded || Task.isCancelled { return .some(nil) }
          if let event = state.news.takeFirst() { return event }
          state.waiting.append((ticket, listener))
          return nil
        }
        if let answer { listener.resume(returning: answer) }
      }
    } onCancel: {
      let listener = state.withLock { state in
        state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).listener }
      }
      listener?.resume(returning: nil)
    }
  }

  func end() {
    let listeners = state.withLock { state in
      state.isEnded = true
      defer { state.waiting = [] }
      return state.waiting.map(\.listener)
    }
    for listener in listeners { listener.resume(returning: nil) }
  }
}

extension FilePath {
  fileprivate var url: URL { URL(filePath: FileName(self).string, directoryHint: .inferFromPath) }
}
