import ObjectStores
import StoreTestSupport
import Synchronization

/// A store whose puts overlap.
final class SlowStore: ObjectStore {
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

  var place: String { base.place }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    guard case .put = call else { return try await base.send(call) }
    state.withLock {
      $0.puts += 1
      $0.running += 1
      $0.most = max($0.most, $0.running)
    }
    defer { state.withLock { $0.running -= 1 } }
    for _ in 0..<200 { await Task.yield() }
    while !state.withLock({ $0.isOpen }) {
      if Task.isCancelled { throw ObjectStoreError(.cancelled, call, in: place) }
      await Task.yield()
    }
    return try await base.send(call)
  }
}
