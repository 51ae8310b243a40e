package import FilePackages
import Synchronization

// A1 Accesses run one after the other, in the order of their calls.
// A2 An access that has begun runs to its end, even if its caller is cancelled.
// A3 An access that asks for another one of the same document does not wait for itself.
// A4 A caller that asks for a save while another one waits gets the result of that one. It has all edits until it
//    begins.

/// The accesses to a document's files: who may read and write them now, and who waits.
package final class AccessQueue: Sendable {
  /// A save, with its outcome.
  package typealias Save = Task<Result<SaveReport, DocumentError>, Never>

  private final class Access: Sendable {}

  private struct State {
    /// The end of the last access in the queue.
    var last: Task<Void, Never>?
    var running: Access?
    /// A save that has not begun.
    var waitingSave: Save?
    var activity: DocumentProgress.Activity?
  }

  private let state = Mutex(State())

  package init() {}

  /// The accesses that this task is part of.
  @TaskLocal private static var enclosing: [Access] = []

  /// The reason for the present reading or writing of the disk; nil if there is none.
  package var activity: DocumentProgress.Activity? {
    get { state.withLock { $0.activity } }
    set { state.withLock { $0.activity = newValue } }
  }

  /// Whether this task is part of the running access.
  package var isWithinAccess: Bool { state.withLock { Self.isEnclosed(by: $0.running) } }

  private static func isEnclosed(by access: Access?) -> Bool { enclosing.contains { $0 === access } }

  /// Runs `body` after every earlier access, and before every later one; at once if this task is part of the running
  /// access.
  package func enqueue<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Task<
    Result, Never
  > {
    state.withLock { enqueue(body, &$0) }
  }

  /// Returns the save that waits; if there is none, enqueues this one (A4).
  package func enqueueSave(_ body: @escaping @Sendable () async -> Result<SaveReport, DocumentError>) -> Save
  {
    state.withLock { state in
      if let waiting = state.waitingSave { return waiting }
      let save = enqueue(body, &state)
      state.waitingSave = save
      return save
    }
  }

  /// Notes that the waiting save begins: later edits are not in it.
  package func saveBegins() { state.withLock { $0.waitingSave = nil } }

  private func enqueue<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result, _ state: inout State
  ) -> Task<Result, Never> {
    // A3
    if Self.isEnclosed(by: state.running) { return Task { await body() } }
    let previous = state.last
    // No caller's task: the access ends even if that is cancelled (A2).
    let task = Task {
      // A1
      await previous?.value
      let access = Access()
      self.state.withLock { $0.running = access }
      defer { self.state.withLock { $0.running = nil } }
      return await Self.$enclosing.withValue(Self.enclosing + [access]) { await body() }
    }
    state.last = Task { _ = await task.value }
    return task
  }
}
