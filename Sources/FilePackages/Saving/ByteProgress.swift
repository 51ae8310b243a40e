import Synchronization

/// How far a save is, for whoever asks while it runs.
package final class ByteProgress: Sendable {
  /// Bytes of files, those of small ones counted when they are recorded.
  package struct Count: Sendable, Hashable {
    package var completed: UInt64 = 0
    package var total: UInt64 = 0
  }

  private let count = Mutex(Count())

  package init() {}

  package var now: Count { count.withLock { $0 } }

  func begin(_ plan: SavePlan) {
    let total = plan.steps.reduce(UInt64(0)) { total, step in
      if case .write(let contents) = step.action { total + (contents.size ?? 0) } else { total }
    }
    count.withLock { $0 = Count(total: total) }
  }

  func add(_ bytes: Int) { count.withLock { $0.completed += UInt64(bytes) } }
}
