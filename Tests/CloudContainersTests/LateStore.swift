import ObjectStores
import Synchronization

/// A store that carries out one put late, after its answer was lost.
final class LateStore: ObjectStore {
  private struct State {
    var prefix: String?
    var late: StoreCall?
    var isDue = false
  }

  let base: any ObjectStore
  private let state = Mutex(State())

  init(_ base: any ObjectStore) { self.base = base }

  /// Delays the next put of a key with this prefix.
  func delays(_ prefix: String) { state.withLock { $0.prefix = prefix } }

  /// Carries out the delayed put just before the next one of its key.
  func deliversBeforeNextPut() { state.withLock { $0.isDue = true } }

  var place: String { base.place }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    guard case .put(_, let key, _) = call else { return try await base.send(call) }
    let (isLate, due) = state.withLock { state in
      if let prefix = state.prefix, key.string.hasPrefix(prefix) {
        (state.prefix, state.late) = (nil, call)
        return (true, nil as StoreCall?)
      }
      guard state.isDue, state.late?.key?.segments.first == key.segments.first else {
        return (false, nil)
      }
      defer { (state.late, state.isDue) = (nil, false) }
      return (false, state.late)
    }
    if isLate { throw ObjectStoreError(.timedOut, call, in: place) }
    if let due { _ = try await base.send(due) }
    return try await base.send(call)
  }
}
