import DurableIO
import Synchronization
import TestSupport
import Testing

// `Task.immediate` returns when its task waits, so that these tests need no time.

@Suite("A semaphore for tasks")
struct AsyncSemaphoreTests {
  @Test func `gives turns in the order of the waits`() async throws {
    let (semaphore, order) = (AsyncSemaphore(1), NoteList<Int>())
    await semaphore.wait()
    let tasks = (0..<20).map { number in
      Task.immediate(priority: number.isMultiple(of: 2) ? .low : .high) {
        if number.isMultiple(of: 3) {
          await semaphore.wait()
        } else {
          try await semaphore.waitUnlessCancelled()
        }
        order.add(number)
        semaphore.signal()
      }
    }
    semaphore.signal()
    for task in tasks { try await task.value }
    #expect(order.all == Array(0..<20))
  }

  @Test func `lets only so many run at once`() async {
    let (semaphore, gate) = (AsyncSemaphore(3), AsyncSemaphore(0))
    let (most, running) = (NoteList<Int>(), Counter())
    let tasks = (0..<30).map { _ in
      Task.immediate {
        await semaphore.wait()
        defer { semaphore.signal() }
        most.add(running.add(1))
        await gate.wait()
        running.add(-1)
      }
    }
    #expect(most.all == [1, 2, 3])
    for _ in tasks { gate.signal() }
    for task in tasks { await task.value }
    #expect(most.all.count == 30 && most.all.max() == 3)
  }

  @Test func `ends the wait of a cancelled task at once`() async {
    let (semaphore, order) = (AsyncSemaphore(1), NoteList<String>())
    await semaphore.wait()
    let cancelled = Task.immediate { try await semaphore.waitUnlessCancelled() }
    let next = Task.immediate {
      await semaphore.wait()
      order.add("next")
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    order.add("cancelled")
    semaphore.signal()
    await next.value
    #expect(order.all == ["cancelled", "next"])
  }

  @Test func `gives a cancelled task no turn, even a free one`() async {
    let semaphore = AsyncSemaphore(1)
    let task = Task.immediate {
      withUnsafeCurrentTask { $0?.cancel() }
      try await semaphore.waitUnlessCancelled()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    // The turn is still free.
    await semaphore.wait()
  }

  @Test func `lets a cancelled task wait that asks for it`() async {
    let (semaphore, order) = (AsyncSemaphore(0), NoteList<String>())
    let task = Task.immediate {
      await semaphore.wait()
      order.add("turn")
    }
    task.cancel()
    order.add("signal")
    semaphore.signal()
    await task.value
    #expect(order.all == ["signal", "turn"])
  }

  @Test func `loses no turn if cancellations and signals meet`() async {
    for _ in 0..<2_000 {
      let semaphore = AsyncSemaphore(1)
      await semaphore.wait()
      let task = Task.immediate {
        try await semaphore.waitUnlessCancelled()
        semaphore.signal()
      }
      async let cancellation: Void = task.cancel()
      semaphore.signal()
      _ = await (cancellation, task.result)
      await semaphore.wait()
    }
  }
}

@Suite("A serial queue for tasks")
struct SerialQueueTests {
  @Test func `runs one body after the other, in their order`() async {
    let (queue, order) = (SerialQueue(), NoteList<String>())
    for number in 0..<50 {
      queue.enqueue {
        order.add("begin \(number)")
        await Task.yield()
        order.add("end \(number)")
      }
    }
    await queue.drain()
    #expect(order.all == (0..<50).flatMap { ["begin \($0)", "end \($0)"] })
  }

  @Test func `runs a body to its end whose caller is cancelled`() async {
    let (queue, gate, order) = (SerialQueue(), AsyncSemaphore(0), NoteList<Bool>())
    let caller = Task.immediate {
      await queue.enqueue {
        await gate.wait()
        order.add(Task.isCancelled)
      }.value
    }
    caller.cancel()
    gate.signal()
    await queue.drain()
    #expect(order.all == [false])
  }

  @Test func `raises the earlier bodies to the priority of a later one`() async {
    let (queue, began) = (SerialQueue(), AsyncSemaphore(0))
    Task.immediate(priority: .background) {
      queue.enqueue {
        began.signal()
        while Task.currentPriority < .high { await Task.yield() }
      }
    }
    await began.wait()
    await Task(priority: .high) { await queue.enqueue {}.value }.value
  }
}

/// The number of tasks that run.
private final class Counter: Sendable {
  private let state = Mutex(0)

  @discardableResult
  func add(_ change: Int) -> Int {
    state.withLock { count in
      count += change
      return count
    }
  }
}
