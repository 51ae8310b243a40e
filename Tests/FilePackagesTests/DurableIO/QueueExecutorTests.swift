import FilePackages
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("The threads of stores")
struct QueueExecutorTests {
  /// An actor whose jobs may block.
  private actor Worker {
    private nonisolated let executor = QueueExecutor()
    private var order: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

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

  @Test func `let the job run that a hundred others wait for`() async throws {
    let door = Door()
    try await withDeadline("what waits for another one") {
      await withTaskGroup { group in
        for _ in 0..<100 {
          let worker = Worker()
          group.addTask { await worker.run { door.wait() } }
        }
        // The last job comes when each other job blocks a thread.
        while door.waiting.withLock({ $0 }) < 100 { await Task.yield() }
        let last = Worker()
        group.addTask { await last.run { door.isOpen.withLock { $0 = true } } }
      }
    }
  }

  @Test func `carry out what one store is asked one after the other, in order`() async throws {
    let meter = Meter()
    let worker = Worker()
    await withTaskGroup { group in
      for _ in 0..<500 { group.addTask { await worker.run { meter.run(microseconds: 10) } } }
    }
    #expect(meter.most == 1)
    for number in 0..<100 { await worker.note(number) }
    #expect(await worker.noted == Array(0..<100))
  }
}
