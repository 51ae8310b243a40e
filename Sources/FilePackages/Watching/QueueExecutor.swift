import Dispatch

/// Runs an actor on a queue of its own, so that what blocks there never holds up Swift's thread pool.
final class QueueExecutor: SerialExecutor {
  /// Where it runs, for what waits for events or for a time.
  let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// Lets what the queue runs by itself, such as a timer, into the actor.
  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
