import Documents
import DurableIO
import FilePackages
import Foundation
import Synchronization
import SystemPackage

// PW1 A change reaches the presenter once. The news of coordinated writes and the watcher's events share one known
//     state, and each side first compares with it.
// PW2 While a coordinated write runs, the watcher's events wait. The write's own news comes first.

/// Finds changes of a presenter's item by programs that do not coordinate.
///
/// It watches the item between `follow(_:)` and `stop()`: a file, or a folder with all that is in it.
///
/// Cost: that of a `PackageWatcher`, and a status for each file and folder.
final class PresenterWatch: Sendable {
  /// The change of a program that does not coordinate. The places of children are relative to the item.
  enum News: Sendable {
    case changed
    case moved(to: URL)
    case deleted
    case childAppeared(String)
    case childChanged(String)
    case childMoved(String, to: String)
  }

  /// What the presenter knows of a place before the news of a coordinated write.
  enum Knowledge: Sendable {
    /// The watcher has not told it of the place.
    case nothing
    /// The watcher has told it of an earlier state.
    case earlierState
    /// The watcher has told it of the present state.
    case presentState
  }

  /// The state that the presenter knows.
  private struct Known: Sendable {
    var seen: SeenItems
    /// The places that it heard of by the watcher, with their statuses (PW1).
    var told: [PackagePath: FileStatus?] = [:]

    /// Returns the changes that `body` finds, of which the presenter is to hear.
    mutating func changes(_ body: (inout SeenItems) -> [SeenItems.Change]) -> [SeenItems.Change] {
      let changes = body(&seen)
      for change in changes { note(change) }
      return changes
    }

    private mutating func note(_ change: SeenItems.Change) {
      // A coordinated write's news follows its events soon. What is older is of no use.
      if told.count > 4096 { told = [:] }
      switch change {
      case .appeared(let path), .changed(let path): told[path] = .some(seen.status(at: path))
      case .moved(let old, let new):
        told[old] = .some(seen.status(at: old))
        told[new] = .some(seen.status(at: new))
      }
    }
  }

  private struct State {
    /// The presenter's URL when the watch began, or that of its last move.
    var url: URL?
    var known: Known?
    var listening: Task<Void, Never>?
    /// Whether the presenter knows of a move before its watcher does.
    var isMoved = false
    /// Whether the presenter knows of a deletion before its watcher does.
    var isDeletionKnown = false
  }

  private let state = Mutex(State())
  /// Held during a look at the disk, so that no look loses what another one has found.
  private let turn = Mutex<Void>(())
  /// The watcher's events, one after the other.
  private let events = SerialQueue()

  // MARK: Beginning and ending

  /// Watches the presenter's item from now on, unless it does already.
  ///
  /// An item that is not there, or that cannot be watched, is not watched. The next call tries again.
  func follow(_ link: PresenterLink) async {
    guard let url = link.presentedItemURL, url.isFileURL else { return }
    let isSame = state.withLock { $0.listening != nil && $0.url?.standardized == url.standardized }
    if isSame { return }
    stop()
    guard let watcher = try? await PackageWatcher.watch(url),
      let root = try? FilePath(of: watcher.url, for: .watch)  // The next call tries again.
    else { return }
    let seen = await BlockingThread().run { SeenItems(at: root) }
    let listening = Task { [weak self, weak link] in
      for await event in watcher {
        guard let self, let link else { break }
        events.enqueue { await self.tell(event, to: link) }
      }
      await watcher.stop()
    }
    let isFirst = state.withLock { state in
      if state.listening != nil { return false }
      (state.url, state.known, state.listening) = (url, Known(seen: seen), listening)
      return true
    }
    // Another call has begun to watch meanwhile.
    if !isFirst { listening.cancel() }
  }

  func stop() {
    state.withLock { state in
      state.listening?.cancel()
      state = State()
    }
  }

  // MARK: Coordinated writes

  /// A time in which the watcher's events wait (PW2).
  final class Pause: Sendable {
    private let stream: AsyncStream<Void>.Continuation

    fileprivate init(_ stream: AsyncStream<Void>.Continuation) { self.stream = stream }

