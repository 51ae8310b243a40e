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
    var late: [StoreCall] = []
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

  /// Plans a crash after some calls.
  func crash(after calls: Int) { state.withLock { $0.callsUntilCrash = calls } }

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
    for call in late { _ = try await store.send(call) }
  }

  private enum Fate { case done, refused, lostAnswer, twice, late, dropped }

  private func fate(_ call: StoreCall) -> Fate {
    let isPut = call.operation == .put
    return state.withLock { state in
      if state.isPartitioned { return .refused }
      if let left = state.callsUntilCrash {
        if left == 0 { return .refused }
        state.callsUntilCrash = left - 1
        // The last call before the crash is carried out, or not, and its answer is lost.
        if left == 1 { return Bool.random(using: &state.generator) ? .lostAnswer : .refused }
      }
      if sabotage == .dropsABlob, isPut, call.key?.string.hasPrefix("blobs/") == true,
        Int.random(in: 0..<20, using: &state.generator) == 0
      {
        return .dropped
      }
      if state.isReliable { return .done }
      switch Int.random(in: 0..<60, using: &state.generator) {
      case 0: return .refused
      case 1: return .lostAnswer
      case 2 where isPut: return .twice
      case 3 where isPut: return .late
      default: return .done
      }
    }
  }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    let fate = fate(call)
    let failure = ObjectStoreError(.unreachable, call, in: place)
    guard case .put(let bytes, let key, var ifAbsent) = call else {
      if fate != .done { throw failure }
      return try await store.send(call)
    }
    if sabotage == .createIfAbsentLies, key.string.hasPrefix("log/") { ifAbsent = false }
    let put = StoreCall.put(bytes, at: key, ifAbsent: ifAbsent)
    switch fate {
    case .refused: throw failure
    case .dropped: return .stored(true)
    case .late:
      state.withLock { $0.late.append(put) }
      throw failure
    case .twice:
      _ = try await store.send(put)
      return try await store.send(put)
    case .lostAnswer:
      _ = try await store.send(put)
      throw failure
    case .done: return try await store.send(put)
    }
  }
}
