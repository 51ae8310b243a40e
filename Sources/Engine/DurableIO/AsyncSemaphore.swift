import Synchronization

/// A semaphore for tasks. The task that waits longest gets the next turn, whatever its priority.
package final class AsyncSemaphore: Sendable {
  private struct State {
    var free: Int
    var lastNumber = 0
    /// A wait gets true for its turn, and false if its task was cancelled.
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []

    /// Takes a free turn, or adds the wait; returns whether there was a free turn.
    mutating func begin(_ number: Int, _ continuation: CheckedContinuation<Bool, Never>) -> Bool {
      if free > 0 {
        free -= 1
        return true
      }
      waiting.append((number, continuation))
      return false
    }
  }

  private let state: Mutex<State>

  /// - Parameter count: the number of turns at once.
  package init(_ count: Int) { state = Mutex(State(free: count)) }

  /// Waits for a turn, also if the task is cancelled. Each turn ends with `signal()`.
  package func wait() async {
    _ = await withCheckedContinuation { continuation in
      // No cancellation asks for this number.
      if state.withLock({ $0.begin(0, continuation) }) { continuation.resume(returning: true) }
    }
  }

  /// Waits for a turn. Each turn ends with `signal()`.
  ///
  /// - Throws: if the task is cancelled, at once and also if a turn is free; the task has no turn then.
  package func waitUnlessCancelled() async throws(CancellationError) {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasTurn: Bool? = state.withLock { state in
          // A cancellation after this look finds the wait.
          if Task.isCancelled { return false }
          return state.begin(number, continuation) ? true : nil
        }
        if let hasTurn { continuation.resume(returning: hasTurn) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
      }
      continuation?.resume(returning: false)
    }
    if !hasTurn { throw CancellationError() }
  }

  /// Ends a turn, and gives it to the task that waits longest.
  package func signal() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
