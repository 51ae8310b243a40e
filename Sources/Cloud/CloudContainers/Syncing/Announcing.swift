import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization

// A version is committed, then it is in the state as unannounced, then an entry of the feed has it, then the state
//     forgets it. So a run that is cut off announces with the next one, and an entry never tells of a version that the
//     store did not have.
// An entry of this device becomes the last known one only if this device knows the news of all entries before it.

/// The end of the feed, as one operation knows it.
final class FeedEnd: Sendable {
  /// One entry after the other.
  let turn = AsyncSemaphore(1)
  private let state = Mutex(State())

  private struct State {
    /// The last entry in the store; nil if this operation has not looked.
    var last: FeedPosition?
    /// `whole` if this machine knows all news up to the last entry. `rolledBack` until it has compared what it knows.
    var chain = ContainerFeed.State.incomplete
    /// The number of versions that were committed and not announced.
    var commits = 0
  }

  /// The last entry in the store; nil if this operation has not looked.
  var last: FeedPosition? { state.withLock { $0.last } }

  /// The state of the chain up to the last entry, as this machine knows it.
  var chain: ContainerFeed.State { state.withLock { $0.chain } }

  /// Whether this operation committed versions, and did not try to announce them.
  var hasNews: Bool { state.withLock { $0.commits > 0 } }

  /// Begins an operation.
  func reset() { state.withLock { $0 = State() } }

  /// Notes the last entry that a look found.
  func begin(at last: FeedPosition, _ chain: ContainerFeed.State) {
    state.withLock { ($0.last, $0.chain) = (last, chain) }
  }

  /// Notes that this machine knows the news of all entries up to one. Meanwhile it may have made later ones.
  func learn(_ end: FeedPosition) { state.withLock { $0.chain = $0.last == end ? .whole : .incomplete } }

  /// Notes an entry that this device made after the last one.
  func append(_ own: FeedPosition) { state.withLock { $0.last = own } }

  /// Notes the last entry after another device was first.
  func fallBehind(_ last: FeedPosition) {
    state.withLock { ($0.last, $0.chain) = (last, max($0.chain, .incomplete)) }
  }

  /// Notes a committed version; returns whether there are enough for an entry.
  func noteCommit() -> Bool {
    state.withLock { state in
      state.commits += 1
      return state.commits.isMultiple(of: FeedEntry.maximumCount)
    }
  }

  /// Notes an attempt to announce all versions.
  func noteAttempt() { state.withLock { $0.commits = 0 } }
}

extension ContainerSession {
  /// The number of attempts to make the next entry. Each one fails because another device made it.
  private static let maximumAttempts = 50

  /// Begins an operation: it knows nothing of the store yet.
  func begin() {
    known.begin()
    blobs.forgetRenewed()
    feedEnd.reset()
  }

  /// Runs an operation, and announces the versions that it committed, also if it fails.
  func announcing<Result>(_ body: () async throws -> Result) async throws -> Result {
    let result: Result
    do {
      result = try await body()
    } catch let error where !Self.endsRun(error) && feedEnd.hasNews {
      try? await announce()  // The operation's error counts. The next run announces the rest.
      throw error
    }
    if feedEnd.hasNews { try await announce() }
    return result
  }

  /// Announces versions during a run as soon as they fill an entry.
  func noteCommit() async throws {
    guard feedEnd.noteCommit() else { return }
    do {
      try await announce(onlyFull: true)
    } catch let error where !Self.endsRun(error) {
      // The end of the run tries again, and reports it.
    }
  }

  /// Announces the versions that the feed does not have yet.
  ///
  /// - Parameter onlyFull: whether versions that fill no entry wait for a later call.
  /// - Throws: `busy` if other devices are always first; `CloudDataError` if the feed takes no entry; `ObjectStoreError`.
  func announce(onlyFull: Bool = false) async throws {
    if !onlyFull { feedEnd.noteAttempt() }
    try await feedEnd.turn.waitUnlessCancelled()
    defer { feedEnd.turn.signal() }
    while true {
      let versions = try await state.unannounced(upTo: FeedEntry.maximumCount)
      if versions.isEmpty || onlyFull && versions.count < FeedEntry.maximumCount { return }
      let own = try await append(versions, .committed)
      try await state.noteAnnounced(versions, upTo: own, feedEnd.chain)
    }
  }

  /// Tells the other devices that the store was rolled back, so that they list all versions.
  ///
  /// - Parameter versions: the last versions that the store has of documents that lost later ones.
  func tellLoss(of versions: [FeedEntry.Version]) async throws {
    try await feedEnd.turn.waitUnlessCancelled()
    defer { feedEnd.turn.signal() }
    for start in stride(from: 0, to: max(versions.count, 1), by: FeedEntry.maximumCount) {
      // No version of this device waits for the number of the entry.
      _ = try await append(Array(versions[start...].prefix(FeedEntry.maximumCount)), .lost)
    }
  }

  /// Makes an entry with these versions.
  private func append(
    _ versions: [FeedEntry.Version], _ kind: FeedEntry.Kind
  ) async throws -> FeedPosition {
    try await measureClock()
    for _ in 0..<Self.maximumAttempts {
      let last = try await lastEntry()
      let entry = FeedEntry(after: last.hash, kind, by: settings.device, versions)
      if let own = try await feed.append(entry, after: last) {
        feedEnd.append(own)
        return own
      }
      feedEnd.fallBehind(try await feed.news(after: last, readsEntries: false).end)
    }
    throw FilePackageError(
      .busy, .save, document: folder.url.path,
      reason: "other devices announce versions all the time; those of this device follow with its next run")
  }

  /// The last entry. An operation that has read no news looks for it, before its first version.
  ///
  /// - Throws: `CloudDataError` if this device was removed, or if the store has moved or has another container.
  @discardableResult
  func lastEntry() async throws -> FeedPosition {
    if let last = feedEnd.last { return last }
    let news = try await news(readsEntries: false)
    feedEnd.begin(at: news.end, news.state)
    return news.end
  }
}

extension FeedEntry.Version {
  /// A version as a store has it.
  init(_ stored: StoredVersion) {
    self.init(stored.version.document, stored.version.sequence, VersionDigest(of: stored.bytes))
  }

  /// Says that a store has no version of a document.
  init(nothingOf document: CloudDocumentID) { self.init(document, 0, VersionDigest(of: Data())) }
}
