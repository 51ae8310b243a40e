import Foundation
import ObjectStores
import Synchronization

/// A store that carries out one put late, after its answer was lost.
final class LateStore: ForwardingStore {
  private struct State {
    var prefix: String?
    var late: (bytes: Data, key: ObjectKey, ifAbsent: Bool)?
    var isDue = false
  }

  let base: any ObjectStore
  private let state = Mutex(State())

  init(_ base: any ObjectStore) { self.base = base }

  /// Delays the next put of a key with this prefix.
  func delays(_ prefix: String) { state.withLock { $0.prefix = prefix } }

  /// Carries out the delayed put just before the next one of its key.
  func deliversBeforeNextPut() { state.withLock { $0.isDue = true } }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    let (isLate, due) = state.withLock { state in
      if let prefix = state.prefix, key.string.hasPrefix(prefix) {
        (state.prefix, state.late) = (nil, (bytes, key, ifAbsent))
        return (true, nil as (bytes: Data, key: ObjectKey, ifAbsent: Bool)?)
      }
      guard state.isDue, state.late?.key.segments.first == key.segments.first else { return (false, nil) }
      defer { (state.late, state.isDue) = (nil, false) }
      return (false, state.late)
    }
    if isLate { throw ObjectStoreError(.timedOut, .put, in: place, key: key) }
    if let due { _ = try await base.put(due.bytes, at: due.key, ifAbsent: due.ifAbsent) }
    return try await base.put(bytes, at: key, ifAbsent: ifAbsent)
  }
}
