import Documents
import DurableIO
import FilePackages
import Foundation
import Synchronization
import SystemPackage

/// Finds changes of a presenter's item by other programs, also by those that do not coordinate.
///
/// It watches the item between `follow(_:)` and `stop()`: a file, or a folder with all that is in it. A presenter never
/// hears of its own coordinated writes. The watcher's events wait while such a write runs, and `learn(_:)` then looks at
/// the places that it wrote.
///
/// Cost: that of a `PackageWatcher`, and a status for each file and folder.
final class PresenterWatch: Sendable {
  private struct State {
    /// The presenter's URL when the watch began, or that of its last move.
    var url: URL?
    var seen: SeenItems?
    var listening: Task<Void, Never>?
    /// Whether the presenter is registered no more.
    var isEnded = false
  }

  private let state = Mutex(State())
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
    end(forGood: false)
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
      if state.isEnded || state.listening != nil { return false }
      state = State(url: url, seen: seen, listening: listening)
      return true
    }
    // Another call has begun to watch meanwhile, or has ended it.
    if !isFirst { listening.cancel() }
  }

  /// Ends the watch for good, also one that is just beginning.
  func stop() { end(forGood: true) }

  private func end(forGood: Bool) {
    state.withLock { state in
      state.listening?.cancel()
      state = State(isEnded: state.isEnded || forGood)
    }
  }

  // MARK: Coordinated writes

  /// Lets the watcher's events wait until the pause is finished.
  func pause() -> AsyncStream<Void>.Continuation {
    let (end, pause) = AsyncStream.makeStream(of: Void.self)
    events.enqueue { for await _ in end {} }
    return pause
  }

  /// Looks at a place that the presenter has written.
  func learn(_ url: URL) async {
    await look { seen in
      // A URL without a path is elsewhere.
      guard var path = try? FilePath(of: url, for: .watch) else { return }
      path = path.lexicallyNormalized()
      if path.removePrefix(seen.root.lexicallyNormalized()) {
        seen.look(at: PackagePath(path.components.map { FileName($0) }))
      }
    }
  }

  /// Calls `body` with the known state on a thread that may wait for the disk; returns nil if there is none.
  @discardableResult
  private func look<Result: Sendable>(_ body: @escaping @Sendable (inout SeenItems) -> Result) async
    -> Result?
  {
    await BlockingThread().run { [self] in
      state.withLock { state in
        guard var seen = state.seen else { return nil }
        defer { state.seen = seen }
        return body(&seen)
      }
    }
  }

  // MARK: Events

  private func tell(_ event: PackageWatcher.Event, to link: PresenterLink) async {
    switch event {
    case .changed(let places): await tellChanges(at: places, to: link)
    case .replaced:
      await tellChanges(at: [""], to: link)
      await look { $0.look(at: .root) }
    case .overflow:
      await look { $0.look(at: .root) }
      await link.tell { $0.presentedItemDidChange() }
    case .moved(let url):
      state.withLock { state in
        state.url = url
        // A URL without a path leaves the known place.
        if let root = try? FilePath(of: url, for: .watch) { state.seen?.root = root }
      }
      await link.tell { $0.presentedItemDidMove(to: url) }
    // The item is gone already, so that no program waits for the answer.
    case .deleted: await link.tell { $0.accommodatePresentedItemDeletion { _ in } }
    }
  }

  private func tellChanges(at places: [String], to link: PresenterLink) async {
    let changes = await look { seen in places.compactMap { seen.change(at: PackagePath($0)) } } ?? []
    for (path, isNew) in changes {
      guard let item = link.presentedItemURL else { continue }
      let url = item.appending(path: path.string, directoryHint: .notDirectory)
      await link.tell { presenter in
        if path.isRoot && !isNew {
          presenter.presentedItemDidChange()
        } else if isNew {
          presenter.presentedSubitemDidAppear(at: url)
        } else {
          presenter.presentedSubitemDidChange(at: url)
        }
      }
    }
  }
}
