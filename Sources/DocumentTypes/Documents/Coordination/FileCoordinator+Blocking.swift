import Dispatch
import Synchronization

extension FileCoordinator {
  /// Reads and writes items on the calling thread, which waits for other programs meanwhile.
  ///
  /// It is for code that cannot be asynchronous. A presenter whose answer needs the calling thread makes it wait until
  /// the deadline.
  ///
  /// - Throws: as `coordinate(with:deadline:byAccessor:)`.
  package func coordinateBlocking<Result>(
    with intents: [FileAccessIntent], takingClaims: Bool = true, deadline: Duration = defaultDeadline,
    byAccessor accessor: () throws -> Result
  ) throws -> Result {
    let access = try waitBlocking { [self] in
      try await begin(intents, takingClaims: takingClaims, deadline: deadline)
    }
    defer { try? waitBlocking { [self] in await end(access) } }  // The closure throws nothing.
    // An access within the accessor belongs to this one.
    return try CoordinatedAccess.$enclosing.withValue(CoordinatedAccess.enclosing + [access]) {
      try accessor()
    }
  }
}

/// Waits for asynchronous work on the calling thread.
///
/// The work begins on that thread: code of no actor holds up no other one. After its first `await` it runs on threads that
/// the wait does not take, also if the caller is one of Swift's pool.
///
/// - Parameter limit: the longest wait; nil for any time.
/// - Throws: the error of the work; `UnansweredCall` after `limit`. The work then ends later, without effect here.
package func waitBlocking<Result: Sendable>(
  within limit: Duration? = nil, for work: @escaping @Sendable () async throws -> Result
) throws -> Result {
  let (thread, done, result) = (CallingThread(), DispatchSemaphore(value: 0), WaitedResult<Result>())
  Task(executorPreference: thread) {
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
    result.value.withLock { $0 = outcome }
    done.signal()
  }
  thread.runFirstJob()
  if let limit {
    guard done.wait(timeout: .now() + limit.seconds) == .success else { throw UnansweredCall(limit: limit) }
  } else {
    done.wait()
  }
  guard let outcome = result.value.withLock({ $0 }) else { throw CancellationError() }
  return try outcome.get()
}

private final class WaitedResult<Value: Sendable>: Sendable {
  let value = Mutex<Result<Value, any Error>?>(nil)
}

/// Runs the first part of a call on the thread that waits for the call, and the other parts elsewhere.
private final class CallingThread: TaskExecutor {
  private let first = Mutex<UnownedJob?>(nil)
  private let arrival = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = first.withLock { first in
      if first != nil { return false }
      first = job
      return true
    }
    if isFirst {
      arrival.signal()
    } else {
      DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  func runFirstJob() {
    arrival.wait()
    first.withLock { $0 }?.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// An actor did not run a call in time.
package struct UnansweredCall: Error, Equatable, CustomStringConvertible {
  /// The longest wait for the main actor, so that a program that blocks its main thread gets an error.
  package static let usualLimit = Duration.seconds(30)

  package let limit: Duration

  package init(limit: Duration = usualLimit) { self.limit = limit }

  /// The reason and the remedy, for the end of a sentence.
  package var description: String {
    "the main actor ran nothing for \(limit.components.seconds) seconds; the main thread must not wait, but 'await' or "
      + "call 'RunLoop.main.run()'"
  }
}

/// Waits until the main queue runs.
///
/// - Throws: `UnansweredCall` if it runs nothing within `limit`.
package func waitForMainQueue(within limit: Duration = UnansweredCall.usualLimit) throws {
  let signal = DispatchSemaphore(value: 0)
  DispatchQueue.main.async { signal.signal() }
  if signal.wait(timeout: .now() + limit.seconds) == .timedOut { throw UnansweredCall(limit: limit) }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
