import Documents
import DurableIO
import Foundation
import Synchronization

/// One run of an `NSMetadataQuery`, from its start to its end: it brings the updates of its queries to the query's
/// queue, one after the other.
final class MetadataRun: Sendable {
  /// An event of a run, in the order in which the query gets them.
  enum Event: Sendable {
    case started
    case update(DocumentQuery.Update, container: String?)
    /// Every source has gathered.
    case finished
  }

  private struct Listening {
    var tasks: [Task<Void, Never>] = []
    var gathering = 0
    var isOver = false
  }

  let settings: QuerySettings
  let queue: OperationQueue
  private let sources: [QuerySettings.Source]
  private let turns = SerialQueue()
  private let listening = Mutex(Listening())
  private let take: @Sendable (MetadataRun, Event) -> Delivery

  /// The outcome of an event that a query gets.
  enum Delivery: Sendable {
    case taken
    /// The query holds updates back. The event is told again after the stream has ended.
    case held(AsyncStream<Void>)
  }

  /// - Parameter take: gets each event on `queue`.
  init(
    _ settings: QuerySettings, on queue: OperationQueue,
    _ take: @escaping @Sendable (MetadataRun, Event) -> Delivery
  ) {
    (self.settings, self.queue, self.take) = (settings, queue, take)
    sources = settings.sources()
  }

  func start() {
    tell(.started)
    if sources.isEmpty { tell(.finished) }
    listening.withLock { listening in
      if listening.isOver { return }
      listening.gathering = sources.count
      listening.tasks = sources.map { source in
        Task {
          source.query.start()
          for await update in source.query {
            await tell(.update(update, container: source.container)).value
            if case .finishedGathering = update { noteGathered() }
          }
        }
      }
    }
  }

  private func noteGathered() {
    let isLast = listening.withLock { listening in
      listening.gathering -= 1
      return listening.gathering == 0
    }
    if isLast { tell(.finished) }
  }

  /// Ends the run. The query gets no further event.
  func stop() {
    let tasks = listening.withLock { listening in
      listening.isOver = true
      return listening.tasks
    }
    for task in tasks { task.cancel() }
    Task { [sources] in for source in sources { await source.query.stop() } }
  }

  @discardableResult
  private func tell(_ event: Event) -> Task<Void, Never> {
    turns.enqueue { [self] in
      while !listening.withLock({ $0.isOver }) {
        guard case .held(let hold) = await deliver(event) else { return }
        for await _ in hold {}
      }
    }
  }

  private func deliver(_ event: Event) async -> Delivery {
    await withCheckedContinuation { continuation in
      queue.addOperation { [self] in
        continuation.resume(returning: listening.withLock { $0.isOver } ? .taken : take(self, event))
      }
    }
  }
}
