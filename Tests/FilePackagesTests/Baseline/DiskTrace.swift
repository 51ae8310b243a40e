import DurableIO
import Synchronization

/// The requests to a disk, in their order, as one number.
///
/// Requests of threads that synchronise files beside the task that saves come in no certain order: they are counted.
final class DiskTrace: Sendable {
  struct Step: Sendable, Equatable {
    /// FNV-1a over each request and the name that it is about.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var requests = 0
    /// How many of them other threads made.
    var beside = 0
  }

  private struct State {
    var step = Step()
    var lines: [String] = []
  }

  /// Whether the present task is the traced one; false on threads without a task.
  @TaskLocal static var isTraced = false

  private let state = Mutex(State())
  private let keepsLines: Bool

  /// - Parameter keepsLines: whether to have each request in words, too.
  init(keepsLines: Bool = false) { self.keepsLines = keepsLines }

  func note(_ event: CountingDisk.Event) {
    state.withLock { state in
      state.step.requests += 1
      guard Self.isTraced else {
        state.step.beside += 1
        return
      }
      let line = "\(event.operation) \(event.name?.display ?? "-")"
      for byte in line.utf8 { state.step.hash = (state.step.hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      if keepsLines { state.lines.append(line) }
    }
  }

  /// The requests since the last call.
  func take() -> (step: Step, lines: [String]) {
    state.withLock { state in
      defer { state = State() }
      return (state.step, state.lines)
    }
  }
}
