import Foundation
import ObjectStores
import Synchronization

/// A store whose reads of blobs wait, or fail.
final class GatedStore: ForwardingStore {
  private struct State {
    var isOpen = true
    var isOffline = false
    var waiting = 0
  }

  let base: any ObjectStore
  private let state = Mutex(State())

  init(_ base: any ObjectStore) { self.base = base }

  /// The number of reads that wait.
  var waiting: Int { state.withLock { $0.waiting } }
  func close() { state.withLock { $0.isOpen = false } }
  func open() { state.withLock { $0.isOpen = true } }
  func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }

  private func check(
    _ operation: ObjectStoreError.Operation, _ key: ObjectKey?
  ) throws(ObjectStoreError) {
    if state.withLock({ $0.isOffline }) {
      throw ObjectStoreError(.unreachable, operation, in: place, key: key)
    }
  }

  func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    try check(.get, key)
    if key.string.hasPrefix("blobs/") {
      state.withLock { $0.waiting += 1 }
      defer { state.withLock { $0.waiting -= 1 } }
      while !state.withLock({ $0.isOpen }) {
        if Task.isCancelled { throw ObjectStoreError(.cancelled, .get, in: place, key: key) }
        await Task.yield()
      }
    }
    return try await base.get(key, range: range)
  }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    try check(.put, key)
    return try await base.put(bytes, at: key, ifAbsent: ifAbsent)
  }
  func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    try check(.head, key)
    return try await base.head(key)
  }
  func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try check(.list, nil)
    return try await base.list(prefix, after: start, limit: limit)
  }
  func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    try check(.delete, key)
    try await base.delete(key)
  }
}
