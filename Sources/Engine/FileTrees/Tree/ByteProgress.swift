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

  package func begin(total: UInt64) { count.withLock { $0 = Count(total: total) } }

  package func set(_ completed: UInt64, of total: UInt64) {
    count.withLock { $0 = Count(completed: completed, total: total) }
  }

  package func add(_ bytes: Int) { count.withLock { $0.completed += UInt64(bytes) } }
}
