import Foundation
import ObjectStores
import Synchronization

/// A store whose puts overlap.
final class SlowStore: ForwardingStore {
  private struct State {
    var running = 0
    var most = 0
    var puts = 0
    var isOpen: Bool
  }

  let base: any ObjectStore = MemoryStore()
  private let state: Mutex<State>

  /// - Parameter waits: whether puts wait for `open()`.
  init(waits: Bool = false) { state = Mutex(State(isOpen: !waits)) }

  var most: Int { state.withLock { $0.most } }
  var puts: Int { state.withLock { $0.puts } }
  func open() { state.withLock { $0.isOpen = true } }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    state.withLock {
      $0.puts += 1
      $0.running += 1
      $0.most = max($0.most, $0.running)
    }
    defer { state.withLock { $0.running -= 1 } }
    for _ in 0..<200 { await Task.yield() }
    while !state.withLock({ $0.isOpen }) {
      if Task.isCancelled { throw ObjectStoreError(.cancelled, .put, in: place, key: key) }
      await Task.yield()
    }
    return try await base.put(bytes, at: key, ifAbsent: ifAbsent)
  }
}
