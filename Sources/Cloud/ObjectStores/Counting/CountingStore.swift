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
package struct CountingStore: ObjectStore {
  private final class Counter: Sendable {
    let traffic = Mutex(StoreTraffic())
  }

  private let base: any ObjectStore
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

  package var place: String { base.place }

  package var synchronizingProgram: String? { base.synchronizingProgram }

  package func removeRemains() async throws(ObjectStoreError) { try await base.removeRemains() }

  package func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    count { traffic in
      traffic.requests += 1
      if case .put(let bytes, _, _) = call { traffic.bytesSent += UInt64(bytes.count) }
    }
    let answer = try await base.send(call)
    if case .bytes(let bytes?) = answer { count { $0.bytesReceived += UInt64(bytes.count) } }
    return answer
  }
}
