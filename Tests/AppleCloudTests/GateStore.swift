import Foundation
import ObjectStores
import Synchronization

/// A store whose reads of content wait while it is closed, and that fails while it is offline.
final class GateStore: ForwardingStore {
  let base: any ObjectStore
  private let isClosed = Mutex(false)
  private let isOffline = Mutex(false)

  init(_ base: any ObjectStore) { self.base = base }

  func close() { isClosed.withLock { $0 = true } }
  func open() { isClosed.withLock { $0 = false } }

  func setOffline() { isOffline.withLock { $0 = true } }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    if isOffline.withLock({ $0 }) { throw ObjectStoreError(.unreachable, .put, in: place, key: key) }
    return try await base.put(bytes, at: key, ifAbsent: ifAbsent)
  }

  func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    while key.string.hasPrefix("blobs/"), isClosed.withLock({ $0 }) {
      if Task.isCancelled { throw ObjectStoreError(.cancelled, .get, in: place, key: key) }
      await Task.yield()
    }
    return try await base.get(key, range: range)
  }
}
