import Dispatch
import Glibc

/// Runs an actor on a queue of its own, so that what blocks there never holds up Swift's thread pool.
package final class BlockingExecutor: SerialExecutor {
  /// Where it runs, for what waits for events or for a time.
  let queue: DispatchQueue

  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// Lets what the queue runs by itself, such as a timer, into the actor.
  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}

/// Holds up this thread: only for what runs on a `BlockingExecutor`.
func sleepBlocking(microseconds: UInt32) {
  usleep(microseconds)
}

/// A thread on which something may block.
package actor BlockingThread {
  private nonisolated let executor = BlockingExecutor(label: "com.filepackages.thread")

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