    func end() { stream.finish() }
  }

  /// Lets the watcher's events wait until the pause ends.
  func pause() -> Pause {
    let (end, continuation) = AsyncStream.makeStream(of: Void.self)
    events.enqueue { for await _ in end {} }
    return Pause(continuation)
  }

  func noteMove(to url: URL) {
    state.withLock { state in
      (state.url, state.isMoved) = (url, state.listening != nil)
      // A URL without a path leaves the known place.
      if let root = try? FilePath(of: url, for: .watch) { state.known?.seen.root = root }
    }
  }

  /// - Parameter isKnown: whether the presenter knows that the item goes; false if it has refused.
  func noteDeletion(isKnown: Bool) { state.withLock { $0.isDeletionKnown = isKnown } }

  /// Looks at all of the item, which a coordinated write has changed.
  func learnAll() async {
    await look { known in
      known.seen.lookAtAll()
      known.told = [:]
    }
    noteDeletion(isKnown: false)
  }

  /// Looks at a child that a coordinated write has changed, and returns what the presenter knew of it (PW1).
  @discardableResult
  func learn(_ url: URL) async -> Knowledge {
    guard let path = path(of: url) else { return .nothing }
    if path.isRoot {
      await learnAll()
      return .nothing
    }
    return await look { (known: inout Known) -> Knowledge in
      let earlier = known.told.removeValue(forKey: path)
      known.seen.look(at: path)
      guard let earlier else { return .nothing }
      return earlier?.identity == known.seen.status(at: path)?.identity ? .presentState : .earlierState
    } ?? .nothing
  }

  /// Returns the place of a URL in the item; nil if it is elsewhere.
  private func path(of url: URL) -> PackagePath? {
    // A URL without a path is elsewhere.
    guard let root = state.withLock({ $0.known?.seen.root }), var path = try? FilePath(of: url, for: .watch)
    else {
      return nil
    }
    path = path.lexicallyNormalized()
    if path.removePrefix(root.lexicallyNormalized()) == false { return nil }
    return PackagePath(path.components.map { FileName($0) })
  }

  /// Calls `body` with the known state on a thread that may wait for the disk; returns nil if there is none.
  private func look<Result: Sendable>(_ body: @escaping @Sendable (inout Known) -> Result) async
    -> Result?
  {
    await BlockingThread().run { [self] in
      turn.withLock { _ in
        guard var known = state.withLock({ $0.known }) else { return nil }
        let result = body(&known)
        state.withLock { state in
          // The item may have moved meanwhile.
          guard let root = state.known?.seen.root else { return }
          known.seen.root = root
          state.known = known
        }
        return result
      }
    }
  }

  // MARK: Events

  private func tell(_ event: PackageWatcher.Event, to link: PresenterLink) async {
    switch event {
    case .changed(let places):
      await tell(await look { $0.changes { $0.changes(at: places.map { PackagePath($0) }) } } ?? [], to: link)
    case .overflow: await tell(await look { $0.changes { $0.allChanges() } } ?? [], to: link)
    case .replaced:
      let isNews = await look { known in
        let old = known.seen.status(at: .root)
        known.seen.lookAtAll()
        return old?.identity != known.seen.status(at: .root)?.identity
      }
      if isNews == true { await link.tell(.changed) }
    case .moved(let url):
      let isKnown = state.withLock { state in
        defer { state.isMoved = false }
        return state.isMoved
      }
      if isKnown { return }
      noteMove(to: url)
      state.withLock { $0.isMoved = false }
      await link.tell(.moved(to: url))
    case .deleted:
      let isKnown = state.withLock { state in
        defer { state.isDeletionKnown = false }
        return state.isDeletionKnown
      }
      if !isKnown { await link.tell(.deleted) }
    }
  }

  private func tell(_ changes: [SeenItems.Change], to link: PresenterLink) async {
    for change in changes {
      switch change {
      case .appeared(let path): await link.tell(.childAppeared(path.string))
      case .changed(let path): await link.tell(path.isRoot ? .changed : .childChanged(path.string))
      case .moved(let old, let new): await link.tell(.childMoved(old.string, to: new.string))
      }
    }
  }
}
