import Synchronization

/// Lets tasks through one after the other, in the order in which they came.
final class Turn: Sendable {
  private struct State {
    var isTaken: Bool
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// - Parameter isTaken: whether the first task waits for a `pass()`.
  init(isTaken: Bool = false) { state = Mutex(State(isTaken: isTaken)) }

  /// Waits for the turn, and takes it.
  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  /// Passes the turn to the task that has waited longest.
  func pass() {
    let next = state.withLock { state in
      if state.waiting.isEmpty { state.isTaken = false }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}
