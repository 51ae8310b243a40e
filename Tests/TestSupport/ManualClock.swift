import Synchronization

/// A clock that a test advances, and that knows its waiting tasks.
package final class ManualClock: Clock, Sendable {
  package struct Instant: InstantProtocol {
    package var offset: Duration
    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var number = 0
    var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
    var watchers: [CheckedContinuation<Instant, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var now: Instant { state.withLock { $0.now } }
  package var minimumResolution: Duration { .zero }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let watchers = state.withLock { state -> [CheckedContinuation<Instant, Never>]? in
          if deadline <= state.now || Task.isCancelled { return nil }
          state.sleepers[number] = (deadline, continuation)
          defer { state.watchers = [] }
          return state.watchers
        }
        guard let watchers else { return continuation.resume() }
        for watcher in watchers { watcher.resume(returning: deadline) }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume()
    }
    try Task.checkCancellation()
  }

  /// Waits until a task waits for this clock; returns the earliest deadline.
  @discardableResult
  package func nextDeadline() async -> Instant {
    await withCheckedContinuation { continuation in
      let deadline = state.withLock { state -> Instant? in
        let deadline = state.sleepers.values.map(\.until).min()
        if deadline == nil { state.watchers.append(continuation) }
        return deadline
      }
      if let deadline { continuation.resume(returning: deadline) }
    }
  }

  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.continuation)
    }
    for sleeper in due { sleeper.resume() }
  }
}
