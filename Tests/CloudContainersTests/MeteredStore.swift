import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization

/// A store that counts its calls, the bytes of puts and the objects that it lists. `MemoryStore` would copy its objects with each put.
final class MeteredStore: ObjectStore {
  private struct StoredBytes {
    var bytes: Data
    var date: Date

    func object(_ key: ObjectKey) -> StoredObject {
      StoredObject(key: key, size: bytes.count, modificationDate: date)
    }
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

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    state.withLock { state in
      state.calls += 1
      switch call {
      case .put(let bytes, let key, let ifAbsent):
        state.putBytes += bytes.count
        if ifAbsent, state.objects[key] != nil { return .stored(false) }
        state.objects[key] = StoredBytes(bytes: bytes, date: now())
        return .stored(true)
      case .get(let key, let limit): return .bytes(state.objects[key]?.bytes.prefix(limit))
      case .head(let key): return .object(state.objects[key].map { $0.object(key) })
      case .list(let prefix, let start, let limit):
        let found = state.objects.filter { key, _ in
          key.string.hasPrefix(prefix) && start.map { $0 < key } ?? true
        }.sorted { $0.key < $1.key }
        let objects = found.prefix(min(limit, 1_000)).map { $0.value.object($0.key) }
        state.listed += objects.count
        return .page(ObjectListing(objects: objects, hasMore: found.count > objects.count))
      case .delete(let key):
        state.objects[key] = nil
        return .removed
      }
    }
  }
}
