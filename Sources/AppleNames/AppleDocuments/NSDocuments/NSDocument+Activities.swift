import Foundation

// Work of a document that takes its turn.

extension NSDocument {
  /// Calls `block` after all earlier reads and writes of the document, on the main actor.
  ///
  /// Later reads and writes, also autosaves, wait until `block` calls the closure that it gets.
  public func performAsynchronousFileAccess(_ block: @escaping (@escaping () -> Void) -> Void) {
    let work: @MainActor @Sendable () async -> Void = {
      await withCheckedContinuation { continuation in
        var waiting: CheckedContinuation<Void, Never>? = continuation
        block {
          waiting?.resume()
          waiting = nil
        }
      }
    }
    file.enqueue { [self] in await file.hold { await work() } }
  }

  /// Calls `block` at once.
  ///
  /// Unlike Apple's, it does not wait for a running save, because the save needs the main queue. The save replaces
  /// whole files, so `block` finds each file whole, the old one or the new one.
  public func performSynchronousFileAccess(_ block: () -> Void) { block() }

  /// Calls `block` after all earlier activities have called their closures: at once if there is none.
  ///
  /// Unlike Apple's, it never blocks the thread, because a waiting activity needs the main queue.
  public func performActivity(
    withSynchronousWaiting waitSynchronously: Bool,
    using block: @escaping (_ activityCompletionHandler: @escaping () -> Void) -> Void
  ) {
    activities.append(block)
    if activities.count == 1 { runActivity() }
  }

  private func runActivity() {
    guard let block = activities.first else { return }
    var isOver = false
    block { [weak self] in
      guard let self, !isOver else { return }
      isOver = true
      activities.removeFirst()
      runActivity()
    }
  }

  /// Calls `block` at once, as a part of the present activity.
  public func continueActivity(_ block: () -> Void) { block() }

  /// Calls `block` on the main queue.
  public func continueAsynchronousWorkOnMainThread(_ block: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async { block() }
  }
}
