/// The clock of a document, whatever its type: the time since the document was made.
package struct DocumentClock: Sendable {
  package let now: @Sendable () -> Duration
  /// Waits until that time; returns earlier if the task is cancelled.
  package let sleep: @Sendable (_ until: Duration) async -> Void

  package init(_ clock: some Clock<Duration>) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    // An error means that the task was cancelled; the caller checks that.
    sleep = { try? await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}
