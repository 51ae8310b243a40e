package import DurableIO
import Glibc
import Synchronization

/// A disk whose next request of a kind waits for the test, so that a save is as slow as the test needs.
package final class GateDisk: Sendable {
  private struct State {
    var closedFor: DiskOperation?
    var waiting = 0
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private final class Gate: Sendable {
    let state = Mutex(State())

    func pass(_ operation: DiskOperation) {
      guard state.withLock({ $0.closedFor == operation }) else { return }
      let watchers = state.withLock { state in
        state.waiting += 1
        defer { state.watchers = [] }
        return state.watchers
      }
      for watcher in watchers { watcher.resume() }
      // This blocks only the thread of the store, which is there for blocking calls.
      while state.withLock({ $0.closedFor == operation }) { usleep(200) }
    }
  }

  package let disk: CountingDisk
  private let gate: Gate

  package init(_ base: any Disk) {
    let gate = Gate()
    self.gate = gate
    disk = CountingDisk(base) { event in gate.pass(event.operation) }
  }

  package func close(for operation: DiskOperation) {
    gate.state.withLock { state in
      state.closedFor = operation
      state.waiting = 0
    }
  }

  package func open() { gate.state.withLock { $0.closedFor = nil } }

  /// Waits until a request is at the gate.
  package func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = gate.state.withLock { state in
        if state.waiting == 0 { state.watchers.append(continuation) }
        return state.waiting > 0
      }
      if isThere { continuation.resume() }
    }
  }
}
