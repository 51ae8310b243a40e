package import FoundationEssentials
package import ObjectStores
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
    /// The objects that the last change replaced or removed; nil for a key that was free.
    private var replaced: [ObjectKey: StoredValue?] = [:]
    var calls = 0

    mutating func set(_ key: ObjectKey, _ value: StoredValue?) {
      replaced = [key: objects[key]]
      objects[key] = value
    }

    mutating func set(_ objects: [ObjectKey: StoredValue]) {
      let keys = Set(self.objects.keys).union(objects.keys)
      replaced = Dictionary(uniqueKeysWithValues: keys.map { ($0, self.objects[$0]) })
      self.objects = objects
    }

    /// Returns the state that a stale answer has.
    var stale: State {
      var state = self
      for (key, value) in replaced { state.objects[key] = value }
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

  /// Makes a call, as `ObjectStore` says. A page has at most 1,000 objects, as that of a service.
  package func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    let number = state.withLock { state in
      defer { state.calls += 1 }
      return state.calls
    }
    let trouble = trouble(Call(operation: call.operation, key: call.key, number: number))
    if case .delay(let count) = trouble { for _ in 0..<count { await Task.yield() } }
    if case .refusal(let code) = trouble { throw ObjectStoreError(code, call, in: place) }
    let given = state.withLock { state in
      guard trouble == .staleAnswer else { return answer(call, of: &state, trouble) }
      var stale = state.stale
      return answer(call, of: &stale, trouble)
    }
    if trouble == .lostAnswer { throw ObjectStoreError(.unreachable, call, in: place) }
    return given
  }

  private func answer(_ call: StoreCall, of state: inout State, _ trouble: Trouble?) -> StoreAnswer {
    switch call {
    case .put(let bytes, let key, let ifAbsent):
      if ifAbsent, state.objects[key] != nil, trouble != .droppedCondition { return .stored(false) }
      state.set(key, StoredValue(bytes: bytes, modificationDate: now()))
      return .stored(true)
    case .get(let key, let limit):
      return .bytes((state.objects[key]?.bytes).map { Data($0.prefix(limit)) })
    case .head(let key): return .object(state.objects[key].map { Self.object(key, $0) })
    case .list(let prefix, let start, let limit):
      let found = state.objects.filter { key, _ in
        key.string.hasPrefix(prefix) && start.map { $0 < key } ?? true
      }.sorted { $0.key < $1.key }
      let page = found.prefix(min(max(1, limit), 1_000)).map { Self.object($0, $1) }
      return .page(ObjectListing(objects: page, hasMore: found.count > page.count))
    case .delete(let key):
      state.set(key, nil)
      return .removed
    }
  }

  private static func object(_ key: ObjectKey, _ value: StoredValue) -> StoredObject {
    StoredObject(key: key, size: value.bytes.count, modificationDate: value.modificationDate)
  }
}
