import ObjectStores
import StoreTestSupport
import Synchronization

/// Counts the calls that a `MemoryStore` gets, by their kind.
final class CallCounter: Sendable {
  private let calls = Mutex<[ObjectStoreError.Operation: Int]>([:])

  /// Makes a store whose calls it counts.
  func store(
    trouble: @escaping @Sendable (MemoryStore.Call) -> MemoryStore.Trouble? = { _ in nil }
  ) -> MemoryStore {
    MemoryStore { call in
      self.calls.withLock { $0[call.operation, default: 0] += 1 }
      return trouble(call)
    }
  }

  /// The number of calls of a kind since the last `reset()`.
  subscript(_ operation: ObjectStoreError.Operation) -> Int { calls.withLock { $0[operation, default: 0] } }

  func reset() { calls.withLock { $0 = [:] } }
}
