public import FoundationEssentials

/// A store that repeats a call after a transient failure of the store beneath it.
///
/// The wait doubles from one attempt to the next. It has a random part, so that many machines do not repeat their calls
/// at the same moment. If the store asks for a wait, the wait is at least as long.
public struct RetryingStore<Base: ObjectStore>: ObjectStore {
  /// The number of attempts of a call, and the waits between them.
  public struct Policy: Sendable, Hashable {
    /// The number of attempts, including the first one.
    public var attempts: Int
    /// The number of attempts if the store reports that it is busy, as a service that limits the rate of calls does.
    public var busyAttempts: Int
    /// The wait before the second attempt; a random part shortens it by up to a half.
    public var firstWait: Duration
    /// The longest wait. If the store asks for a longer one, the call throws the store's error.
    public var longestWait: Duration

    /// Makes a policy. By default it has six attempts, with waits of 3 to 6 seconds in all. For a busy store it has
    /// twenty, with waits of 3 to 6 minutes.
    public init(
      attempts: Int = 6, busyAttempts: Int = 20, firstWait: Duration = .milliseconds(200),
      longestWait: Duration = .seconds(30)
    ) {
      (self.attempts, self.busyAttempts) = (attempts, busyAttempts)
      (self.firstWait, self.longestWait) = (firstWait, longestWait)
    }
  }

  /// The store that does the work.
  public let base: Base
  private let policy: Policy
  private let sleep: @Sendable (Duration) async throws -> Void

  /// The place of the store in the words of an error.
  public var place: String { base.place }

  /// The program that copies the store's folder between machines, as `ObjectStore` says.
  public var synchronizingProgram: String? { base.synchronizingProgram }

  /// Removes the remains of calls that were cut off, as `ObjectStore` says.
  public func removeRemains() async throws(ObjectStoreError) { try await base.removeRemains() }

  /// Makes a store over another one.
  ///
  /// - Parameter sleep: waits for a time; a test can pass its own clock.
  public init(
    _ base: Base, policy: Policy = Policy(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.base, self.policy, self.sleep) = (base, policy, sleep)
  }

  /// Stores an object. If an answer was lost, an object with the same bytes counts as stored by this call.
  @discardableResult
  public func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    try await retrying(.put, key) { attempt throws(ObjectStoreError) in
      if try await base.put(bytes, at: key, ifAbsent: ifAbsent) { return true }
      // The first attempt may have stored it, and only its answer was lost.
      return attempt > 0 ? try await base.get(key) == bytes : false
    }
  }

  /// Reads an object or a part of it, as `ObjectStore` says.
  public func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    try await retrying(.get, key) { _ throws(ObjectStoreError) in try await base.get(key, range: range) }
  }

  /// Returns the size and the date of an object, as `ObjectStore` says.
  public func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    try await retrying(.head, key) { _ throws(ObjectStoreError) in try await base.head(key) }
  }

  /// Lists objects, as `ObjectStore` says.
  public func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await retrying(.list, nil) { _ throws(ObjectStoreError) in
      try await base.list(prefix, after: start, limit: limit)
    }
  }

  /// Lists further objects, as `ObjectStore` says.
  public func list(
    _ prefix: String, continuing page: ObjectListing, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await retrying(.list, nil) { _ throws(ObjectStoreError) in
      try await base.list(prefix, continuing: page, limit: limit)
    }
  }

  /// Removes an object, as `ObjectStore` says.
  public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    try await retrying(.delete, key) { _ throws(ObjectStoreError) in try await base.delete(key) }
  }

  private func retrying<Result>(
    _ operation: ObjectStoreError.Operation, _ key: ObjectKey?,
    _ body: (Int) async throws(ObjectStoreError) -> Result
  ) async throws(ObjectStoreError) -> Result {
    var attempt = 0
    while true {
      do throws(ObjectStoreError) {
        return try await body(attempt)
      } catch {
        attempt += 1
        let wanted = Duration.seconds(error.retryAfter ?? 0)
        let attempts = error.code == .busy ? policy.busyAttempts : policy.attempts
        guard error.isTransient, attempt < attempts, wanted <= policy.longestWait else { throw error }
        let usual = min(policy.firstWait * (1 << min(attempt - 1, 20)), policy.longestWait)
        do {
          try await sleep(max(wanted, usual * Double.random(in: 0.5...1)))
        } catch {
          throw ObjectStoreError(.cancelled, operation, in: place, key: key)
        }
      }
    }
  }
}
