import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization

/// A store in memory that counts its calls, the bytes of puts and the objects that it lists.
final class MeteredStore: ObjectStore {
  private let base: MemoryStore
  private let counts = Mutex((putBytes: 0, listed: 0))

  var place: String { base.place }
  var callCount: Int { base.callCount }
  var putBytes: Int { counts.withLock { $0.putBytes } }
  var listedCount: Int { counts.withLock { $0.listed } }

  init(now: @escaping @Sendable () -> Date = { Date() }) { base = MemoryStore(now: now) }

  /// Returns the number of calls that `body` makes.
  func requests(_ body: () async throws -> Void) async throws -> Int {
    let before = callCount
    try await body()
    return callCount - before
  }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    let answer = try await base.send(call)
    counts.withLock { counts in
      if case .put(let bytes, _, _) = call { counts.putBytes += bytes.count }
      if case .page(let page) = answer { counts.listed += page.objects.count }
    }
    return answer
  }
}
