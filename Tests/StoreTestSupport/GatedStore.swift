package import ObjectStores
import Synchronization

/// A store whose reads of blobs wait while it is closed, and whose calls fail while it is offline.
package final class GatedStore: ObjectStore {
  private struct State {
    var isOpen = true
    var isOffline = false
    var waiting = 0
  }

  package let base: any ObjectStore
  private let state = Mutex(State())

  package init(_ base: any ObjectStore) { self.base = base }

  /// The number of reads that wait.
  package var waiting: Int { state.withLock { $0.waiting } }
  package func close() { state.withLock { $0.isOpen = false } }
  package func open() { state.withLock { $0.isOpen = true } }
  package func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }

  package var place: String { base.place }

  package func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    if state.withLock({ $0.isOffline }) { throw ObjectStoreError(.unreachable, call, in: place) }
    if case .get(let key, _) = call, key.string.hasPrefix("blobs/") {
      state.withLock { $0.waiting += 1 }
      defer { state.withLock { $0.waiting -= 1 } }
      while !state.withLock({ $0.isOpen }) {
        if Task.isCancelled { throw ObjectStoreError(.cancelled, call, in: place) }
        await Task.yield()
      }
    }
    return try await base.send(call)
  }
}
