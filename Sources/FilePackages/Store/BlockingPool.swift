import Dispatch
import Synchronization

// (1) An executor is in the pool at most once, and runs one job at a time: it is serial.
// (2) Whoever waits for something that another job brings does not stop that job: where no job ends for a while, the
//     pool has one thread more, up to as many as Dispatch has at all.
// (3) Executors take turns, a job each: none waits for all that another one has to do.

/// The threads on which stores block, some for all of them: a thousand open documents need no thousand threads, and as
/// many flushes wait for the disk at once as a disk can well do together.
package final class BlockingPool: Sendable {
  package static let shared = BlockingPool(width: 32, limit: 250)

  private struct State {
    /// Executors that have a job, the next one last.
    var waiting: [BlockingExecutor] = []
    /// Those that came since, the next one first.
    var arrived: [BlockingExecutor] = []
    /// Threads that nothing runs on.
    var idle: [DispatchQueue] = []
    var running = 0
    /// How many may run at once.
    var width: Int
    /// How many jobs have ended.
    var ended = 0
    /// Whether somebody looks whether anything ends.
    var isWatched = false

    mutating func next() -> BlockingExecutor? {
      if waiting.isEmpty { (waiting, arrived) = (arrived.reversed(), []) }
      return waiting.popLast()
    }

    var hasWork: Bool { !waiting.isEmpty || !arrived.isEmpty }

    /// A thread for one more.
    mutating func start() -> DispatchQueue? {
      guard running < width else { return nil }
      running += 1
      // A queue of its own has a thread at once, however many of the others are blocked.
      return idle.popLast() ?? DispatchQueue(label: "com.filepackages.blocking")
    }
  }

  private let state: Mutex<State>
  private let width: Int
  private let limit: Int

  /// - Parameters:
  ///   - width: how many threads there are while jobs end.
  ///   - limit: how many there are at most.
  package init(width: Int, limit: Int) {
    (self.width, self.limit) = (width, limit)
    state = Mutex(State(width: width))
  }

  /// How many threads run jobs.
  package var runningThreads: Int { state.withLock { $0.running } }

  /// Runs a job of the executor when there is a thread. (1)
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
        // (3)
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

  /// (2)
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
