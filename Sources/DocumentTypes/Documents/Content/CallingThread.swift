import Dispatch
import Synchronization

/// Runs an asynchronous call on the thread that waits for its end.
///
/// The code of no actor runs on that thread, without a change of threads. So a content that belongs to no actor costs no
/// thread of Swift's pool. The code of an actor, such as the main actor, runs there meanwhile.
package final class CallingThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// Whether the thread does not wait any more.
    var isLeft = false
  }

  private let state = Mutex(State())
  /// One signal for each job, and one for the end of the call.
  private let signals = DispatchSemaphore(value: 0)

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isLeft = state.withLock { state in
      if !state.isLeft { state.jobs.append(job) }
      return state.isLeft
    }
    guard isLeft else {
      signals.signal()
      return
    }
    // The rest of a call that no thread waits for.
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs the call.
  ///
  /// - Parameter limit: the longest wait for code of an actor; nil for any time.
  /// - Returns: the result, and whether code of an actor was part of the call.
  /// - Throws: the error of the call; `UnansweredCall` after `limit`. The call then ends later, without effect here.
  package static func run<Value: Sendable>(
    within limit: Duration?, _ call: @escaping @Sendable () async throws -> Value
  ) throws -> (value: Value, hasWaited: Bool) {
    let (thread, outcome) = (CallingThread(), Outcome<Value>())
    Task(executorPreference: thread) {
      let result: Result<Value, any Error>
      do { result = .success(try await call()) } catch { result = .failure(error) }
      outcome.result.withLock { $0 = result }
      thread.signals.signal()
    }
    var jobs = 0
    while true {
      try thread.wait(within: limit)
      guard let job = thread.nextJob() else { break }
      jobs += 1
      job.runSynchronously(on: thread.asUnownedTaskExecutor())
    }
    guard let result = outcome.result.withLock({ $0 }) else { throw CancellationError() }
    // A call without an actor is one job.
    return (try result.get(), jobs > 1)
  }

  private func wait(within limit: Duration?) throws {
    guard let limit else { return signals.wait() }
    if signals.wait(timeout: .now() + limit.seconds) == .success { return }
    let isLeft = state.withLock { state in
      state.isLeft = state.jobs.isEmpty
      return state.isLeft
    }
    if isLeft { throw UnansweredCall(limit: limit) }
    // A job arrived at the last moment.
    signals.wait()
  }

  private func nextJob() -> UnownedJob? {
    state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
  }
}

private final class Outcome<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, any Error>?>(nil)
}

/// An actor did not run a part of a call in time.
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
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
