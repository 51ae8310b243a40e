import DurableIO
import Synchronization

/// The progress of a running save, for any thread that asks.
package final class ByteProgress: Sendable {
  /// Bytes of files; small files count when they are recorded.
  package struct Count: Sendable, Hashable {
    package var completed: UInt64 = 0
    package var total: UInt64 = 0
  }

  private let count = Mutex(Count())

  package init() {}

  package var now: Count { count.withLock { $0 } }

  /// - Parameter copiesFiles: whether reused files are copied.
  func begin(_ plan: SavePlan, copiesFiles: Bool) {
    let total = plan.steps.reduce(UInt64(0)) { total, step in
      switch step.action {
      case .write(let contents): total + (contents.size ?? 0)
      case .reuse(let source) where copiesFiles: total + (source.status?.size ?? 0)
      default: total
      }
    }
    count.withLock { $0 = Count(total: total) }
  }

  func add(_ bytes: Int) { count.withLock { $0.completed += UInt64(bytes) } }
}
