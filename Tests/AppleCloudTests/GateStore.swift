import Foundation
import ObjectStores
import Synchronization

/// A store whose reads of content wait while it is closed, and that fails while it is offline.
final class GateStore: ObjectStore {
  let base: any ObjectStore
  private let isClosed = Mutex(false)
  private let isOffline = Mutex(false)

  init(_ base: any ObjectStore) { self.base = base }

  func close() { isClosed.withLock { $0 = true } }
  func open() { isClosed.withLock { $0 = false } }

  func setOffline() { isOffline.withLock { $0 = true } }

  var place: String { base.place }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    if case .put = call, isOffline.withLock({ $0 }) {
      throw ObjectStoreError(.unreachable, call, in: place)
    }
    if case .get(let key, _) = call {
      while key.string.hasPrefix("blobs/"), isClosed.withLock({ $0 }) {
        if Task.isCancelled { throw ObjectStoreError(.cancelled, call, in: place) }
        await Task.yield()
      }
    }
    return try await base.send(call)
  }
}
