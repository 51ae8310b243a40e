import DurableIO
import FilePackages
package import FoundationEssentials
package import ObjectStores

/// Another store with limits, which leave a part of the connection to other programs.
///
/// The rate is an average: an object goes at the connection's full speed, and the next one waits until its time has
/// come.
package struct PacedStore: ForwardingStore {
  /// The limits of a store.
  package struct Limits: Sendable, Hashable {
    /// The bytes of objects in a second, of both directions together; nil for any number.
    package var bytesPerSecond: UInt64?
    /// The number of calls at once; nil for any number.
    package var calls: Int?

    /// - Parameters: at least 1, or nil for no limit.
    package init(bytesPerSecond: UInt64? = nil, calls: Int? = nil) {
      (self.bytesPerSecond, self.calls) = (bytesPerSecond, calls)
    }
  }

  /// The time from which the next bytes may go.
  private actor Pace {
    private var free = Duration.zero

    /// Notes bytes; returns the time from which they may go, and the time when they have gone.
    func note(_ bytes: Int, _ rate: UInt64, now: Duration) -> (start: Duration, end: Duration) {
      let start = max(free, now)
      free = start + .seconds(Double(bytes) / Double(rate))
      return (start, free)
    }
  }

  package let base: any ObjectStore
  private let limits: Limits
  private let turns: AsyncSemaphore?
  private let pace = Pace()
  private let now: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Makes a store over another one.
  ///
  /// - Parameters:
  ///   - now: the time of a clock that is never set.
  ///   - sleep: waits; tests give a clock of their own.
  package init(
    _ base: any ObjectStore, _ limits: Limits, now: @escaping @Sendable () -> Duration = Self.uptime(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.base, self.limits, self.now, self.sleep) = (base, limits, now, sleep)
    turns = limits.calls.map { AsyncSemaphore($0) }
  }

  /// A clock that begins with this call.
  package static func uptime() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }

  package func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    if let rate = limits.bytesPerSecond {
      let now = now()
      try await wait(await pace.note(bytes.count, rate, now: now).start - now, .put, key)
    }
    return try await paced(.put, key) { () async throws(ObjectStoreError) in
      try await base.put(bytes, at: key, ifAbsent: ifAbsent)
    }
  }

  package func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    let bytes = try await paced(.get, key) { () async throws(ObjectStoreError) in
      try await base.get(key, range: range)
    }
    // Only now their number is known.
    if let rate = limits.bytesPerSecond, let bytes {
      let now = now()
      try await wait(await pace.note(bytes.count, rate, now: now).end - now, .get, key)
    }
    return bytes
  }

  package func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    try await paced(.head, key) { () async throws(ObjectStoreError) in try await base.head(key) }
  }

  package func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await paced(.list, nil) { () async throws(ObjectStoreError) in
      try await base.list(prefix, after: start, limit: limit)
    }
  }

  package func list(
    _ prefix: String, continuing page: ObjectListing, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await paced(.list, nil) { () async throws(ObjectStoreError) in
      try await base.list(prefix, continuing: page, limit: limit)
    }
  }

  package func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    try await paced(.delete, key) { () async throws(ObjectStoreError) in try await base.delete(key) }
  }

  private func wait(
    _ time: Duration, _ operation: ObjectStoreError.Operation, _ key: ObjectKey
  ) async throws(ObjectStoreError) {
    guard time > .zero else { return }
    do { try await sleep(time) } catch { throw ObjectStoreError(.cancelled, operation, in: place, key: key) }
  }

  private func paced<Result: Sendable>(
    _ operation: ObjectStoreError.Operation, _ key: ObjectKey?,
    _ body: () async throws(ObjectStoreError) -> Result
  ) async throws(ObjectStoreError) -> Result {
    guard let turns else { return try await body() }
    do { try await turns.waitUnlessCancelled() } catch {
      throw ObjectStoreError(.cancelled, operation, in: place, key: key)
    }
    defer { turns.signal() }
    return try await body()
  }
}
