import Dispatch
import Synchronization

/// Jobs on several threads, each thread with a deflater of its own. The results come in the order of the jobs, on
/// the caller's thread.
///
/// A budget bounds the cost of unfinished jobs, and so bounds memory. While the caller's thread waits, it does jobs that
/// no other thread has begun: a process that makes many archives at once may have no thread left for them.
final class OrderedWork {
  typealias Job = @Sendable (borrowing Deflater) -> Void

  private let queue = Queue()
  /// The threads that have begun. One that begins after `stop()` finds nothing to do.
  private let threads = DispatchGroup()
  private let threadCount: Int
  private let budget: Int
  private let level: Int
  /// The deflater of the caller's thread.
  private var deflater: Worker?
  private var cost = 0
  private var waiting: [(cost: Int, take: () throws -> Void)] = []
  private var first = 0

  /// - Parameters:
  ///   - level: the level of the deflaters.
  ///   - budget: the greatest cost of unfinished jobs together.
  init(threads count: Int, level: Int, budget: Int) throws {
    threadCount = max(1, count)
    (self.budget, self.level) = (budget, level)
    for _ in 0..<threadCount {
      let deflater = try Deflater(level: level)
      start(deflater)
    }
  }

  private func start(_ deflater: consuming Deflater) {
    let worker = Worker(deflater, queue)
    DispatchQueue(label: "com.filepackages.archive").async { [threads] in
      threads.enter()
      worker.run()
      threads.leave()
    }
  }

  /// Starts `job`, and calls `take` with its result after the results of all earlier jobs.
  func submit<Value: Sendable>(
    cost: Int, _ job: @escaping @Sendable (borrowing Deflater) throws -> Value,
    take: @escaping (Value) throws -> Void
  ) throws {
    while first < waiting.count, self.cost + cost > budget || waiting.count - first >= threadCount * 64 {
      try takeFirst()
    }
    let slot = Slot<Value>()
    queue.add { deflater in slot.fill(Result { try job(deflater) }) }
    self.cost += cost
    waiting.append(
      (
        cost,
        { [unowned self] in
          while !slot.isFull, try doNext() {}
          try take(try slot.wait())
        }
      ))
  }

  /// Does a job that no other thread has begun; false if there is none.
  private func doNext() throws -> Bool {
    guard let job = queue.nextIfAny() else { return false }
    if deflater == nil { deflater = Worker(try Deflater(level: level), queue) }
    deflater?.run(job)
    return true
  }

  /// Calls `take` after the results of all earlier jobs.
  func submit(_ take: @escaping () throws -> Void) throws {
    waiting.append((0, take))
    if waiting.count - first >= threadCount * 256 { try takeFirst() }
  }

  private func takeFirst() throws {
    let next = waiting[first]
    // This releases the closure at once, not when the array is shortened.
    waiting[first].take = {}
    first += 1
    if first >= 1024 {
      waiting.removeFirst(first)
      first = 0
    }
    cost -= next.cost
    try next.take()
  }

  /// Waits for all jobs.
  func finish() throws {
    while first < waiting.count { try takeFirst() }
  }

  /// Ends the threads after their present jobs, and releases results that nothing took. Each closure may hold the
  /// object that holds this one.
  func stop() {
    queue.close()
    threads.wait()
    waiting = []
    first = 0
  }

  deinit {
    queue.close()
  }
}

extension OrderedWork {
  /// One thread with its own deflater.
  private final class Worker: Sendable {
    private let deflater: Deflater
    private let queue: Queue

    init(_ deflater: consuming Deflater, _ queue: Queue) {
      self.deflater = deflater
      self.queue = queue
    }

    func run() {
      while let job = queue.next() { job(deflater) }
    }

    func run(_ job: Job) { job(deflater) }
  }

  /// Jobs that have not begun.
  private final class Queue: Sendable {
    private struct State {
      var jobs: [Job?] = []
      var first = 0
      var isClosed = false
    }

    private let state = Mutex(State())
    private let count = DispatchSemaphore(value: 0)

    func add(_ job: @escaping Job) {
      state.withLock { $0.jobs.append(job) }
      count.signal()
    }

    /// Waits for a job; returns nil after `close()`.
    func next() -> Job? {
      count.wait()
      return take()
    }

    /// Returns a job, if there is one.
    func nextIfAny() -> Job? { count.wait(timeout: .now()) == .success ? take() : nil }

    private func take() -> Job? {
      let job: Job? = state.withLock { state in
        guard !state.isClosed, state.first < state.jobs.count else { return nil }
        // This releases the job and its bytes at once, not when the array is shortened.
        let job = state.jobs[state.first].take()
        state.first += 1
        if state.first >= 256 {
          state.jobs.removeFirst(state.first)
          state.first = 0
        }
        return job
      }
      // This wakes the next thread, so that all threads end.
      if job == nil { count.signal() }
      return job
    }

    func close() {
      state.withLock { state in
        state.isClosed = true
        state.jobs = []
        state.first = 0
      }
      count.signal()
    }
  }

  /// The place of one result.
  private final class Slot<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let filled = DispatchSemaphore(value: 0)

    var isFull: Bool { result.withLock { $0 != nil } }

    func fill(_ value: Result<Value, any Error>) {
      result.withLock { $0 = value }
      filled.signal()
    }

    func wait() throws -> Value {
      filled.wait()
      guard let result = result.withLock({ $0 }) else { throw CancellationError() }
      return try result.get()
    }
  }
}
