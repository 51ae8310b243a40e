import FilePackages
import Synchronization

// A1 Accesses run one after the other, in the order of their calls. Those that are part of another one (A3) do so, too.
// A2 An access that has begun runs to its end, even if its caller is cancelled.
// A3 An access that asks for another one of the same document does not wait for itself: that one is part of it. So is
//    one for which a child task asks. A `Task {}` that an access begins is on its own, and its accesses wait.
// A4 A caller that asks for a save while another one waits gets the result of that one. It has all edits until it
//    begins, and other programs see it at its end if one of the callers waits for that.

/// The accesses to a document's files: who may read and write them now, and who waits.
package final class AccessQueue: Sendable {
  /// A save, with its outcome.
  package typealias Save = Task<Result<SaveReport, DocumentError>, Never>

  /// An access, which marks its tasks as their preferred executor.
  ///
  /// A child task inherits that preference, and a `Task {}` does not. A task-local value would pass to both.
  private final class Access: TaskExecutor {
    /// The accesses that are part of it.
    let parts = AccessQueue()

    func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(job) }
  }

  private struct State {
    /// The end of the last access in the queue.
    var last: Task<Void, Never>?
    var running: Access?
    /// A save that has not begun, and whether a caller waits until other programs see it.
    var waitingSave: (save: Save, isPublishing: Bool)?
    var activity: DocumentProgress.Activity?
  }

  private let state = Mutex(State())

  package init() {}

  /// The reason for the present reading or writing of the disk; nil if there is none.
  package var activity: DocumentProgress.Activity? {
    get { state.withLock { $0.activity } }
    set { state.withLock { $0.activity = newValue } }
  }

  /// Where this task's accesses wait. A child task of a running access waits inside it, any other task in this queue.
  private var own: AccessQueue {
    guard let executor = withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) else { return self }
    return enclosing(executor)?.parts ?? self
  }

  /// Returns the innermost running access whose tasks have that executor.
  private func enclosing(_ executor: UnownedTaskExecutor) -> Access? {
    guard let running = state.withLock({ $0.running }) else { return nil }
    return running.asUnownedTaskExecutor() == executor ? running : running.parts.enclosing(executor)
  }

  /// Runs `body` after every earlier access, and before every later one; as part of the running access if this task is.
  package func enqueue<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Task<
    Result, Never
  > {
    let own = own
    return own.state.withLock { own.append(body, &$0) }
  }

  /// Returns the save that waits; if there is none, enqueues this one (A4).
  ///
  /// - Parameters:
  ///   - isPublishing: whether the caller waits until other programs see the save.
  ///   - body: the save. It calls `begins` when later edits are not in it any more, and gets whether a caller waits for
  ///     publishing.
  package func enqueueSave(
    isPublishing: Bool,
    _ body: @escaping @Sendable (_ begins: @Sendable () -> Bool) async -> Result<SaveReport, DocumentError>
  ) -> Save {
    let own = own
    return own.state.withLock { state in
      if let waiting = state.waitingSave {
        state.waitingSave = (waiting.save, waiting.isPublishing || isPublishing)
        return waiting.save
      }
      let begins: @Sendable () -> Bool = {
        own.state.withLock { state in
          defer { state.waitingSave = nil }
          return state.waitingSave?.isPublishing ?? isPublishing
        }
      }
      let save = own.append({ await body(begins) }, &state)
      state.waitingSave = (save, isPublishing)
      return save
    }
  }

  private func append<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result, _ state: inout State
  ) -> Task<Result, Never> {
    let (previous, access) = (state.last, Access())
    // No caller's task: the access ends even if that is cancelled (A2).
    let task = Task(executorPreference: access) {
      // A1
      await previous?.value
      self.state.withLock { $0.running = access }
      defer { self.state.withLock { $0.running = nil } }
      return await body()
    }
    state.last = Task { _ = await task.value }
    return task
  }
}
