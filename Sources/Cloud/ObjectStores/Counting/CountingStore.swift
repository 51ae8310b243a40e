package import FoundationEssentials
import Synchronization

/// The calls of a store, and the bytes of objects that they moved.
package struct StoreTraffic: Sendable, Hashable, Codable {
  package var requests = 0
  package var bytesSent: UInt64 = 0
  package var bytesReceived: UInt64 = 0

  /// Makes an account without calls.
  package init() {}

  /// Returns the calls after an earlier moment.
  package static func - (now: StoreTraffic, earlier: StoreTraffic) -> StoreTraffic {
    var traffic = now
    traffic.requests -= earlier.requests
    traffic.bytesSent -= earlier.bytesSent
    traffic.bytesReceived -= earlier.bytesReceived
    return traffic
  }
}

/// Another store, with its calls counted. It stands below a `RetryingStore`, so that repeated calls count, too.
package struct CountingStore: ForwardingStore {
  private final class Counter: Sendable {
    let traffic = Mutex(StoreTraffic())
  }

  package let base: any ObjectStore
  private let counter = Counter()
  private let tell: @Sendable (StoreTraffic) -> Void

  /// The calls so far.
  package var traffic: StoreTraffic { counter.traffic.withLock { $0 } }

  /// - Parameter tell: gets the calls so far after each one.
  package init(_ base: any ObjectStore, tell: @escaping @Sendable (StoreTraffic) -> Void = { _ in }) {
    (self.base, self.tell) = (base, tell)
  }

  private func count(_ change: (inout StoreTraffic) -> Void) {
    let traffic = counter.traffic.withLock { traffic in
      change(&traffic)
      return traffic
    }
    tell(traffic)
  }

  @discardableResult
  package func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    count { ($0.requests, $0.bytesSent) = ($0.requests + 1, $0.bytesSent + UInt64(bytes.count)) }
    return try await base.put(bytes, at: key, ifAbsent: ifAbsent)
  }

  package func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    count { $0.requests += 1 }
    let bytes = try await base.get(key, range: range)
    count { $0.bytesReceived += UInt64(bytes?.count ?? 0) }
    return bytes
  }

  package func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    count { $0.requests += 1 }
    return try await base.head(key)
  }

  package func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    count { $0.requests += 1 }
    return try await base.list(prefix, after: start, limit: limit)
  }

  package func list(
    _ prefix: String, continuing page: ObjectListing, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    count { $0.requests += 1 }
    return try await base.list(prefix, continuing: page, limit: limit)
  }

  package func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    count { $0.requests += 1 }
    try await base.delete(key)
  }
}
