import Foundation
import ObjectStores
import Synchronization

/// A store that counts its calls, the bytes of puts and the objects that it lists. `MemoryStore` would copy its objects with each put.
final class MeteredStore: ObjectStore {
  private struct StoredBytes {
    var bytes: Data
    var date: Date
  }

  private struct State {
    var objects: [ObjectKey: StoredBytes] = [:]
    var calls = 0
    var putBytes = 0
    var listed = 0
  }

  let place = "memory"
  private let state = Mutex(State())
  var callCount: Int { state.withLock { $0.calls } }
  var putBytes: Int { state.withLock { $0.putBytes } }
  var listedCount: Int { state.withLock { $0.listed } }
  private let now: @Sendable () -> Date

  /// Returns the number of calls that `body` makes.
  func requests(_ body: () async throws -> Void) async throws -> Int {
    let before = callCount
    try await body()
    return callCount - before
  }

  init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    state.withLock { state in
      state.calls += 1
      state.putBytes += bytes.count
      if ifAbsent, state.objects[key] != nil { return false }
      state.objects[key] = StoredBytes(bytes: bytes, date: now())
      return true
    }
  }

  func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    state.withLock { state in
      state.calls += 1
      guard let bytes = state.objects[key]?.bytes else { return nil }
      return range.map { bytes[$0.clamped(to: 0..<bytes.count)] } ?? bytes
    }
  }

  func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    state.withLock { state in
      state.calls += 1
      return state.objects[key].map {
        StoredObject(key: key, size: $0.bytes.count, modificationDate: $0.date)
      }
    }
  }

  func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    state.withLock { state in
      state.calls += 1
      let found = state.objects.filter { key, _ in
        key.string.hasPrefix(prefix) && start.map { $0 < key } ?? true
      }.sorted { $0.key < $1.key }
      let objects = found.prefix(limit).map {
        StoredObject(key: $0.key, size: $0.value.bytes.count, modificationDate: $0.value.date)
      }
      state.listed += objects.count
      return ObjectListing(objects: objects, hasMore: found.count > limit)
    }
  }

  func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    state.withLock { state in
      state.calls += 1
      state.objects[key] = nil
    }
  }
}
