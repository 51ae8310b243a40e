/// A store that repeats a call after a transient failure of the store beneath it.
///
/// The wait doubles from one attempt to the next. It has a random part, so that many machines do not repeat their calls
/// at the same moment. If the store asks for a wait, the wait is at least as long.
public struct RetryingStore: ObjectStore {
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
    /// The time after which no removal is repeated: other machines may rely on the object by then.
    package var longestRemoval = Duration.seconds(300)

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

  private let base: any ObjectStore
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
    _ base: any ObjectStore, policy: Policy = Policy(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.base, self.policy, self.sleep) = (base, policy, sleep)
  }

  /// Makes a call, as often as the policy allows. If the answer to a `put` was lost, an object with the same bytes counts
  /// as stored by this call.
  public func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    let start = ContinuousClock.now
    var attempt = 0
    while true {
      do throws(ObjectStoreError) {
        let answer = try await base.send(call)
        // The first attempt may have stored it, and only its answer was lost.
        guard attempt > 0, case .put(let bytes, let key, _) = call, answer == .stored(false) else {
          return answer
        }
        return .stored(try await base.get(key) == bytes)
      } catch {
        attempt += 1
        let wanted = Duration.seconds(error.retryAfter ?? 0)
        let attempts = error.code == .busy ? policy.busyAttempts : policy.attempts
        guard error.isTransient, attempt < attempts, wanted <= policy.longestWait else { throw error }
        let usual = min(policy.firstWait * (1 << min(attempt - 1, 20)), policy.longestWait)
        do {
          try await sleep(max(wanted, usual * Double.random(in: 0.5...1)))
        } catch {
          throw ObjectStoreError(.cancelled, call, in: place)
        }
        // The machine may have slept.
        if case .delete = call, start.duration(to: .now) >= policy.longestRemoval { throw error }
      }
    }
  }
}
