/// Decides when a document saves by itself, and has the task that waits for that.
package struct Autosaver: Sendable {
  private let policy: AutosavePolicy?
  private var firstEdit: Duration?
  private var lastEdit: Duration = .zero
  private var retry: (failures: Int, notBefore: Duration) = (0, .zero)
  private var waiting: Task<Void, Never>?

  /// - Parameter policy: the times; nil for never.
  package init(_ policy: AutosavePolicy?) { self.policy = policy }

  // MARK: Time

  /// The due time; nil if the document has no edits since the last save began, or never saves by itself.
  package var due: Duration? {
    guard let policy, let firstEdit else { return nil }
    return max(min(lastEdit + policy.quietPeriod, firstEdit + policy.ceiling), retry.notBefore)
  }

  package mutating func edited(at now: Duration) {
    if firstEdit == nil { firstEdit = now }
    lastEdit = now
  }

  /// Notes that later edits are not in the save that begins.
  package mutating func saveBegins() { firstEdit = nil }

  /// Notes that the user undid all unsaved edits.
  package mutating func nothingToSave() { firstEdit = nil }

  package mutating func saveEnds() { retry = (0, .zero) }

  package mutating func saveFails(at now: Duration) {
    if firstEdit == nil { edited(at: now) }
    guard let policy else { return }
    // At most 20 doublings, so that no duration overflows.
    let delay = min(policy.firstRetry * (1 << min(retry.failures, 20)), policy.longestRetry)
    retry = (retry.failures + 1, now + delay)
  }

  /// Notes that the document was read, so that nothing is unsaved.
  package mutating func begin() {
    firstEdit = nil
    retry = (0, .zero)
  }

  // MARK: Waiting

  /// Whether a task has to begin to wait for the due time.
  package var needsTask: Bool { policy != nil && waiting == nil }

  /// Holds the task that waits for the due time.
  package mutating func wait(in task: Task<Void, Never>) { waiting = task }

  /// Notes the end of the task that calls this.
  package mutating func endsWaiting() {
    // The caller that cancelled this task may have started another one.
    if !Task.isCancelled { waiting = nil }
  }

  /// Cancels the task.
  package mutating func stop() {
    waiting?.cancel()
    waiting = nil
  }
}
