import Synchronization

/// Lets so many requests run at once. The others wait, and the first to come is the first to go on.
final class HTTPTurns: Sendable {
  private struct State {
    var free: Int
    var last = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    /// Waits that were cancelled before they began.
    var cancelled: Set<Int> = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

  /// Waits for a turn. Each turn ends with `end()`.
  func begin() async throws(HTTPFailure) {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isMine: Bool? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let isMine { continuation.resume(returning: isMine) }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        if let index = state.waiting.firstIndex(where: { $0.number == number }) {
          return state.waiting.remove(at: index).continuation
        }
        state.cancelled.insert(number)
        return nil
      }
      continuation?.resume(returning: false)
    }
    // A wait that was over before the cancellation came.
    state.withLock { _ = $0.cancelled.remove(number) }
    if !isMine { throw .cancelled }
  }

  /// Ends a turn, and gives it to the request that waits longest.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
