import Synchronization

/// Runs an actor's jobs one after the other on threads that may block, so that they never hold up Swift's thread pool.
package final class BlockingExecutor: SerialExecutor {
  private struct State {
    /// The jobs in reverse order: the next one is the last element.
    var waiting: [UnownedJob] = []
    /// The jobs that arrived since, in order: the next one is the first element.
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

  /// Runs the next job, and returns whether there is another one.
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

/// An actor whose jobs may block their thread.
package actor BlockingThread {
  private nonisolated let executor = BlockingExecutor()

  /// The executor of this actor's jobs.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package init() {}

  /// Calls `body` on a thread that may block.
  package func run<Result: Sendable, Failure: Error>(
    _ body: @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await body()
  }
}
