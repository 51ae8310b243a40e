import Synchronization

/// A queue of asynchronous work: each body begins after the one before has ended, in the order of the calls.
///
/// The work runs to its end, even if the task that enqueued it is cancelled. A body raises the earlier ones to its
/// priority.
package final class SerialQueue: Sendable {
  private let state = Mutex<Task<Void, Never>?>(nil)

  package init() {}

  /// The body that was enqueued last, which ends after all earlier ones; nil before the first.
  package var last: Task<Void, Never>? { state.withLock { $0 } }

  /// Runs `body` after every earlier one.
  @discardableResult
  package func enqueue(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    state.withLock { last in
      let task = Task { [previous = last] in
        await previous?.value
        await body()
      }
      last = task
      return task
    }
  }

  /// Waits for the end of all bodies up to now.
  package func drain() async { await last?.value }
}
