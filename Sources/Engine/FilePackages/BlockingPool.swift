import Dispatch
import Synchronization

// B1 An executor is in the pool at most once, and runs one job at a time: it is serial.
// B2 A job that waits for the result of another job does not stop that job. If no job ends for 100 milliseconds while
//    executors wait, the pool adds one thread, up to its limit. The shared pool's limit is as many as Dispatch has.

/// The threads that stores block, shared by all stores.
///
/// A thousand open documents need no thousand threads. The width is as many flushes as a disk can well do at once.
package final class BlockingPool: Sendable {
  package static let shared = BlockingPool(width: 32, limit: 250)

  private struct State {
    /// Executors that have a job, in reverse order: the next one is the last element.
    var waiting: [BlockingExecutor] = []
    /// The executors that arrived since, in order: the next one is the first element.
    var arrived: [BlockingExecutor] = []
    /// Threads that run nothing.
    var idle: [DispatchQueue] = []
    var running = 0
    /// The number of threads that may run at once.
    var width: Int
    /// The number of jobs that have ended.
    var ended = 0
    /// Whether `watch()` is looking for a stall.
    var isWatched = false

    mutating func next() -> BlockingExecutor? {
      if waiting.isEmpty { (waiting, arrived) = (arrived.reversed(), []) }
      return waiting.popLast()
    }

    var hasWork: Bool { !waiting.isEmpty || !arrived.isEmpty }

    /// Returns a thread for one more executor; nil if the pool is at its width.
    mutating func start() -> DispatchQueue? {
      guard running < width else { return nil }
      running += 1
      // A queue of its own has a thread at once, however many other queues are blocked.
      return idle.popLast() ?? DispatchQueue(label: "com.filepackages.blocking")
    }
  }

  private let state: Mutex<State>
  private let width: Int
  private let limit: Int

  /// - Parameters:
  ///   - width: the number of threads while jobs end.
  ///   - limit: the largest number of threads.
  package init(width: Int, limit: Int) {
    (self.width, self.limit) = (width, limit)
    state = Mutex(State(width: width))
  }

  /// The number of threads that run jobs.
  package var runningThreads: Int { state.withLock { $0.running } }

  /// Runs a job of the executor when there is a thread (B1).
  func schedule(_ executor: BlockingExecutor) {
    let (thread, isToBeWatched) = state.withLock { state in
      state.arrived.append(executor)
      let thread = state.start()
      defer { if thread == nil { state.isWatched = true } }
      return (thread, thread == nil && !state.isWatched)
    }
    if let thread { run(on: thread) }
    if isToBeWatched { watch() }
  }

  private func run(on thread: DispatchQueue) {
    thread.async { [self] in
      while let executor = next(on: thread) {
        // Executors take turns, a job each: none waits for all jobs of another one.
        if executor.runNext() { state.withLock { $0.arrived.append(executor) } }
        state.withLock { $0.ended += 1 }
      }
    }
  }

  private func next(on thread: DispatchQueue) -> BlockingExecutor? {
    state.withLock { state in
      if state.running <= state.width, let executor = state.next() { return executor }
      state.running -= 1
      state.idle.append(thread)
      return nil
    }
  }

  /// Adds a thread whenever no job ended for 100 milliseconds while executors wait (B2).
  private func watch() {
    let ended = state.withLock { $0.ended }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
      let (thread, isOver) = state.withLock { state -> (DispatchQueue?, Bool) in
        guard state.hasWork else {
          (state.width, state.isWatched) = (width, false)
          return (nil, true)
        }
        if state.ended == ended { state.width = min(state.width + 1, limit) }
        return (state.start(), false)
      }
      if let thread { run(on: thread) }
      if !isOver { watch() }
    }
  }
}
