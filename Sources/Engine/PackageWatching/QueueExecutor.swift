package import Dispatch

/// An executor that runs an actor on a queue of its own, a job at a time.
///
/// A blocking call there never delays Swift's thread pool, and a job that waits for a job of another actor never stops
/// that one: each queue with work has a thread, and Dispatch has some 250 of them.
package final class QueueExecutor: SerialExecutor {
  /// The queue of the actor, for event sources and timers.
  package let queue: DispatchQueue

  package init(label: String = "com.filepackages.blocking") {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// Calls `body` on the queue after a delay.
  package func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = delay.components
    let interval = DispatchTimeInterval.nanoseconds(
      Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    queue.asyncAfter(deadline: .now() + interval, execute: body)
  }

  /// Lets code that the queue runs by itself, such as a timer, into the actor.
  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
