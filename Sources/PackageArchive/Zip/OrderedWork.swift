import Dispatch
import Synchronization

/// Does pieces of work on several threads, each with a deflater of its own, and hands the results over in the order in
/// which the work was given, on the thread that gave it.
///
/// What is under way is bounded by its cost, so that memory is, too.
final class OrderedWork {
  typealias Job = @Sendable (borrowing Deflater) -> Void

  private let queue = Queue()
  private let threads = DispatchGroup()
  private let threadCount: Int
  private let budget: Int
  private var cost = 0
  private var waiting: [(cost: Int, take: () throws -> Void)] = []
  private var first = 0

  /// - Parameters:
  ///   - level: of the deflaters.
  ///   - budget: how much cost may be under way.
  init(threads count: Int, level: Int, budget: Int) throws {
    threadCount = max(1, count)
    self.budget = budget
    for _ in 0..<threadCount {
      let deflater = try Deflater(level: level)
      start(deflater)
    }
  }

  private func start(_ deflater: consuming Deflater) {
    let worker = Worker(deflater, queue)
    DispatchQueue(label: "com.filepackages.archive").async(group: threads) { worker.run() }
  }

  /// Has `job` done, and `take` called with what it gives once all that was given before has been taken.
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
    waiting.append((cost, { try take(try slot.wait()) }))
  }

  /// Has `take` called in its turn.
  func submit(_ take: @escaping () throws -> Void) throws {
    waiting.append((0, take))
    if waiting.count - first >= threadCount * 256 { try takeFirst() }
  }

  private func takeFirst() throws {
    let next = waiting[first]
    // What was taken is let go now, not when the array is tidied up.
    waiting[first].take = {}
    first += 1
    if first >= 1024 {
      waiting.removeFirst(first)
      first = 0
    }
    cost -= next.cost
    try next.take()
  }

  /// Waits for all that was given.
  func finish() throws {
    while first < waiting.count { try takeFirst() }
  }

  /// Ends the threads, when what they are doing is done, and lets go of what was not taken: each piece may hold the object
  /// that holds this one.
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
  /// One thread, with the one deflater that only it uses.
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
  }

  /// Work that is to be done.
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

    /// Waits for work; nil once there is to be none.
    func next() -> Job? {
      count.wait()
      let job: Job? = state.withLock { state in
        guard !state.isClosed, state.first < state.jobs.count else { return nil }
        // What is done is let go now, with the bytes that it has, not when the array is tidied up.
        let job = state.jobs[state.first].take()
        state.first += 1
        if state.first >= 256 {
          state.jobs.removeFirst(state.first)
          state.first = 0
        }
        return job
      }
      // The others are to end, too.
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

  /// Where one result comes.
  private final class Slot<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isFull = DispatchSemaphore(value: 0)

    func fill(_ value: Result<Value, any Error>) {
      result.withLock { $0 = value }
      isFull.signal()
    }

    func wait() throws -> Value {
      isFull.wait()
      guard let result = result.withLock({ $0 }) else { throw CancellationError() }
      return try result.get()
    }
  }
}
