package import FoundationEssentials
import Synchronization

/// Objects in memory, for tests: each call can be delayed, refused, or done with its answer lost.
package final class MemoryStore: ObjectStore {
  /// A call, before the store does it.
  package struct Call: Sendable, Hashable {
    /// The call.
    package var operation: ObjectStoreError.Operation
    /// The object's key; nil for a listing.
    package var key: ObjectKey?
    /// The number of the call, from 0.
    package var number: Int
  }

  /// A deviation from the store's promises.
  package enum Trouble: Sendable, Hashable {
    /// The call throws, and does nothing.
    case refusal(ObjectStoreError.Code)
    /// The call does its work, and throws.
    case lostAnswer
    /// The call suspends this many times, so that other calls overtake it.
    case delay(Int)
    /// `put` stores over an object although it was asked not to, as a server that drops the condition does.
    case droppedCondition
    /// A read or a listing gives the state from before the last call that wrote.
    case staleAnswer
  }

  private struct State {
    private(set) var objects: [ObjectKey: StoredValue] = [:]
    /// The objects before the last change.
    private var before: [ObjectKey: StoredValue] = [:]
    var calls = 0

    mutating func set(_ key: ObjectKey, _ value: StoredValue?) {
      before = objects
      objects[key] = value
    }

    mutating func set(_ objects: [ObjectKey: StoredValue]) {
      before = self.objects
      self.objects = objects
    }

    /// Returns the state that a stale answer has.
    var stale: State {
      var state = self
      state.objects = before
      return state
    }
  }

  fileprivate struct StoredValue: Sendable {
    var bytes: Data
    var modificationDate: Date
  }

  /// The place of the store in the words of an error.
  package let place: String
  private let state = Mutex(State())
  private let trouble: @Sendable (Call) -> Trouble?
  private let now: @Sendable () -> Date

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - trouble: decides about each call; by default all calls work.
  ///   - now: the store's clock.
  package init(
    place: String = "memory", trouble: @escaping @Sendable (Call) -> Trouble? = { _ in nil },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.place, self.now, self.trouble) = (place, now, trouble)
  }

  /// The number of calls so far.
  package var callCount: Int { state.withLock { $0.calls } }

  /// The keys of all objects, in order.
  package var keys: [ObjectKey] { state.withLock { $0.objects.keys.sorted() } }

  /// All objects at one moment.
  package struct Backup: Sendable {
    fileprivate let objects: [ObjectKey: StoredValue]

    /// Returns the objects of both backups, with those of the other one where `isOther` says so of a key.
    package func taking(_ isOther: (ObjectKey) -> Bool, from other: Backup) -> Backup {
      let kept = objects.filter { !isOther($0.key) }
      return Backup(objects: kept.merging(other.objects.filter { isOther($0.key) }) { old, _ in old })
    }
  }

  /// Returns all objects, with their dates.
  package func backUp() -> Backup { Backup(objects: state.withLock { $0.objects }) }

  /// Brings back the objects of an earlier moment.
  package func restore(_ backup: Backup) { state.withLock { $0.set(backup.objects) } }

  /// Stores an object, as `ObjectStore` says.
  @discardableResult
  package func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    try await call(.put, key) { state, trouble in
      if ifAbsent, state.objects[key] != nil, trouble != .droppedCondition { return false }
      state.set(key, StoredValue(bytes: bytes, modificationDate: self.now()))
      return true
    }
  }

  /// Reads an object or a part of it, as `ObjectStore` says.
  package func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    try await call(.get, key) { state, _ in
      guard let bytes = state.objects[key]?.bytes else { return nil }
      guard let range else { return bytes }
      let end = min(range.upperBound, bytes.count)
      let start = min(max(0, range.lowerBound), end)
      return bytes.subdata(in: bytes.startIndex + start..<bytes.startIndex + end)
    }
  }

  /// Returns the size and the date of an object, as `ObjectStore` says.
  package func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    try await call(.head, key) { state, _ in
      state.objects[key].map {
        StoredObject(key: key, size: $0.bytes.count, modificationDate: $0.modificationDate)
      }
    }
  }

  /// Lists objects, as `ObjectStore` says.
  package func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await call(.list, nil) { state, _ in
      let found = state.objects.filter { key, _ in
        key.string.hasPrefix(prefix) && start.map { $0 < key } ?? true
      }.sorted { $0.key < $1.key }
      return ObjectListing(
        objects: found.prefix(max(1, limit)).map { key, value in
          StoredObject(key: key, size: value.bytes.count, modificationDate: value.modificationDate)
        }, hasMore: found.count > max(1, limit))
    }
  }

  /// Removes an object, as `ObjectStore` says.
  package func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    try await call(.delete, key) { state, _ in state.set(key, nil) }
  }

  private func call<Result: Sendable>(
    _ operation: ObjectStoreError.Operation, _ key: ObjectKey?,
    _ body: (inout State, Trouble?) -> Result
  ) async throws(ObjectStoreError) -> Result {
    let number = state.withLock { state in
      defer { state.calls += 1 }
      return state.calls
    }
    let trouble = trouble(Call(operation: operation, key: key, number: number))
    if case .delay(let count) = trouble { for _ in 0..<count { await Task.yield() } }
    if case .refusal(let code) = trouble { throw ObjectStoreError(code, operation, in: place, key: key) }
    let result = state.withLock { state in
      guard trouble == .staleAnswer else { return body(&state, trouble) }
      var stale = state.stale
      return body(&stale, trouble)
    }
    if trouble == .lostAnswer { throw ObjectStoreError(.unreachable, operation, in: place, key: key) }
    return result
  }
}
