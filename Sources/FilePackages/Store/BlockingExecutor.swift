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
