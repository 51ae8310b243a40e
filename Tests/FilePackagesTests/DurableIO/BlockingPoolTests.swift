import FilePackages
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("The threads that stores share")
struct BlockingPoolTests {
  /// An actor whose jobs may block.
  private actor Worker {
    private nonisolated let executor: BlockingExecutor
    private var order: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on pool: BlockingPool) { executor = BlockingExecutor(on: pool) }

    func run<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
    func note(_ number: Int) { order.append(number) }
    var noted: [Int] { order }
  }

  /// A door that jobs wait for.
  private final class Door: Sendable {
    let isOpen = Mutex(false)
    let waiting = Mutex(0)

    func wait() {
      waiting.withLock { $0 += 1 }
      while !isOpen.withLock({ $0 }) { usleep(500) }
    }
  }

  /// A counter of the jobs that run at the same time, and of the highest number.
  private final class Meter: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    func run(microseconds: UInt32) {
      counts.withLock { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
      }
      usleep(microseconds)
      counts.withLock { $0.now -= 1 }
    }

    var most: Int { counts.withLock { $0.most } }
  }

  @Test func `are as many as there are to be, however many stores there are`() async throws {
    let (pool, meter) = (BlockingPool(width: 4, limit: 4), Meter())
    await withTaskGroup { group in
      for _ in 0..<200 {
        let worker = Worker(on: pool)
        group.addTask { for _ in 0..<5 { await worker.run { meter.run(microseconds: 100) } } }
      }
    }
    #expect((1...4).contains(meter.most))
  }

  @Test func `are one more where all wait for what another one brings`() async throws {
    // The last job runs although all threads wait for it (B2).
    let (pool, door) = (BlockingPool(width: 2, limit: 8), Door())
    try await withDeadline("what waits for another one") {
      await withTaskGroup { group in
        for _ in 0..<5 {
          let worker = Worker(on: pool)
          group.addTask { await worker.run { door.wait() } }
        }
        // The last job comes when no thread is left.
        while door.waiting.withLock({ $0 }) < 2 { await Task.yield() }
        let last = Worker(on: pool)
        group.addTask { await last.run { door.isOpen.withLock { $0 = true } } }
      }
    }
    // After all jobs, no thread is busy.
    try await withDeadline("going idle") { while pool.runningThreads > 0 { await Task.yield() } }
  }

  @Test func `carry out what one store is asked one after the other, in order`() async throws {
    // An executor runs one job at a time (B1).
    let (pool, meter) = (BlockingPool(width: 8, limit: 8), Meter())
    let worker = Worker(on: pool)
    await withTaskGroup { group in
      for _ in 0..<500 { group.addTask { await worker.run { meter.run(microseconds: 10) } } }
    }
    #expect(meter.most == 1)
    for number in 0..<100 { await worker.note(number) }
    #expect(await worker.noted == Array(0..<100))
  }
}
