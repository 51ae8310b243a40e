import FoundationEssentials
import ObjectStores
import Synchronization
import TestSupport

/// The way of one device to a store: calls fail, lose their answers, run twice, or are carried out later.
final class UnreliableStore: ObjectStore {
  /// A fault of the store itself, that the library cannot live with.
  enum Sabotage: String, CaseIterable, Sendable {
    /// The store overwrites an object although it was asked not to.
    case createIfAbsentLies
    /// The store says that it has a blob, and forgets it.
    case dropsABlob
  }

  private struct State {
    var generator: SeededGenerator
    var isPartitioned = false
    var isReliable = false
    /// The number of calls until the device crashes.
    var callsUntilCrash: Int?
    var late: [(bytes: Data, key: ObjectKey, ifAbsent: Bool)] = []
    var lateVersions = 0
  }

  let place = "model"
  private let store: any ObjectStore
  private let sabotage: Sabotage?
  private let state: Mutex<State>

  init(_ store: any ObjectStore, seed: UInt64, sabotage: Sabotage? = nil) {
    (self.store, self.sabotage) = (store, sabotage)
    state = Mutex(State(generator: SeededGenerator(seed: seed)))
  }

  var isPartitioned: Bool {
    get { state.withLock { $0.isPartitioned } }
    set { state.withLock { $0.isPartitioned = newValue } }
  }

  /// The number of versions that were committed, or may be, after the device had given up the call.
  var lateVersions: Int { state.withLock { $0.lateVersions } }

  /// Plans a crash after some calls.
  func crash(after calls: Int) { state.withLock { $0.callsUntilCrash = calls } }

  /// Whether the device has crashed.
  var hasCrashed: Bool { state.withLock { $0.callsUntilCrash == 0 } }

  /// Ends a crash.
  func restart() { state.withLock { $0.callsUntilCrash = nil } }

  /// Ends all trouble; late calls are carried out now.
  func heal() async throws {
    state.withLock { state in
      (state.isPartitioned, state.isReliable, state.callsUntilCrash) = (false, true, nil)
    }
    try await deliverLate()
  }

  /// Begins with trouble again, after `heal()`.
  func beUnreliable() { state.withLock { $0.isReliable = false } }

  /// Forgets the calls that were late.
  func dropLate() { state.withLock { $0.late = [] } }

  /// Carries out the calls that were late.
  func deliverLate() async throws {
    let late = state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
    for call in late { try await store.put(call.bytes, at: call.key, ifAbsent: call.ifAbsent) }
  }

  private enum Fate { case done, refused, lostAnswer, twice, late, dropped }

  private func fate(_ operation: ObjectStoreError.Operation, _ key: ObjectKey?) -> Fate {
    state.withLock { state in
      if state.isPartitioned { return .refused }
      if let left = state.callsUntilCrash {
        if left == 0 { return .refused }
        state.callsUntilCrash = left - 1
        // The last call before the crash is carried out, or not, and its answer is lost.
        if left == 1 { return Bool.random(using: &state.generator) ? .lostAnswer : .refused }
      }
      if sabotage == .dropsABlob, operation == .put, key?.string.hasPrefix("blobs/") == true,
        Int.random(in: 0..<20, using: &state.generator) == 0
      {
        return .dropped
      }
      if state.isReliable { return .done }
      switch Int.random(in: 0..<60, using: &state.generator) {
      case 0: return .refused
      case 1: return .lostAnswer
      case 2 where operation == .put: return .twice
      case 3 where operation == .put: return .late
      default: return .done
      }
    }
  }

  private func failure(_ operation: ObjectStoreError.Operation, _ key: ObjectKey?) -> ObjectStoreError {
    ObjectStoreError(.unreachable, operation, in: place, key: key)
  }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    var ifAbsent = ifAbsent
    if sabotage == .createIfAbsentLies, key.string.hasPrefix("documents/") { ifAbsent = false }
    switch fate(.put, key) {
    case .refused: throw failure(.put, key)
    case .dropped: return true
    case .late:
      let absent = ifAbsent
      state.withLock { state in
        state.late.append((bytes, key, absent))
        if absent, key.string.hasPrefix("documents/") { state.lateVersions += 1 }
      }
      throw failure(.put, key)
    case .twice:
      try await store.put(bytes, at: key, ifAbsent: ifAbsent)
      return try await store.put(bytes, at: key, ifAbsent: ifAbsent)
    case .lostAnswer:
      try await store.put(bytes, at: key, ifAbsent: ifAbsent)
      throw failure(.put, key)
    case .done: return try await store.put(bytes, at: key, ifAbsent: ifAbsent)
    }
  }

  func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    if fate(.get, key) != .done { throw failure(.get, key) }
    return try await store.get(key, range: range)
  }

  func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    if fate(.head, key) != .done { throw failure(.head, key) }
    return try await store.head(key)
  }

  func list(_ prefix: String, after start: ObjectKey?, limit: Int) async throws(ObjectStoreError)
    -> ObjectListing
  {
    if fate(.list, nil) != .done { throw failure(.list, nil) }
    return try await store.list(prefix, after: start, limit: limit)
  }

  func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    if fate(.delete, key) != .done { throw failure(.delete, key) }
    try await store.delete(key)
  }
}
