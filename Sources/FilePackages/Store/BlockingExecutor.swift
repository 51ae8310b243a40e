import Glibc
import Synchronization

/// Runs an actor where it may block, one job after the other, and never holds up Swift's thread pool.
package final class BlockingExecutor: SerialExecutor {
  private struct State {
    /// The jobs, the next one last.
    var waiting: [UnownedJob] = []
    /// Those that came since, the next one first.
    var arrived: [UnownedJob] = []
    var isScheduled = false
  }

  private let state = Mutex(State())
  private let pool: BlockingPool

  /// - Parameter pool: the threads to run on.
  package init(on pool: BlockingPool = .shared) { self.pool = pool }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isNew = state.withLock { state in
      state.arrived.append(job)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNew { pool.schedule(self) }
  }

  /// Runs the next job, and says whether there is another one.
  func runNext() -> Bool {
    let job = state.withLock { state in
      if state.waiting.isEmpty { (state.waiting, state.arrived) = (state.arrived.reversed(), []) }
      return state.waiting.popLast()
    }
    job?.runSynchronously(on: asUnownedSerialExecutor())
    return state.withLock { state in
      state.isScheduled = !state.waiting.isEmpty || !state.arrived.isEmpty
      return state.isScheduled
    }
  }
}

/// Holds up this thread: only for what runs on a `BlockingExecutor`.
func sleepBlocking(microseconds: UInt32) {
  usleep(microseconds)
}

/// A thread on which something may block.
package actor BlockingThread {
  private nonisolated let executor = BlockingExecutor()

  /// The thread that everything here runs on.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package init() {}

  /// Calls `body` on this thread.
  package func run<Result: Sendable, Failure: Error>(
    _ body: @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await body()
  }
}
